"""A static host for the demos: with the headers that isolate pages, so that threads compute in them."""
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm",
                      ".md": "text/plain; charset=utf-8"}

    def do_GET(self):
        if self.path == "/":  # the front page is the index of the demos
            self.send_response(302)
            self.send_header("Location", "/demos/")
            self.end_headers()
        else:
            super().do_GET()

    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


folder, port = sys.argv[1], int(sys.argv[2])
with http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder)) as server:
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass

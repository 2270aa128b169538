// numjit serve: pages from a folder, and kernels for the graphs that they send.
//
//   GET  anything          a file of the folder, with the headers that threads and precise clocks want
//   GET  /numjit/status    {"numjit": "serve", "target": "simd", "kernels": 3}
//   POST /numjit/graphs    a graph file -> the pack of its kernels; the header numjit-failures counts graphs without one
//
// Only this machine is listened to. Requests must name it by a local name, and come from pages of this server: otherwise
// any page in the same browser could send graphs, by its own hand or through a name that leads here.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
// Connections that may wait to be taken: of more than these a page would try again a second later. Its own number is 5.
#define CPPHTTPLIB_LISTEN_BACKLOG 512
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/cli/commands.h>
#include <numjit/cli/serve/pack_store.h>
#include <numjit/cli/serve/rate_limit.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/plugin.h>

namespace numjit::cli {
namespace {

constexpr std::size_t most_body = 1 << 20;
constexpr int waiting_connections = 1024;  // that nobody has taken up; the library's five make a busy machine reset some
constexpr std::size_t connections = 32;  // a browser opens six, and keeps them for a while
constexpr double requests_per_second = 30, requests_at_once = 60;
constexpr std::chrono::seconds longest_wait(60);
constexpr const char* graphs_path = "/numjit/graphs";
constexpr const char* graphs_type = "application/x-numjit-graphs";

/// What is printed, one line at a time, whoever prints it.
void say(const std::string& line) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content("numjit serve: " + text + "\n", "text/plain; charset=utf-8");
}

/// SIGINT and SIGTERM, one of which is waited for; a second one ends the process at once. Any thread may get a signal, also
/// those of libraries that know nothing of it: the handler tells the thread that waits through a pipe.
class StopSignals {
 public:
  StopSignals() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw OSError("serve", "no pipe for signals.");
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  void wait() const {
    char byte = 0;
    while (read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
    }
  }
  void raise() const {
    const int saved = errno;
    if (write(ends_[1], "x", 1) < 0) errno = saved;
  }

 private:
  static void handle(int signal);
  int ends_[2] = {-1, -1};
};

StopSignals& stop_signals() {
  static auto& only = *new StopSignals;
  return only;
}
void StopSignals::handle(int) { stop_signals().raise(); }

/// A file of the folder that begins with a dot, such as .git or .env, is nobody's business.
bool is_hidden(const std::string& path) { return path.find("/.") != std::string::npos; }

class DevelopmentServer {
 public:
  explicit DevelopmentServer(const serve_options& options) : store_(options.pack, options.target, say) {
    add_pages(options.folder);
    server_.set_pre_routing_handler([this](const auto& request, auto& response) { return check(request, response); });
    server_.Get("/numjit/status", [this](const auto&, auto& response) {
      response.set_content(fmt::format("{{\"numjit\": \"serve\", \"target\": \"{}\", \"kernels\": {}}}\n", store_.target(),
                                       store_.kernel_count()),
                           "application/json");
    });
    server_.Post(graphs_path,
                 [this](const auto& request, auto& response, const auto& reader) { take_graphs(request, response, reader); });
    server_.set_error_handler([](const auto& request, auto& response) {
      if (response.body.empty())
        answer(response, response.status,
               fmt::format("{} has no answer to {}: status {}.", request.path, request.method, response.status));
    });
    server_.set_exception_handler([](const auto&, auto& response, std::exception_ptr) {
      answer(response, 500, "the request could not be answered.");
    });
  }

  void run(int port) {
    port_ = port == 0 ? server_.bind_to_any_port("127.0.0.1") : server_.bind_to_port("127.0.0.1", port) ? port : -1;
    if (port_ < 0)
      throw OSError("serve", fmt::format("port {} of 127.0.0.1 can't be had. Name another one by --port, or 0 for any.", port));
    ::listen(socket_, waiting_connections);
    if (const std::size_t count = store_.take_up()) say(fmt::format("taking up the {} graphs of {}", count, store_.path()));
    say(fmt::format("serving at http://127.0.0.1:{}/, kernels for the {} build go to {}; Ctrl-C ends it", port_, store_.target(),
                    store_.path()));
    const std::jthread stopping([this] {
      stop_signals().wait();
      server_.stop();
    });
    server_.listen_after_bind();
    stop_signals().raise();  // if it could not listen, the thread still waits
    store_.save();
  }

 private:
  using Handled = httplib::Server::HandlerResponse;

  void add_pages(const std::string& folder) {
    const httplib::Headers headers = common_headers();
    server_.set_default_headers(headers);
    if (!server_.set_mount_point("/", folder))
      throw OSError("serve", fmt::format("{}: no such folder. Name the one that holds your page.", folder));
    for (const auto& [ending, type] : std::array<std::pair<const char*, const char*>, 6>{{{"mjs", "text/javascript"},
                                                                                          {"js", "text/javascript"},
                                                                                          {"wasm", "application/wasm"},
                                                                                          {"map", "application/json"},
                                                                                          {"npy", "application/octet-stream"},
                                                                                          {"npz", "application/octet-stream"}}})
      server_.set_file_extension_and_mimetype_mapping(ending, type);
    // Not the library's SO_REUSEPORT, by which two servers would share a port and its requests.
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      socket_ = socket;
    });
    server_.new_task_queue = [] { return new httplib::ThreadPool(connections); };
    server_.set_keep_alive_max_count(1000);
    server_.set_keep_alive_timeout(2);
    server_.set_read_timeout(5);
    server_.set_payload_max_length(most_body);
  }

  static httplib::Headers common_headers() {
    return {{"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cross-Origin-Embedder-Policy", "require-corp"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"X-Content-Type-Options", "nosniff"},
            {"Cache-Control", "no-store"}};
  }

  bool is_here(const std::string& host) const {
    return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
  }

  Handled check(const httplib::Request& request, httplib::Response& response) const {
    const std::string host = request.get_header_value("Host"), origin = request.get_header_value("Origin");
    if (!is_here(host)) {
      answer(response, 403, fmt::format("got the host '{}', expected 127.0.0.1:{}.", host.substr(0, 80), port_));
    } else if (request.has_header("Origin") && !(origin.starts_with("http://") && is_here(origin.substr(7)))) {
      answer(response, 403, fmt::format("got a request of '{}', expected one of a page of this server.", origin.substr(0, 80)));
    } else if (is_hidden(request.path)) {
      answer(response, 404, "files whose names begin with a dot are not served.");
    } else {
      return Handled::Unhandled;
    }
    return Handled::Handled;
  }

  /// The request's body; nothing, with the answer given, if it is refused.
  std::optional<std::string> body_of(const httplib::Request& request, httplib::Response& response,
                                     const httplib::ContentReader& reader) {
    if (!limit_.take()) {
      response.set_header("Retry-After", "1");
      answer(response, 429, fmt::format("more than {:.0f} requests a second. Ask again later.", requests_per_second));
    } else if (request.get_header_value("Content-Type") != graphs_type) {
      answer(response, 415,
             fmt::format("got content of type '{}', expected {}.", request.get_header_value("Content-Type").substr(0, 80),
                         graphs_type));
    } else if (const std::string target = request.get_param_value("target"); target != store_.target()) {
      answer(response, 409,
             fmt::format("the page runs the '{}' build of numjit: this server compiles for {}. Start it with --target {}.",
                         target.substr(0, 20), store_.target(), target == "scalar" ? "scalar" : "simd"));
    } else {
      std::string body;
      bool fits = true;
      const bool read = reader([&](const char* data, std::size_t size) {
        fits = body.size() + size <= most_body;  // also where the length was not said before
        if (fits) body.append(data, size);
        return fits;
      });
      if (read && fits) return body;
      if (!fits || response.status == 413) answer(response, 413, fmt::format("graph files have at most {} bytes.", most_body));
      else answer(response, 400, "the request's body could not be read.");
    }
    response.set_header("Connection", "close");  // the body was not read
    return std::nullopt;
  }

  void take_graphs(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& reader) {
    const std::optional<std::string> body = body_of(request, response, reader);
    if (!body) return;
    try {
      const auto requests = runtime::read_kernel_list(*body);
      const ServedGraphs served = store_.get(requests, std::chrono::steady_clock::now() + longest_wait);
      response.set_header("numjit-failures", std::to_string(served.failures.size()));
      response.set_header("numjit-unfinished", std::to_string(served.unfinished));
      if (served.kernels.empty()) {
        response.status = 204;
        return;
      }
      const std::vector<char> pack = runtime::link_pack(served.kernels, store_.target());
      response.set_content(pack.data(), pack.size(), "application/wasm");
    } catch (const ValueError& e) {
      answer(response, 400, e.what());
    } catch (const OverflowError& e) {
      response.set_header("Retry-After", "5");
      answer(response, 503, e.what());
    } catch (const error& e) {
      say(e.what());
      answer(response, 500, e.what());
    }
  }

  PackStore store_;
  RateLimit limit_{requests_per_second, requests_at_once};
  httplib::Server server_;
  socket_t socket_ = -1;
  int port_ = -1;
};

}  // namespace

int serve(serve_options options) {
  runtime::wasm_target(options.target);
  config();
  if (!std::filesystem::is_directory(options.folder))
    throw OSError("serve", fmt::format("{}: no such folder. Name the one that holds your page.", options.folder));
  if (options.pack.empty())
    options.pack = (std::filesystem::path(options.folder) / fmt::format("kernels.{}.wasm", options.target)).string();
  if (!runtime::kernel_compiler()) throw CompileError("serve", fmt::format("no code generator: {}", runtime::plugin_error()));
  stop_signals();
  DevelopmentServer(options).run(options.port);
  return 0;
}

}  // namespace numjit::cli

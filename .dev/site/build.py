"""Builds the site: build.py FOLDER [PACKAGE]. Sources are put together in FOLDER/source, pages lie in FOLDER/html.

Needs the Python module (on PYTHONPATH) and the packages of .dev/requirements/docs.txt. PACKAGE is the JavaScript package, without
which its reference and the playing of demos are left out.
"""
import shutil
import subprocess
import sys
from pathlib import Path

import gallery
import pages
import reference

HERE = Path(__file__).resolve().parent
DEMOS = """# Demos

<a href="demos/index.html">Programs that play in this page's own browser</a>: the same arrays as WebAssembly, compiled, operation by
operation, and written by hand in JavaScript, at the flick of a switch. <a href="playground/index.html">The playground</a> runs what
you type, and shows graphs, kernels and times. They need a server, as `./dev docs --serve` is; from files, browsers load no modules.
"""


def put_beside(source: Path, html: Path, package: Path | None) -> None:
    """Reports of the gallery's programs, the demos and the playground beside the pages, with the package that they load, and what
    they look for where the tree has it."""
    shutil.copytree(source / "reports", html / "reports", dirs_exist_ok=True)
    shutil.copytree(pages.ROOT / "wasm" / "demos", html / "demos", dirs_exist_ok=True)
    for folder in ("examples/data", "breaks"):
        shutil.copytree(pages.DOCS / folder, html / "docs" / folder, dirs_exist_ok=True)
    if package:
        shutil.copytree(package, html / "package", dirs_exist_ok=True)
        modules = package.resolve().parents[1] / "npm" / "playground" / "node_modules"  # of what built the package
        subprocess.run(["node", pages.ROOT / "wasm" / "playground" / "make_playground.mjs", html / "playground", package, modules],
                       check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    package = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    source, html = folder / "source", folder / "html"
    shutil.rmtree(html, ignore_errors=True)
    made = {**gallery.pages(source), **reference.pages(package), **({"demos.md": DEMOS} if package else {})}
    pages.write(source, made)
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-c", HERE,
                           "-d", folder / "doctrees", "-b", "html", source, html])
    if done.returncode == 0:
        put_beside(source, html, package)
        print(f"{html}/index.html: {len(list(html.rglob('*.html')))} pages" + ("" if package else ", without the JavaScript package"))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

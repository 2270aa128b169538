"""Whose libraries packages bring along, and under which licences.

licences.py FOLDER LIBRARIES... copies what Debian says of each.
"""
import shutil
import subprocess
import sys
from pathlib import Path


def copyrights(libraries: list[str]) -> dict[str, Path]:
    """By Debian's package the file that tells its licences; nothing on systems without dpkg."""
    if not shutil.which("dpkg-query"):
        return {}
    found = {}
    for library in libraries:
        said = subprocess.run(["dpkg-query", "-S", f"*/{Path(library).name}"], capture_output=True, text=True)
        packages = [line.partition(":")[0] for line in said.stdout.splitlines() if not line.startswith("diversion by")]
        texts = {package: Path("/usr/share/doc", package, "copyright") for package in packages}
        known = {package: text for package, text in texts.items() if text.exists()}
        if not known:
            sys.exit(f"no package of this system says which licence {library} has")
        found |= known
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for package, text in copyrights(sys.argv[2:]).items():
        shutil.copy(text, folder / package)

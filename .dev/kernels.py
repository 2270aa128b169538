"""Shows that a change of the sources changed no generated kernel.

    kernels.py dump BUILD FOLDER     runs the meaning, fuzz and bench programs of a build, with an empty disk cache in FOLDER
    kernels.py compare BASE NEW      two such folders: kernels that only one has, and those whose code differs

A kernel is known by what it is filed under (schedule, operands, nodes), without its name and the compiler's; its code is compared
with its name masked.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

HEADER = struct.Struct("<8sIIQQ16s")
ROOT = Path(__file__).resolve().parents[1]


def dump(build: Path, folder: Path) -> int:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, mode=0o755)
    programs = {name: [build / "bin/tests" / f"test_{name}", "--gtest_brief=1", "--gtest_filter=-*BundlesAgree"]
                for name in ("meaning", "fuzz")}
    programs["bench"] = [sys.executable, ROOT / "tests/bench/run.py", "--seconds", "0.01"]
    for name, command in programs.items():
        print(f"{name}: running", flush=True)
        # The bench takes numjit as it comes: only the folder of all caches is another one.
        done = subprocess.run(command, capture_output=True, text=True, cwd=build, env={
            **os.environ, "NUMJIT_CACHE_DIR": str(folder), "XDG_CACHE_HOME": str(folder), "FUZZ_SEED": "1",
            "FUZZ_PROGRAMS": "800", "FUZZ_SECONDS": "3600", "NUMJIT_BUILD_DIR": str(build), "PYTHONPATH": str(build / "python")})
        if done.returncode != 0:
            print(done.stdout[-3000:], done.stderr[-3000:])
            return 1
    print(f"{len(kernels(folder))} kernels in {folder}")
    return 0


def kernels(folder: Path) -> dict[str, bytes]:
    """Code by what it is filed under."""
    found = {}
    for path in folder.rglob("*.njk"):
        data = path.read_bytes()
        magic, _, kind, key_size, payload_size, _ = HEADER.unpack_from(data)
        if magic != b"numjit\r\n":
            raise SystemExit(f"{path}: no entry of a kernel cache")
        key = data[HEADER.size:HEADER.size + key_size].decode()
        code = data[HEADER.size + key_size:HEADER.size + key_size + payload_size]
        name = re.match(r"kernel (\S+)\n", key)[1]
        content = re.sub(r"^(kernel|compiler) .*\n", "", key, flags=re.M)
        found[content] = bytes([kind]) + code.replace(name.encode(), b"name")
    return found


def compare(base: Path, new: Path) -> int:
    before, after = kernels(base), kernels(new)
    lost, come = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    other = sorted(key for key in before.keys() & after.keys() if before[key] != after[key])
    for what, keys in (("only in the base", lost), ("only in the new one", come), ("other code", other)):
        for key in keys:
            print(f"---- {what}\n{key}")
    print(f"{len(before)} and {len(after)} kernels: {len(lost)} gone, {len(come)} new, {len(other)} with other code")
    return 1 if lost or come or other else 0


def main() -> int:
    commands = {"dump": dump, "compare": compare}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        print(__doc__)
        return 2
    return commands[sys.argv[1]](Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())


if __name__ == "__main__":
    sys.exit(main())

"""Scopes and compiled calls in random order up to the ends of threads and of the process: programs by number, each a process."""
import os
import pathlib
import subprocess
import sys
import time

PROGRAM = pathlib.Path(os.environ["NUMJIT_BUILD_DIR"]) / "bin" / "tests" / "programs" / "scopes_and_ends"
seed = int(os.environ.get("HUNT_SEED") or time.time_ns() // 1000 % 2 ** 31)
print(f"HUNT_SEED={seed}", flush=True)
end, cases = time.monotonic() + float(os.environ.get("HUNT_SECONDS", 10)), 0
while cases == 0 or time.monotonic() < end:
    ran = subprocess.run([PROGRAM, str(seed + cases)], capture_output=True, text=True, timeout=200)
    if (ran.stdout, ran.stderr, ran.returncode) != ("", "", 3):
        sys.exit(f"wrong, status {ran.returncode}: {ran.stdout}{ran.stderr}. Again: HUNT_SEED={seed + cases} {sys.argv[0]}")
    cases += 1
print(f"{cases} cases")

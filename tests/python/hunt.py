"""What all hunters of Python share: random cases until the time is over, each by a number, in a process that may crash.

HUNT_SECONDS (10) sets the time, HUNT_SEED the seed (else one from the clock, printed), HUNT_CASE makes one case alone.
"""
import faulthandler
import gc
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings


def _repeat(seed, number):
    return f"HUNT_SEED={seed} HUNT_CASE={number} python {os.path.relpath(sys.argv[0])}"


def _cases(case, seed, path):
    """Makes cases until the time is over; where it is stands in a file, for whoever finds this process dead."""
    faulthandler.enable()
    sys.unraisablehook = lambda unraisable: None  # of __del__
    warnings.simplefilter("ignore", SyntaxWarning)
    only = os.environ.get("HUNT_CASE")
    seconds = float(os.environ.get("HUNT_SECONDS", 10))
    with open(path, "r+b") as f:
        place = mmap.mmap(f.fileno(), 8)
    number, end = int(only or 0), time.monotonic() + seconds
    while True:
        struct.pack_into("q", place, 0, number)
        try:
            case(random.Random(f"{seed}:{number}"))
        except Exception:  # noqa: BLE001
            traceback.print_exc()
            print(f"wrong. Again: {_repeat(seed, number)}", flush=True)
            return 1
        number += 1
        if number % 64 == 0:
            gc.collect()
        if only or time.monotonic() > end:
            print(f"{number} cases", flush=True)
            return 0


def hunt(case):
    """Calls case(random.Random) over and over: an exception is a finding, a crash too. Does not return."""
    if "HUNT_CHILD" in os.environ:
        seed, path = os.environ["HUNT_CHILD"].split(":", 1)
        sys.exit(_cases(case, int(seed), path))
    seed = int(os.environ.get("HUNT_SEED") or time.time_ns() // 1000 % 2 ** 32)
    print(f"HUNT_SEED={seed}", flush=True)
    with tempfile.NamedTemporaryFile() as f:
        f.write(bytes(8))
        f.flush()
        made = subprocess.run([sys.executable, *sys.argv], env={**os.environ, "HUNT_CHILD": f"{seed}:{f.name}"})
        f.seek(0)
        number = struct.unpack("q", f.read(8))[0]
    if made.returncode not in (0, 1):
        print(f"the process ended with {made.returncode} at case {number}. Again: {_repeat(seed, number)}")
    sys.exit(1 if made.returncode else 0)

"""Messages of more than 2^31 elements, on two ranks, where there is memory for them."""
import sys

from launch import PROGRAMS, available, expect, run

NEEDED = 18 << 30  # bytes: two ranks with four arrays each


def free_bytes():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))


def main():
    libraries = available()
    if not libraries or free_bytes() < NEEDED:
        print(f"skipped: needs a library and {NEEDED >> 30} GiB of free memory", file=sys.stderr)
        sys.exit(77)
    status, out, err = run(libraries[0], 2, [PROGRAMS / "ranks_large"], seconds=300)
    expect(status == 0 and "all the same on 2 ranks" in out, f"{status}\n{out}\n{err}")


main()

"""A user's projects against an installed numjit: one that says find_package(numjit), one that asks pkg-config."""
import sys
from pathlib import Path

from commands import run

PROJECT = Path(__file__).resolve().parent / "consumer"


def build_and_run(prefix: Path, work: Path, project: Path = PROJECT, *, jit: bool = True, cmake: tuple = ("cmake",),
                  compiler: str = "g++", pkg_config: bool = True, inside: tuple = (), hidden: tuple = (), **options) -> None:
    """Both, in the new folder `work`, against what is installed in `prefix`; `inside` is put before all commands, as one that changes
    the root, and `hidden` before the programs."""
    def check(program: str, expected: str) -> None:
        cache = f"NUMJIT_CACHE_DIR={work}/cache_{program}"  # each compiles
        if (out := run(*inside, *hidden, "env", cache, work / program, **options)) != expected:
            sys.exit(f"the program {program} printed {out!r}, expected {expected!r}")

    run(*inside, *cmake, "-S", project, "-B", work, f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCONSUMER_COMPONENTS={'jit' if jit else ''}", **options)
    run(*inside, cmake[0], "--build", work, **options)
    expected = "30\n30\n" + ("compiled\n" if jit else "eager\n")
    check("consumer", expected)
    check("without_includes", "")
    if pkg_config:
        folders = ":".join(f"{prefix}/{lib}/pkgconfig" for lib in ("lib", "lib64"))
        flags = run(*inside, "env", f"PKG_CONFIG_PATH={folders}", "pkg-config", "--cflags", "--libs", "numjit", **options).split()
        run(*inside, compiler, "-std=c++20", project / "consumer.cpp", *flags, "-o", work / "by_hand", **options)
        check("by_hand", expected)

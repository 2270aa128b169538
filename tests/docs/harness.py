"""What the tests of the docs share: compiling C++ text against the build, running it, masking times."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))

os.environ.setdefault("NUMJIT_CUDA_DRIVER", "libcuda_absent.so")  # pages are those of machines without a GPU

PROLOGUE = """#include <iostream>
#include <numjit/np.h>
namespace np = numjit;
int main() try {
#line 1 "example.cpp"
"""
EPILOGUE = """
} catch (const np::error& e) {
  std::cout << e.what() << "\\n";
}
"""


class Failed(Exception):
    """A program that does not compile or run; the text tells all."""


def whole_program(code: str) -> str:
    """A block with a main stands as it is; others are statements, and an error that escapes is printed."""
    return f'#line 1 "example.cpp"\n{code}' if "int main(" in code else PROLOGUE + code + EPILOGUE


def compile_text(code: str, program: Path) -> None:
    source = program.with_suffix(".cpp")
    source.write_text(code)
    done = subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror",
         f"-I{ROOT / 'src'}", f"-I{ROOT / 'numpy_compat'}", source, "-o", program,
         f"-L{BUILD / 'lib'}", "-lnumjit", "-pthread", f"-Wl,-rpath,{BUILD / 'lib'}"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"does not compile:\n{done.stderr[:4000]}")


def run(command: list, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **{"timeout": 300, **options})
    if done.returncode != 0:
        raise Failed(f"exit status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def output_of(code: str) -> str:
    """Compiles and runs a block; its standard output."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "block"
        compile_text(whole_program(code), program)
        return run([program], cwd=folder)


def masked(text: str) -> str:
    """Times, bandwidths and what else differs between runs are replaced; ends of lines are stripped."""
    text = re.sub(r"\d[\d.]*(e[-+]\d+)? ?(ns|us|µs|ms|GB/s)(?!\w)", "TIME", text)
    text = re.sub(r"\bin cache\b", "100% of copy bandwidth", text)  # what is above that
    text = re.sub(r"\d[\d.]* ?%", "SHARE", text)
    text = re.sub(r"[ \t]+TIME", " TIME", text)
    text = re.sub(r"[ \t]+SHARE", " SHARE", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())

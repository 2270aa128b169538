"""Builds the worked examples of docs/adding_an_op.md: their rows in copies of the tables, their programs,
and programs that run the new ops on every dtype, compared with NumPy: bit for bit, complex results of the
elementwise one within 4 units of the last place.

Everything that sees op numbers is compiled against the copy, without optimisation; of the eager
loops only those of the new op and the casts. The recorder, kernels and libHalide take no part.
"""
# ctest: TIMEOUT 900

import concurrent.futures
import itertools
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding_an_op.md"
DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]

PROGRAMS = ("page", "second_page", "on_files", "roll_files")

LOOPS = """// The loops of one op and of those in its derivative, in place of those of all rows.
#include <numjit/eager/loops/ufunc.h>
namespace numjit::eager::NUMJIT_ISA {
template <op_id Op, family... F>
void fill_op(loop_table& table) {
  (fill_loops<F, Op>(table, std::make_integer_sequence<int, loop_count<Op>>{}), ...);
}
template <family... F>
void fill(loop_table& table) {
  fill_op<op_id::OP, F...>(table);
  fill_op<op_id::subtract, F...>(table);
  fill_op<op_id::multiply, F...>(table);
  fill_op<op_id::scale, F...>(table);
}
const loop_table& table() {
  static const loop_table& filled = *[] {
    auto* t = new loop_table;
    t->isa = "v2";
    fill<family::integer_arithmetic, family::integer_logic, family::real_arithmetic,
         family::real_exponential, family::real_trigonometric, family::real_special, family::real_logic,
         family::half_short, family::half_long, family::complex_short, family::complex_long>(*t);
    fill_casts(*t);
    return t;
  }();
  return filled;
}
}
"""

ON_FILES = """#include <numjit/np.h>
#include <cstdio>
int main(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; i += 3)
    numjit::save(argv[i + 2], numjit::OP(numjit::load(argv[i]), numjit::load(argv[i + 1])));
}
"""


ROLL_FILES = """#include <numjit/np.h>
#include <surface.h>
int main(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; i += 3) {
    const numjit::array a = numjit::load(argv[i]);
    const numjit::op_params words = numjit::op_params().push(std::int64_t{std::stoll(argv[i + 1])});
    numjit::save(argv[i + 2], numjit::detail::call(numjit::op_id::OP, {a.ndim() > 1 ? numjit::transpose(a) : a}, words));
  }
}
"""


class Page:
    """The blocks of the page: rows, programs and what these print."""

    def __init__(self):
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        code = [t for kind, t in blocks if kind == "cpp"]
        self.row, self.structural_row = (next(t for t in code if t.startswith(macro)) for macro in ("UFUNC", "STRUCTURAL"))
        self.programs = [t for t in code if "int main" in t]
        self.outputs = [t for kind, t in blocks if kind == "text"]
        self.infer = next(t for t in code if "void infer_" in t)
        self.run = next(t for t in code if "void run_" in t)
        self.rule = next(t for t in code if "void adjoint_" in t)
        self.name, self.structural_name = (re.match(r"\w+\((\w+),", row)[1] for row in (self.row, self.structural_row))


def add_row(folder, table, name, row, behind):
    rows = (ROOT / table).read_text()
    if f"({name}," in rows:
        raise SystemExit(f"{name} is a row already: the page needs another example")
    at = rows.index(behind)
    (folder / table).write_text(rows[:at] + row + "\n" + rows[at:])


def make_tree(folder, page):
    """Headers and sources as in the tree, with the rows added to copies of the tables."""
    shutil.copytree(ROOT / "src/numjit", folder / "src/numjit")
    add_row(folder, "src/numjit/ops/elementwise.def", page.name, page.row, "// ---- comparison ----")
    add_row(folder, "src/numjit/ops/structural.def", page.structural_name, page.structural_row, "STRUCTURAL(sort,")
    (folder / "src/numjit/ops/infer_example.cpp").write_text(page.infer)
    (folder / "src/numjit/eager/example.cpp").write_text(page.run)
    (folder / "src/numjit/transform/example_rules.cpp").write_text(page.rule)
    (folder / "loops.cpp").write_text(LOOPS.replace("OP", page.name))
    (folder / "page.cpp").write_text(page.programs[0])
    (folder / "second_page.cpp").write_text(page.programs[1])
    (folder / "on_files.cpp").write_text(ON_FILES.replace("OP", page.name))
    (folder / "roll_files.cpp").write_text(ROLL_FILES.replace("OP", page.structural_name))


def sources(folder):
    inner = folder / "src/numjit"
    for part in ("base", "array", "ops", "transform"):
        yield from sorted((inner / part).glob("*.cpp"))
    yield from sorted((inner / "eager").glob("*.cpp"))
    yield inner / "eager/loops/casts.cpp"
    chapters = (p for p in (ROOT / "numpy_compat").rglob("*.cpp")
                if p.relative_to(ROOT / "numpy_compat").parts[0] not in ("fft", "linalg", "oracle", "python", "random"))
    yield from sorted(chapters)
    yield folder / "loops.cpp"
    yield from (folder / f"{program}.cpp" for program in PROGRAMS)


def compile_one(source, folder):
    target = folder / "objects" / (source.parent.name + "_" + source.stem + ".o")
    compiler = ([shutil.which("ccache")] if shutil.which("ccache") else []) + [os.environ.get("CXX", "g++")]
    command = compiler + ["-std=c++20", "-O0", "-w", "-ffp-contract=off", "-fno-pie", "-march=x86-64-v2",
                          "-DNUMJIT_ISA=v2", "-DNUMJIT_ISA_v2=1", "-DNUMJIT_HAVE_ISA_v2=1",
                          f"-I{folder}/src", f"-I{ROOT}/numpy_compat", "-c", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{source.name} does not compile with the new row:\n{done.stderr[:4000]}")
    return target


def build(folder):
    (folder / "objects").mkdir()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda s: compile_one(s, folder), sources(folder)))
    mains = dict(zip(PROGRAMS, objects[-len(PROGRAMS):]))
    shared = objects[:-len(PROGRAMS)]
    for program, main in mains.items():
        # What is never called here (BLAS, picture codecs, the recorder) is left undefined.
        subprocess.run([os.environ.get("CXX", "g++"), "-no-pie", str(main), *map(str, shared), "-o",
                        str(folder / program), "-lfmt", "-lpthread", "-ldl",
                        "-Wl,--unresolved-symbols=ignore-all"], check=True)


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          env={**os.environ, "NUMJIT_TARGET": "x86-64-v2"})
    if done.returncode:
        raise SystemExit(f"{command[0]}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expected(a, b):
    """The page's op in NumPy. A float16 row is evaluated in float32 and rounded once."""
    common = np.result_type(a, b)
    wide = np.float32 if common == np.float16 else common
    with np.errstate(all="ignore"):
        return np.square(np.subtract(a.astype(wide), b.astype(wide))).astype(common)


def compare_all_dtypes(folder):
    rng = np.random.default_rng(11)
    cases, arguments = [], []
    for n, (left, right) in enumerate(itertools.product(DTYPES, repeat=2)):
        def draw(dtype, shape):
            if np.dtype(dtype).kind in "iu":
                info = np.iinfo(dtype)
                return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
            parts = rng.standard_normal(shape) * 50
            if np.dtype(dtype).kind == "c":
                parts = parts + 1j * rng.standard_normal(shape)
            return parts.astype(dtype)
        shapes = [((7, 300), (7, 300)), ((3, 1), (1, 5)), ((), (4,)), ((0, 2), (2,))][n % 4]
        a, b = draw(left, shapes[0]), draw(right, shapes[1])
        files = [folder / f"{part}{n}.npy" for part in "abr"]
        np.save(files[0], a)
        np.save(files[1], b)
        cases.append((left, right, expected(a, b), files[2]))
        arguments += files
    run([folder / "on_files", *arguments])
    wrong = 0
    for left, right, want, file in cases:
        got = np.load(file)
        same = got.dtype == want.dtype and got.shape == want.shape
        if same and want.dtype.kind == "c":  # NumPy's vector code squares complex numbers with FMA
            same = np.all(np.abs(got - want) <= 4 * np.finfo(want.dtype).eps * np.abs(want))
        elif same:
            same = got.tobytes() == want.tobytes()
        if not same:
            wrong += 1
            if wrong > 5:
                continue
            print(f"{left} {right}: got {got.dtype}{got.shape}, NumPy {want.dtype}{want.shape}\n"
                  f"  numjit {got.ravel()[:4]}\n  NumPy  {want.ravel()[:4]}")
    print(f"{len(cases)} pairs of dtypes compared, {wrong} differ")
    return wrong


def compare_rolled(folder):
    """The structural op of every dtype and several shapes, of arrays in Fortran order where there are axes for it."""
    cases, arguments = [], []
    for n, (dtype, (shape, shift)) in enumerate(itertools.product(["bool", *DTYPES], [
            ((5,), 2), ((4, 3), -1), ((2, 3, 4), 9), ((3, 1), 1), ((0, 3), 1), ((3, 0), 2), ((1,), 0)])):
        a = (np.arange(math.prod(shape)) % 7).astype(dtype).reshape(shape)
        files = [folder / f"a{n}.npy", shift, folder / f"r{n}.npy"]
        np.save(files[0], a)
        cases.append((dtype, shape, shift, np.roll(a.T if a.ndim > 1 else a, shift, axis=-1), files[2]))
        arguments += files
    run([folder / "roll_files", *arguments])
    wrong = 0
    for dtype, shape, shift, want, file in cases:
        got = np.load(file)
        if got.dtype != want.dtype or got.shape != want.shape or got.tobytes() != want.tobytes():
            wrong += 1
            print(f"roll_rows of {dtype}{shape} by {shift}: got {got}, NumPy {want}")
    print(f"{len(cases)} arrays rolled, {wrong} differ")
    return wrong


def main():
    page = Page()
    output = page.outputs[0]
    # The same path every time, where there is a build folder: the compiler cache then helps.
    base = os.environ.get("NUMJIT_BUILD_DIR")
    folder = pathlib.Path(base, "adding_an_op") if base else pathlib.Path(tempfile.mkdtemp())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        make_tree(folder, page)
        build(folder)
        for program, says in zip(PROGRAMS, page.outputs):
            printed = run([folder / program])
            if printed != says:
                print(f"the page says\n{says}\nthe program prints\n{printed}")
                return 1
        a, b = np.array([1, 2, 3, 4]), np.array([[0.5], [10.0]])
        numpy_says = f"{expected(a, np.array(2))}\n{expected(a, b)}\n{expected(a, b).dtype}\n"
        if not output.startswith(numpy_says):
            print(f"the page says\n{output}\nNumPy says\n{numpy_says}")
            return 1
        return 1 if compare_all_dtypes(folder) + compare_rolled(folder) else 0
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())

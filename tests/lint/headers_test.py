"""The public header is clean under the warnings that users have on, with g++ and clang, in C++20 and C++23; templates included."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
PROGRAM = """
#include <numjit/np.h>

#include <numjit/image.h>

#include <tuple>
#include <vector>

namespace np = numjit;

int main() {
  np::array a{{1, 2, 3}, {4, 5, 6}};
  const np::array from_values(std::vector<double>{1, 2});
  auto [rows, columns] = np::mgrid(np::slice(0, 2), np::slice(0, 3));
  a(0, np::slice(1, np::none)) = 0;
  a(np::ellipsis, np::newaxis) += rows(np::_, np::_, np::newaxis);
  auto f = np::compile([](const np::array& x, double scale) { return np::sum(np::tanh(x) * scale, {.axis = 0}); }, {.name = "f"});
  const np::report_scope scope;
  const auto report = np::explain(f)(a, 2.0);
  auto loss = [](const np::array& x) { return np::sum(x * x); };
  const auto [value, slope] = np::value_and_grad(loss)(from_values);
  const auto h = np::hessian(loss)(from_values);
  const auto many = np::vmap([](const np::array& x) { return x * 2; })(a);
  auto custom = np::custom_vjp([](const np::array& x) { return np::exp(x); },
                               [](const np::array& x) { return std::tuple(np::exp(x), np::exp(x)); },
                               [](const np::array& kept, const np::array& g) { return std::tuple(g * kept); });
  const auto again = np::grad([&](const np::array& x) { return np::sum(custom(x)); })(from_values);
  for (auto row : a) a(0) += row;
  np::random::Generator rng = np::random::default_rng(1);
  return static_cast<int>(report.graphs.size()) + (a.dtype() == np::int64 ? 1 : 0) + (rng.random() < np::mean(many + again + h + slope) ? 1 : 0);
}
"""


def complaints(compiler, standard, program=PROGRAM):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.cpp")
        path.write_text(program)
        done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, "-Wno-missing-field-initializers", "-fsyntax-only", f"-I{ROOT}/src",
                               f"-I{ROOT}/numpy_compat", str(path)], capture_output=True, text=True)
        return done.stderr


class Headers(unittest.TestCase):
    def test_no_warnings(self):
        compilers = [name for name in ("g++", "clang++", "clang++-14") if shutil.which(name)]
        if not compilers:
            self.skipTest("there is no C++ compiler")
        for compiler in compilers:
            for standard in ("c++20", "c++2b"):
                with self.subTest(f"{compiler} {standard}"):
                    self.assertEqual(complaints(compiler, standard), "")

    def test_the_check_finds_faults(self):
        compiler = shutil.which("g++") or shutil.which("clang++") or shutil.which("clang++-14")
        if not compiler:
            self.skipTest("there is no C++ compiler")
        self.assertIn("shadow", complaints(compiler, "c++20", PROGRAM.replace("return static_cast<int>", "{ int a = 1; (void)a; }\n  return static_cast<int>")))


if __name__ == "__main__":
    unittest.main()

"""Writes the generated pages of docs/: breaks/NJ*.md from breaks.def, errors/*.md from errors.def, ops.md from
the op table, the table of cuda.md that says what runs where.

  ./dev python tests/docs/generate.py            writes them
  ./dev python tests/docs/generate.py --check    says which are stale
  ./dev python tests/docs/generate.py --accuracy measures all functions (some three hours of a core: all 2^32
                                                 float32 values are tried) and writes the table of docs/numerics.md. The
                                                 tests of tests/math hold every build to it.
"""
import os
import re
import sys
import tempfile
from pathlib import Path

from harness import BUILD, PROLOGUE, ROOT, compile_text, output_of, run

DOCS = ROOT / "docs"
FOLDERS = ("breaks", "errors")

# Statements that break, and the same without a break. generated_test.py runs them.
EXAMPLES = {
    "NJ0001": ("""auto f = np::compile([](const np::array& x) -> np::array {
  if (np::sum(x) > 0) return x * 2;        // bool() of an array
  return x - 1;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) {
  return np::where(np::sum(x) > 0, x * 2, x - 1);
});
f(np::arange(3));"""),
    "NJ0002": ("""auto f = np::compile([](const np::array& x) {
  double largest = np::max(x).item();      // the value is needed here
  return x / largest;
});
f(np::arange(1.0, 4));""", """auto f = np::compile([](const np::array& x) {
  return x / np::max(x);                   // a 0-D array will do
});
f(np::arange(1.0, 4));"""),
    "NJ0003": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  y.data<double>()[0] = 5;                 // memory is touched
  return y + 1;
});
f(np::arange(3.0));""", """auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  y(0) = 5;                                // a store is recorded
  return y + 1;
});
f(np::arange(3.0));"""),
    "NJ0004": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  std::cout << y << "\\n";
  return y + 1;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  std::cout << y.shape() << "\\n";          // shapes are known
  return y + 1;
});
f(np::arange(3));"""),
    "NJ0005": ("""auto f = np::compile([](const np::array& x) {
  np::array positive = x(x > 0);           // stays in the graph, as its sum would
  return np::sum(positive) / static_cast<double>(positive.size());
});
f(np::arange(3.0));""", """auto f = np::compile([](const np::array& x) {
  auto mask = x > 0;
  np::array positive = x(mask);
  return np::sum(positive) / np::count_nonzero(mask);
});
f(np::arange(3.0));"""),
    "NJ0006": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  np::save("y.npy", y);
  return y;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) { return x * 2; });
np::save("y.npy", f(np::arange(3)));"""),
    "NJ0007": ("""auto plain = np::disable([](const np::array& x) { return x + 1; });
auto f = np::compile([&](const np::array& x) { return plain(x * 2) * 3; });
f(np::arange(3));""", """auto plain = [](const np::array& x) { return x + 1; };
auto f = np::compile([&](const np::array& x) { return plain(x * 2) * 3; });
f(np::arange(3));"""),
    "NJ0008": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  np::graph_break("look here");
  return y + 1;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
f(np::arange(3));"""),
    "NJ0010": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  y.eval();
  return y + 1;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
f(np::arange(3));"""),
    "NJ0009": ("""np::disallow_in_graph("multiply");
auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
f(np::arange(3));
np::allow_in_graph("multiply");""", """auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
f(np::arange(3));"""),
    "NJ0011": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  np::device scope("cpu");                 // also if it is the device that is set already
  return y + 1;
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) { return x * 2 + 1; });
np::device scope("cpu");
f(np::arange(3));"""),
    "NJ0013": ("""np::config_scope limit({.graph_limit = 100});
auto f = np::compile([](np::array x, int steps) {
  for (int i = 0; i < steps; ++i) x = x + i;
  return x;
}, {.fullgraph = true});
try {
  f(np::arange(3), 200);
} catch (const np::GraphBreakError& e) {
  std::cout << e.what() << "\\n";
}""", """np::config_scope limit({.graph_limit = 100});
auto f = np::compile([](np::array x, int steps) {
  for (int i = 0; i < steps; ++i) x = x + i;
  return x;
});
f(np::arange(3), 200);"""),
    "NJ0014": ("""auto f = np::compile([](const np::array& x) {
  auto y = x * 2;
  np::errstate scope({.divide = "raise"});
  return 1 / (y + 1);
});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) { return 1 / (x * 2 + 1); });
f(np::arange(3));"""),
    "NJ0012": ("""auto f = np::compile([](const np::array& x) {
  return np::sum(np::power(x, x));         // of int64: a negative exponent is an error
});
f(np::arange(4));""", """auto f = np::compile([](const np::array& x) {
  return np::sum(np::power(x, x.astype(np::float64)));
});
f(np::arange(4));"""),
}


# Statements that throw the error, and what to write instead.
ERROR_EXAMPLES = {
    "TypeError": ("np::arange(3) & 1.5;", "std::cout << (np::arange(3) & 1);"),
    "ValueError": ("np::arange(3) + np::arange(4);", "std::cout << np::arange(3) + np::arange(4)(np::slice(0, 3));"),
    "IndexError": ("np::arange(3)(5);", "std::cout << np::arange(3)(-1);"),
    "AxisError": ("np::sum(np::ones({2, 2}), {.axis = 2});", "std::cout << np::sum(np::ones({2, 2}), {.axis = -1});"),
    "OverflowError": ("np::zeros(2, np::int8) + 300;", "std::cout << np::zeros(2, np::int8) + np::int16(300);"),
    "ZeroDivisionError": ("np::arange(0, 5, 0);", "std::cout << np::arange(0, 5, 2);"),
    "FloatingPointError": ("""np::errstate scope({.divide = "raise"});
np::array{1.0, 2.0} / 0.0;""", """np::errstate scope({.divide = "ignore"});
std::cout << np::array{1.0, 2.0} / 0.0;"""),
    "NotImplementedError": ("""np::array total = np::zeros(3);
auto f = [&](const np::array& x) { return total += x; };   // total is captured
np::export_function(f, {np::ones(3)}, "f.npj");""", """np::array total = np::zeros(3);
auto f = [](np::array total, const np::array& x) { return total += x; };
np::export_function(f, {total, np::ones(3)}, "f.npj");
std::cout << np::load_function("f.npj")(total, np::ones(3))[0];"""),
    "OSError": ("""np::load("nothing.npy");""", """np::save("something.npy", np::arange(3));
std::cout << np::load("something.npy");"""),
    "MemoryError": ("""np::config_scope scope({.memory_limit = 1 << 20});
np::zeros(1'000'000);""", """np::config_scope scope({.memory_limit = 1 << 20});
for (int part = 0; part < 10; ++part) std::cout << np::sum(np::zeros(100'000)) << " ";"""),
    "CompileError": ("""np::config_scope scope({.compile = np::compile_mode::sync, .suppress_errors = false});
np::detail::inject_fault("link");                            // as if the kernel could not be loaded
np::compile([](const np::array& x) { return x * 2 + 1; })(np::arange(3.0));""",
                     """np::config_scope scope({.compile = np::compile_mode::sync, .suppress_errors = false});
std::cout << np::compile([](const np::array& x) { return x * 2 + 1; })(np::arange(3.0));"""),
    "RecompileError": ("""auto f = np::compile([](const np::array& x) { return x * 2; });
f(np::arange(3));
np::stance_scope scope("fail_on_recompile");
f(np::arange(3.0));""", """auto f = np::compile([](const np::array& x) { return x * 2; });
f(np::arange(3));
f(np::arange(3.0));
np::stance_scope scope("fail_on_recompile");
std::cout << f(np::arange(3.0));"""),
    "DeviceError": ("""np::device scope("cuda:7");""", """np::device scope("cpu");
std::cout << np::arange(3);"""),
    "GraphBreakError": ("""auto f = np::compile([](const np::array& x) {
  return np::max(x).item() > 2 ? x * 2 : x;
}, {.fullgraph = true});
f(np::arange(3));""", """auto f = np::compile([](const np::array& x) {
  return np::where(np::max(x) > 2, x * 2, x);
}, {.fullgraph = true});
std::cout << f(np::arange(3));"""),
}


def rows_of(program: str) -> list[list[str]]:
    """The tab-separated lines that a program of tests/docs/programs prints."""
    with tempfile.TemporaryDirectory() as folder:
        compile_text((Path(__file__).parent / "programs" / f"{program}.cpp").read_text(), Path(folder) / program)
        return [line.split("\t") for line in run([Path(folder) / program]).splitlines()]


def break_pages() -> dict[str, str]:
    pages, index = {}, []
    for id, title, explanation, hint in rows_of("break_table"):
        text = explanation.replace("{}.", "...").replace("{}", "...")
        page = (f"# {id}: {title}\n\n<!-- Generated from src/numjit/trace/state/breaks.def by tests/docs/generate.py. -->\n\n"
                f"{text}\n\nThe compiled function's graph ends here: what is pending runs, the program gets its value, and "
                f"a new graph begins after it. Results are the same as without np::compile; only speed is lost.\n\n"
                f"**Hint.** {hint}\n\n")
        if id in EXAMPLES:
            wrong, right = EXAMPLES[id]
            page += f"This breaks:\n\n```cpp\n{wrong}\n```\n\nThis does not:\n\n```cpp\n{right}\n```\n\n"
        page += ("`np::explain(f)(arguments)` lists the breaks of a call with their lines and cost; "
                 "`np::compile(f, {.fullgraph = true})` makes a break an error.\n")
        pages[f"breaks/{id}.md"] = page
        index.append(f"| [{id}]({id}.md) | {title} | {text} |")
    pages["breaks/README.md"] = ("# Graph breaks\n\n<!-- Generated by tests/docs/generate.py. -->\n\n| | | |\n|---|---|---|\n" +
                                 "\n".join(index) + "\n")
    return pages


def error_programs(examples: dict[str, str]) -> dict[str, str]:
    """Class -> what running its statements prints: class and text of the error, or the output."""
    code = "#include <numjit/base/fault.h>\n" + PROLOGUE.split("int main()")[0]
    for name, statements in examples.items():
        code += f'static void {name}_program() {{\n#line 1 "example.cpp"\n{statements}\n}}\n'
    code += "int main() {\n"
    for name in examples:
        code += (f'  std::cout << "\\036{name}\\037";\n  try {{ {name}_program(); }}\n'
                 f'  catch (const np::{name}& e) {{ std::cout << "np::{name}: " << e.what(); }}\n'
                 '  catch (const np::error& e) { std::cout << "another error, " << e.code() << ": " << e.what(); }\n'
                 '  np::detail::inject_fault("");\n')
    printed = re.sub(r"numjit repro \S+", "numjit repro FILE.npj", output_of(code + "}\n"))
    return {name: text.strip("\n") for name, text in (part.split("\x1f") for part in printed.split("\x1e")[1:])}


def error_pages() -> dict[str, str]:
    rows, pages, index = rows_of("error_table"), {}, []
    texts = error_programs({name: wrong for name, (wrong, _) in ERROR_EXAMPLES.items()})
    for name, base, code, meaning, hint in rows:
        page = (f"# np::{name}\n\n<!-- Generated from src/numjit/base/errors.def by tests/docs/generate.py. -->\n\n"
                f"{meaning}\n\nDerives from `np::{base}`; `code()` is {code}.\n\n**Hint.** {hint}\n")
        if name in ERROR_EXAMPLES:
            wrong, right = ERROR_EXAMPLES[name]
            page += (f"\nThis throws it:\n\n```cpp\n{wrong}\n```\n\n```\n{texts[name]}\n```\n\n"
                     f"This does not:\n\n```cpp\n{right}\n```\n")
        pages[f"errors/{name}.md"] = page
        index.append(f"| [{name}]({name}.md) | {base} | {meaning} |")
    pages["errors/README.md"] = (
        "# Errors\n\n<!-- Generated by tests/docs/generate.py. -->\n\nAll derive from `np::error`: `what()` is "
        "\"[operation] what is wrong: got X, expected Y. Hint.\", with NumPy's own words first where NumPy has a "
        "text; `op()` is the operation, `code()` the class's name or the id of a graph break.\n\n"
        "| Class | Derives from | When |\n|---|---|---|\n" + "\n".join(index) + "\n")
    return pages


def example_outputs(examples: list[str]) -> list[str]:
    """What each example expression prints."""
    calls = "".join(f'std::cout << ({text}) << "\\x1f";\n' for text in examples)
    with tempfile.TemporaryDirectory() as folder:
        compile_text(PROLOGUE + calls + '} catch (const np::error& e) { std::cout << e.what(); return 1; }\n', Path(folder) / "p")
        return run([Path(folder) / "p"]).split("\x1f")[:-1]


def ops_page() -> str:
    rows = rows_of("op_table")
    with_example = [row for row in rows if row[5]]
    outputs = dict(zip((row[0] for row in with_example), example_outputs([row[5] for row in with_example])))
    text = ("# The op table\n\n<!-- Generated from the rows in src/numjit/ops/*.def by tests/docs/generate.py. -->\n\n"
            f"{len(rows)} rows. Everything else of the NumPy surface is composed of these ([numpy.md](numpy.md)). Dtypes are "
            "NumPy's letters, inputs before the colon: `?` bool, `b h i l` int8 to int64, `B H I L` uint8 to uint64, `e f d` "
            "float16 to float64, `F D` complex64 and complex128.\n")
    titles = {"ufunc": "Elementwise (ufuncs)", "reduction": "Reductions", "reduction to an index": "Reductions to an index",
              "scan": "Scans", "view": "Views", "creation": "Creation", "gather": "Gather and selection", "store": "Stores",
              "opaque": "Others"}
    for kind, title in titles.items():
        text += f"\n## {title}\n\n| Op | What it computes | Example | Prints | Dtypes |\n|---|---|---|---|---|\n"
        for name, row_kind, aliases, dtypes, doc, example in rows:
            if row_kind == kind:
                doc = doc.replace("|", "\\|")
                also = f" ({', '.join(f'`{a}`' for a in aliases.split())})" if aliases else ""
                shown = [f"`{x}`" if x else "" for x in (example, outputs.get(name, "").replace("\n", " "), dtypes)]
                text += f"| `{name}`{also} | {doc} | {' | '.join(shown)} |\n"
    return text


DEVICE_MARKS = ("<!-- what runs where: generated by tests/docs/generate.py -->\n", "<!-- end of what runs where -->")
DEVICE_TITLES = {
    "kernel": "kernels, fused with their neighbours: one thread an element, or of many a thread for several; reductions by 32 threads a row "
              "(of at most 32 elements: by one), or 32 by 32 for 32 columns, in chunks of 1024",
    "step": "kernels of their own, with nothing of it on the host but lengths that depend on data and the state of random generators (draws: "
            "uniform numbers and integers of Philox, others with a note)",
    "library": "a library of the device's maker (cuBLAS for products of floats; among the routines cuFFT for the transforms, cuSOLVER for "
               "`solve`, `inv`, `det`, `cholesky`, `qr`, `eig`, `eigh`, `svd`, `lstsq` and what is made of them), else the host with a note; kernels for products of "
               "integers and vectors",
    "view": "nothing is computed",
    "host": "the host, with a note",
}


def device_table() -> str:
    """What the library says of each operation, by the table's order."""
    ops = {form: [] for form in DEVICE_TITLES}
    for name, form in rows_of("device_table"):
        ops[form].append(f"`{name}`")
    text = "| On a device | Operations of the [op table](ops.md) |\n|---|---|\n"
    return text + "".join(f"| {title} | {' '.join(ops[form])} |\n" for form, title in DEVICE_TITLES.items())


SETTING_MARKS = ("<!-- settings: generated from src/numjit/base/config.def by tests/docs/generate.py -->\n", "<!-- end of settings -->")
DEFAULTS = {"default_cache_dir()": "`~/.cache/numjit`", "config_word{1} << 30": "1 GiB",
            "physical_memory() / 5 * 4": "80% of RAM", "physical_memory() / 5 * 2": "40% of RAM", '"cpu"': "`cpu`"}


def settings_table() -> str:
    """A line for each row of config.def: the comment above a row says what it sets."""
    text, said = "| Field | Default | |\n|---|---|---|\n", []
    for line in (ROOT / "src/numjit/base/config.def").read_text().split("//   expected")[1].splitlines()[1:]:
        row = re.match(r"SETTING\((\w+), [\w:]+, (\w+), [^,]+, [^,]+, (.*), (?:\"[^\"]*\"|\w+)\)$", line)
        if row:
            name, kind, initial = row.groups()
            value = f"`{initial.split('::')[-1]}`" if kind == "choice" else DEFAULTS.get(initial, initial)
            text += f"| `{name}` | {value} | {' '.join(said)} |\n"
        said = [*said, line[3:]] if line.startswith("// ") and not row else []
    return text


def between(page: str, marks: tuple[str, str], text: str) -> str:
    """A page with the text between its marks as it has to be."""
    head, rest = (DOCS / page).read_text().split(marks[0])
    return head + marks[0] + text + marks[1] + rest.split(marks[1])[1]


def pages() -> dict[str, str]:
    return {**break_pages(), **error_pages(), "ops.md": ops_page(), "cuda.md": between("cuda.md", DEVICE_MARKS, device_table()),
            "compile.md": between("compile.md", SETTING_MARKS, settings_table())}


def stale(wanted: dict[str, str]) -> list[str]:
    """Pages that differ from the files, and files that no row stands behind."""
    wrong = [name for name, text in wanted.items()
             if not (DOCS / name).exists() or (DOCS / name).read_text() != text]
    for folder in FOLDERS:
        wrong += [f"{folder}/{p.name}" for p in (DOCS / folder).glob("*.md") if f"{folder}/{p.name}" not in wanted]
    return wrong


def accuracy_table(figures: str) -> str:
    """The table from what test_math writes: function, type, ULP, inputs, place."""
    rows = [line.split("\t") for line in figures.splitlines()]
    order = ("float64", "float32", "float16", "complex128", "complex64")
    text = "| Function | Type | Largest error (ULP) | Inputs | Where |\n|---|---|---|---|---|\n"
    for name, kind, ulps, inputs, where in sorted(rows, key=lambda row: order.index(row[1])):
        count = "all 2^32" if int(inputs) == 1 << 32 else "all 65,536" if kind == "float16" else f"{int(inputs):,}"
        text += f"| `{name}` | {kind} | {abs(float(ulps)):.3f} | {count} | {where} |\n"
    return text


def write_accuracy(figures: str) -> None:
    """Puts the table between its marks in docs/numerics.md."""
    page = (DOCS / "numerics.md").read_text()
    start, end = "<!-- accuracy: generated by tests/docs/generate.py --accuracy -->\n", "<!-- end of accuracy -->"
    head, rest = page.split(start)
    (DOCS / "numerics.md").write_text(head + start + accuracy_table(figures) + end + rest.split(end)[1])


def measure_accuracy() -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures"
        run([BUILD / "bin/tests/test_math", "--gtest_filter=Accuracy.*:ComplexAccuracy.*:Exhaustive.*"],
            env={**os.environ, "NUMJIT_ACCURACY": str(figures)}, timeout=None)
        write_accuracy(figures.read_text())
    return 0


def main() -> int:
    if "--accuracy" in sys.argv:
        return measure_accuracy()
    wanted = pages()
    if "--check" in sys.argv:
        wrong = stale(wanted)
        print("\n".join(f"docs/{name} is stale: ./dev python tests/docs/generate.py writes it" for name in wrong))
        return 1 if wrong else 0
    for folder in FOLDERS:
        (DOCS / folder).mkdir(exist_ok=True)
    for name, text in wanted.items():
        (DOCS / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

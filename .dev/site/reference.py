"""The reference of all three languages, from what the code itself says.

C++: the comments `///` of the public headers over the declarations that follow them. Python: the module's names, signatures and
docstrings. JavaScript: the package's types, with the sentences that the rows and Python have for the same names.
"""
import importlib
import inspect
import re
import textwrap
from pathlib import Path

import numjit as np
from pages import ROOT, toctree

CPP_HEADERS = {
    "Arrays and NumPy's functions": ["src/numjit/array/array.h", *sorted(
        f"numpy_compat/numjit/{path.name}" for path in (ROOT / "numpy_compat" / "numjit").glob("np_*.h"))],
    "Compiled functions": ["src/numjit/base/config.h",
                           *(f"src/numjit/trace/api/{name}.h" for name in ("api", "explain", "steering", "errstate", "profiler")),
                           "src/numjit/trace/export/export.h"],
    "Derivatives and batches": [f"src/numjit/transform/{name}.h"
                                for name in ("api", "tree", "custom", "vmap", "checkpoint", "check_grads")],
    "Others": [f"numpy_compat/numjit/{name}.h" for name in ("polynomial", "image", "interop", "dlpack", "eigen", "xtensor", "map")],
}
PYTHON_MODULES = ("", "emath", "fft", "lib", "linalg", "polynomial", "random", "special", "testing", "tree")


def as_markdown(text: str, language: str) -> str:
    """Prose of comments and docstrings; what is indented in it is code, and what Markdown would read as marks is none."""
    parts, code = [], []
    for line in [*text.splitlines(), ""]:
        if line.strip() and (line.startswith(("  ", ">>>")) or code and code[0].startswith(">>>")):
            code.append(line)
            continue
        if code:
            parts += ["", f"```{language}", inspect.cleandoc("\n" + "\n".join(code)), "```", ""]
            code = []
        quoted = re.split(r"(`[^`]*`)", line)
        parts.append("".join(part if at % 2 else re.sub(r"([<>*_|\[\]])", r"\\\1", part) for at, part in enumerate(quoted)))
    return "\n".join(parts).strip()


# --- C++ ------------------------------------------------------------------------------------------

def without_bodies(text: str) -> str:
    """Declarations only: what is in the braces of functions is left out, what is in those of namespaces and classes stays."""
    text, out, at = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE), [], 0
    while (brace := text.find("{", at)) >= 0:
        statement = re.split(r"[;{}]", re.sub(r"//.*", "", text[at:brace]))[-1]
        end, depth = brace + 1, 1
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if re.search(r"\b(namespace|class|struct|union)\b[^()=]*$", statement) or statement.count("(") > statement.count(")"):
            out.append(text[at:brace + 1])
            at = brace + 1
        elif ")" in statement and "=" not in statement.rpartition(")")[2]:
            out.append(re.sub(r"\)\s*:[^:(]*\(.*$", ")", text[at:brace].rstrip(), flags=re.DOTALL) + ";")
            at = end
        else:
            out.append(text[at:end])
            at = end
    return "".join([*out, text[at:]])


class Chunks:
    """(comment, declarations) of a header: each comment `///` with what stands below it up to an empty line or the next one."""

    def __init__(self, text: str):
        self.found, self.comment, self.code = [], [], []
        until = None  # the line that ends what is not for users
        for line in without_bodies(text).splitlines():
            if until:
                until = None if re.match(until, line) else until
            elif re.match(r"namespace (detail|tracing)\b", line):
                until = r"\}.*namespace"
            elif line.strip() == "private:":
                until = re.escape(line[:line.index("private:")].removesuffix(" ")) + r"\};"
            else:
                self.take(line)
        self.flush()

    def take(self, line: str) -> None:
        found = re.match(r"\s*/// ?(.*)", line)
        if found:
            if self.code:
                self.flush()
            self.comment.append(found.group(1))
        elif line.strip() in ("", "public:") or re.match(r"\}.*namespace|namespace", line):
            self.flush()
        elif self.comment:
            self.code.append(line)

    def flush(self) -> None:
        code = textwrap.dedent("\n".join(self.code))
        if self.comment and code.strip(" };"):
            open_ones = code.count("{") - code.count("}")
            self.found.append(("\n".join(self.comment), code + "\n  ...\n};" if open_ones > 0 else code))
        self.comment.clear(), self.code.clear()


def cpp_pages() -> dict[str, str]:
    made, index = {}, "# C++\n\n`#include <numjit/np.h>` has all but the last part. Elementwise functions stand in [the op table](../ops.md).\n"
    for part, headers in CPP_HEADERS.items():
        entries = []
        index += f"\n## {part}\n\n"
        for header in headers:
            text, name = (ROOT / header).read_text(), header.split("/", 1)[1]
            page = Path(header).relative_to(*Path(header).parts[:2]).with_suffix("").as_posix().replace("/", "_")
            about = re.match(r"// (.*(?:\n// ?.*)*)", text).group(1).replace("\n// ", "\n").split("\n\n")[0].split("\n//\n")[0]
            first = " ".join(line.strip() for line in about.splitlines() if not line.startswith("  "))
            body = "\n".join(f"```cpp\n{code}\n```\n\n{as_markdown(comment, 'cpp')}\n" for comment, code in Chunks(text).found)
            if not body:
                continue
            made[f"reference/cpp/{page}.md"] = f"# &lt;{name}&gt;\n\n{as_markdown(first, 'cpp')}\n\n{body}"
            index += f"- [`<{name}>`](cpp/{page}.md): {as_markdown(first, 'cpp')}\n"
            entries.append(f"cpp/{page}")
        index += toctree(entries)
    return {**made, "reference/cpp.md": index}


# --- Python ---------------------------------------------------------------------------------------

def signature(thing: object) -> str:
    try:
        text = str(inspect.signature(thing))
    except (ValueError, TypeError):
        return "(...)" if callable(thing) else ""
    return re.sub(r"<[^>]*>", "...", text).replace(" -> ...", "")


def docstring(thing: object) -> str:
    """Without the line that repeats the signature."""
    text, name = inspect.getdoc(thing) or "", getattr(thing, "__name__", None)
    return text.partition("\n\n")[2] if name and text.startswith(f"{name}(") and "\n\n" in text else text


def entry(kind: str, name: str, thing: object) -> str:
    after = signature(thing) if kind != "data" else "\n:noindex:"
    return f"`````{{py:{kind}}} {name}{after}\n\n{as_markdown(docstring(thing), 'python')}\n`````\n"


def kind_of(thing: object) -> str:
    return "class" if inspect.isclass(thing) else "function" if callable(thing) else "data"


def python_module(name: str) -> str:
    module = importlib.import_module(f"numjit.{name}") if name else np
    full = f"numjit.{name}" if name else "numjit"
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    things = {n: getattr(module, n) for n in sorted(names, key=str.lower)}
    things = {n: thing for n, thing in things.items() if not inspect.ismodule(thing)}
    text = f"# {full}\n\n{as_markdown(docstring(module), 'python')}\n"
    for kind, title in (("function", "Functions"), ("class", "Classes"), ("data", "Values")):
        found = {n: thing for n, thing in things.items() if kind_of(thing) == kind}
        if found:
            text += f"\n## {title}\n\n" + "\n".join(entry(kind, f"{full}.{n}", thing) for n, thing in found.items())
    return text


def array_methods() -> str:
    text = "# Methods of arrays\n\nThose of `numjit.ndarray`.\n\n"
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        thing = inspect.getattr_static(np.ndarray, name)
        kind = "method" if callable(getattr(np.ndarray, name)) else "attribute"
        shown = signature(getattr(np.ndarray, name)) if kind == "method" else ""
        text += f"`````{{py:{kind}}} numjit.ndarray.{name}{shown}\n\n{as_markdown(docstring(thing), 'python')}\n`````\n\n"
    return text


def python_pages() -> dict[str, str]:
    made = {f"reference/python/{name or 'numjit'}.md": python_module(name) for name in PYTHON_MODULES}
    made["reference/python/ndarray.md"] = array_methods()
    index = "# Python\n\n`import numjit as np`. What differs from NumPy is said in [numjit in Python](../python.md).\n\n"
    names = ["numjit", "ndarray", *(name for name in PYTHON_MODULES if name)]
    index += "".join(f"- [{'numjit' if name == 'numjit' else f'numjit.{name}'}](python/{name}.md)\n" for name in names)
    return {**made, "reference/python.md": index + toctree([f"python/{name}" for name in names])}


# --- JavaScript -----------------------------------------------------------------------------------

def sentence(name: str) -> str:
    thing = getattr(np, re.sub(r"([A-Z])", lambda found: "_" + found.group(1).lower(), name).rstrip("_"), None)
    return docstring(thing).partition("\n\n")[0] if callable(thing) else ""


def javascript_pages(package: Path | None) -> dict[str, str]:
    if package is None:
        return {}
    text = (package / "numjit.d.ts").read_text()
    made = "# JavaScript\n\n`import { load } from './numjit.js'`, `const np = await load()`. Types as `numjit.d.ts` has them.\n"
    for found in re.finditer(r"^export (?:declare )?(?:interface|class) (\w+)[^{\n]*\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        lines = []
        for line in found.group(2).splitlines():
            named = re.match(r"  (?:readonly )?(\w+)", line)
            said = sentence(named.group(1)) if named and not (lines and "*/" in lines[-1]) else ""
            lines += [f"/** {said} */"] * bool(said) + [line[2:]]
        made += f"\n## {found.group(1)}\n\n```ts\n" + "\n".join(lines) + "\n```\n"
    return {"reference/javascript.md": made}


def pages(package: Path | None) -> dict[str, str]:
    return {**cpp_pages(), **python_pages(), **javascript_pages(package)}

"""The pages of docs/ as sources of the site: where each stands, links to what is no page, the same program in tabs."""
import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BESIDE = {"CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}  # pages that lie beside docs/, and where the site has them

# The site's order. A part lists pages, or those that a pattern finds.
PARTS = {
    "Start": ["tutorials/arrays", "tutorials/compile", "tutorials/derivatives", "gallery/index", "demos"],
    "Languages": ["install", "numpy", "python", "wasm"],
    "Compiled functions": ["compile", "explain", "transforms", "random", "numerics", "debugging"],
    "Where it runs": ["interop", "export", "batch", "distributed", "scaling", "cuda"],
    "Reference": ["reference/cpp", "reference/python", "reference/javascript", "ops", "numpy_coverage", "breaks/README", "errors/README"],
    "Figures": ["performance", "wasm_bench"],
    "Inside": ["contributing", "architecture", "adding_an_op", "adding_a_function", "changes"],
}
UNDER = {"breaks/README.md": "NJ*", "errors/README.md": "*Error"}  # pages that hang below one
LANGUAGES = {"cpp": "C++", "python": "Python", "js": "JavaScript"}

FENCE = re.compile(r"^(`{3,})([^\n]*)\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[[^\]\n]*\])\(([^)\s]+)\)")


def tab(language: str, body: str, first: bool) -> str:
    return f"````{{tab}} {LANGUAGES[language]}\n{':new-set:' + chr(10) if first else ''}\n{body}\n````"


def side_by_side(programs: list[tuple[str, str]]) -> str:
    """Tabs, if these are programs in different languages; else one below the other."""
    if len({language for language, _ in programs}) < max(2, len(programs)):
        return "\n\n".join(body for _, body in programs)
    return "\n\n".join(tab(language, body, first=at == 0) for at, (language, body) in enumerate(programs))


def tabs(text: str) -> str:
    """A page in which programs in several languages that follow each other, each with what it prints, stand side by side."""
    out, programs, at = [], [], 0
    for fence in FENCE.finditer(text):
        between, language, body = text[at:fence.start()], fence.group(2).strip(), fence.group(0)
        if programs and not between.strip() and language == "output":
            programs[-1] = (programs[-1][0], f"{programs[-1][1]}\n\n{body}")
        elif programs and not between.strip() and language in LANGUAGES:
            programs.append((language, body))
        else:
            out += [side_by_side(programs), between]
            programs = [(language, body)] if language in LANGUAGES else []
            out += [] if programs else [body]
        at = fence.end()
    return "".join([*out, side_by_side(programs), text[at:]])


def gallery_name(path: Path) -> str:
    """The page of a program; some folders have programs of the names of others."""
    folder = path.parent.name
    return f"{folder}_{path.stem}" if folder in ("numbers", "ranks") else path.stem


class Links:
    """Rewrites links of a page; files that are no pages are put beside the pages."""

    def __init__(self, source: Path, made: dict[str, str]):
        self.source, self.made = source, made

    def target(self, path: Path) -> str | None:
        """Where the site has a file of the tree, from its root; None: it is a folder, or does not exist."""
        relative = path.relative_to(ROOT).as_posix()
        if relative in BESIDE:
            return BESIDE[relative]
        if relative in ("README.md", "docs/index.md"):
            return "index.md"
        page = f"gallery/{gallery_name(path)}.md"
        if path.suffix in (".cpp", ".py") and page in self.made and path.is_relative_to(DOCS):
            return page
        if path == DOCS / "examples" or path.name == "README.md" and path.is_relative_to(DOCS / "programs"):
            return "gallery/index.md"
        if path.suffix == ".md" and path.is_relative_to(DOCS):
            return path.relative_to(DOCS).as_posix()
        if (path / "README.md").is_file() and path.is_relative_to(DOCS):
            return self.target(path / "README.md")
        if not path.is_file():
            return None
        copy = self.source / "files" / relative
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
        return f"files/{relative}"

    def rewritten(self, text: str, folder: Path, page: str) -> str:
        """`folder` is where the page lies in the tree, `page` its name in the site."""
        def link(found: re.Match) -> str:
            words, address = found.groups()
            path, hash_, anchor = address.partition("#")
            if not path or re.match(r"[a-z]+:", path):
                return found.group(0)
            target = self.target(Path(os.path.normpath(folder / path)))
            if target is None:
                return f"`{words.strip('![]`')}`"
            return f"{words}({os.path.relpath(target, Path(page).parent)}{hash_}{anchor})"
        parts, at = [], 0
        for fence in FENCE.finditer(text):
            parts += [LINK.sub(link, text[at:fence.start()]), fence.group(0)]
            at = fence.end()
        return "".join([*parts, LINK.sub(link, text[at:])])


def toctree(entries: list[str], caption: str = "", glob: bool = False) -> str:
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "") + (":glob:\n" if glob else "")
    return f"\n```{{toctree}}\n{options}\n" + "\n".join(entries) + "\n```\n"


def write(source: Path, made: dict[str, str]) -> None:
    """All pages: those of the tree, and those `made` from its contents by name."""
    links = Links(source, made)
    ours = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")
            if path.relative_to(DOCS).parts[0] not in ("programs", "examples", "pictures")}
    ours |= {name: ROOT / beside for beside, name in BESIDE.items()}
    texts = {page: tabs(links.rewritten(path.read_text(), path.parent, page)) for page, path in ours.items()} | made
    for page, pattern in UNDER.items():
        texts[page] += toctree([pattern], glob=True)
    for part, entries in PARTS.items():
        there = [entry for entry in entries if f"{entry}.md" in texts]
        texts["index.md"] += toctree(there, part)
    for page in [path for path in source.rglob("*.md") if path.relative_to(source).as_posix() not in texts]:
        page.unlink()
    for page, text in texts.items():
        path = source / page
        if not path.exists() or path.read_text() != text:  # what is unchanged is not read again
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

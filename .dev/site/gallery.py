"""The gallery: a page for each program and example, with its source in every language it is written in and what it gives."""
import ast
import html
import re
from pathlib import Path

import pictures
from pages import DOCS, gallery_name, side_by_side, toctree

EXPECTED = DOCS.parent / "tests" / "docs" / "expected"
FOLDERS = {"programs": "Known numeric programs", "programs/gradients": "Programs that differentiate"}
WITHOUT_PICTURES = {"programs/numbers": "Functions of numbers", "programs/ranks": "Programs of several ranks"}


def sources(program: Path) -> str:
    """The program in tabs, Python first."""
    there = [(language, path) for language, path in (("python", program), ("cpp", program.with_suffix(".cpp"))) if path.exists()]
    return side_by_side([(language, f"```{language}\n{path.read_text()}```") for language, path in there])


def first_sentences(source: Path) -> str:
    """What a file opens with: Python's docstring, or the comment on top."""
    if source.suffix == ".py":
        return ast.get_docstring(ast.parse(source.read_text()))
    lines = source.read_text().splitlines()
    return " ".join(line.removeprefix("//").strip() for line in lines[:next(i for i, line in enumerate(lines) if line[:2] != "//")])


def card(name: str, title: str, about: str, picture: str | None) -> str:
    shown = f'<img src="../_images/{picture}" alt="" loading="lazy">' if picture else ""
    return f'<li><a href="{name}.html">{shown}<b>{html.escape(title)}</b><span>{html.escape(about)}</span></a></li>'


def title_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


def program_pages(folder: str, source: Path) -> dict[str, tuple[str, str]]:
    """Name -> what it does, and its page; the pictures are drawn, into the folder `images`, and reports written, into `reports`."""
    made = {}
    for program in sorted((DOCS / folder).glob("*.py")):
        if "\ndef inputs(" not in program.read_text():
            continue
        about, name = first_sentences(program), program.stem
        pictures.draw(program, source / "images" / f"{name}.png", source / "reports" / f"{name}.html")
        made[name] = about, (f"# {title_of(name)}\n\n{about}\n\n![What {name} found](../images/{name}.png)\n\n"
                             f'<a href="../reports/{name}.html">What compile made of it</a>: graphs, kernels, breaks and a timeline.\n\n'
                             f"{sources(program)}\n")
    return made


def example_pages() -> dict[str, tuple[str, str]]:
    """The programs of docs/examples, with what they print."""
    made = {}
    for example in sorted((DOCS / "examples").glob("*.cpp")):
        about = first_sentences(example)
        printed = (EXPECTED / f"{example.stem}.txt").read_text()
        made[f"example_{example.stem}"] = about, (
            f"# {title_of(example.stem)}\n\n{about} `./dev run {example.stem}` runs it; it prints, up to times:\n\n"
            f"```output\n{printed}```\n\n```cpp\n{example.read_text()}```\n")
    return made


def listing_pages(folder: str) -> dict[str, tuple[str, str]]:
    """Programs of a folder, with their sources alone."""
    return {gallery_name(path): (first_sentences(path), f"# {title_of(path.stem)}\n\n{first_sentences(path)}\n\n{sources(path)}\n")
            for path in sorted((DOCS / folder).glob("*.py"))}


def helper_pages() -> dict[str, str]:
    """Files beside programs that others use."""
    return {f"gallery/{path.stem}.md": f"---\norphan: true\n---\n\n# {title_of(path.stem)}\n\n{first_sentences(path)}\n\n"
                                       f"```python\n{path.read_text()}```\n"
            for folder in FOLDERS for path in (DOCS / folder).glob("*.py") if "\ndef inputs(" not in path.read_text()}


def pages(source: Path) -> dict[str, str]:
    """All pages by name."""
    for folder in ("images", "reports"):
        (source / folder).mkdir(parents=True, exist_ok=True)
    index, made = "# Gallery\n\nWhat the programs of `docs/programs` and `docs/examples` found when this page was made.\n", helper_pages()
    for folder, title in FOLDERS.items():
        found = program_pages(folder, source)
        index += f"\n## {title}\n\n" + cards(found, pictured=True)
        made |= {f"gallery/{name}.md": text for name, (_, text) in found.items()}
    for folder, title in WITHOUT_PICTURES.items():
        found = listing_pages(folder)
        index += f"\n## {title}\n\n" + cards(found, pictured=False)
        made |= {f"gallery/{name}.md": text for name, (_, text) in found.items()}
    found = example_pages()
    index += "\n## Examples in C++\n\n" + cards(found, pictured=False)
    made |= {f"gallery/{name}.md": text for name, (_, text) in found.items()}
    return {**made, "gallery/index.md": index + toctree(["*"], glob=True)}


def cards(found: dict[str, tuple[str, str]], pictured: bool) -> str:
    rows = [card(name, title_of(re.sub("^(example|numbers|ranks)_", "", name)), about, f"{name}.png" if pictured else None)
            for name, (about, _) in found.items()]
    return '<ul class="gallery">\n' + "\n".join(rows) + "\n</ul>\n"

"""The checks of the lint tests, as functions from a tree to a list of complaints `file:line: what`.

They read text only and take any root, so that lint_selftest_test.py can feed them a tree with faults in it.
"""
import re
import subprocess
from pathlib import Path

# Layers in data-flow order, each with the layers whose headers it may include (itself always).
BELOW_GRAPH = ["base", "array", "ops"]
ARROWS = {
    "base": [],
    "array": ["base"],
    "ops": ["base", "array"],
    "graph": BELOW_GRAPH,
    "eager": BELOW_GRAPH + ["graph"],
    "transform": BELOW_GRAPH + ["graph"],
    "device": ["base", "array"],
    "runtime": BELOW_GRAPH + ["graph", "device"],
    "distributed": BELOW_GRAPH + ["graph", "eager", "runtime"],
    "mpi": ["distributed"],
    "trace": BELOW_GRAPH + ["graph", "eager", "transform", "device", "runtime"],
    "numpy_compat": BELOW_GRAPH + ["graph", "eager", "transform", "device", "runtime", "distributed", "trace"],
    "halide_gen": BELOW_GRAPH + ["graph", "runtime"],
}
ARROWS["map"] = ARROWS["python"] = ARROWS["wasm"] = ARROWS["numpy_compat"] + ["numpy_compat"]
ARROWS["cli"] = ARROWS["map"] + ["map"]

# Rooms of a layer that has some, each with the rooms of the layer that it may include (itself always).
UNDER_PLAN = ["kernels", "launch"]
ROOMS = {
    "runtime": {
        "kernels": [],
        "bundle": ["kernels"],
        "launch": ["kernels"],
        "plan": UNDER_PLAN,
        "nest": UNDER_PLAN + ["plan"],
        "gpu": UNDER_PLAN + ["plan"],
        "repro": UNDER_PLAN + ["plan"],
        "exec": UNDER_PLAN + ["plan", "nest", "gpu", "repro"],
    },
    "trace": {
        "state": [],
        "record": ["state"],
        "api": ["state", "record"],
        "export": ["state", "record", "api"],
    },
}

CODE = {".h", ".cpp", ".c", ".def", ".inc"}
OPENED_BY_COMMENT = CODE | {".py", ".sh", ".cmake", ".js", ".ts"}
TABLES = {".def", ".inc"}
GENERATED = re.compile(r"(^|/)(golden|goldens|data|generated)/")
MAX_LINES = 700
MAX_WIDTH = 130  # of .clang-format
HEAVY = re.compile(r"^(iostream|regex|Halide\w*\.h|(xtensor|xtl|fmt|nlohmann)/.*)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def tracked_files(root: Path) -> list[Path]:
    """Files that git has or would take; without git, all but what ./dev makes."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             cwd=root, capture_output=True, text=True)
    top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=root, capture_output=True, text=True)
    if listing.returncode == 0 and Path(top.stdout.strip() or "/") == root.resolve():
        names = [name for name in listing.stdout.split("\0") if name]
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*")
                 if p.relative_to(root).parts[0] not in ("build", ".venv", ".git", ".cache")
                 and "__pycache__" not in p.parts]
    return sorted(root / name for name in set(names) if (root / name).is_file())


def read_lines(path: Path) -> list[str]:
    """Lines of a text file; none for a binary one."""
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        return []
    return data.decode("utf-8", errors="replace").splitlines()


def layer_of(relative: Path) -> str | None:
    """The layer a source file belongs to, or None for files outside the layers (tests, docs)."""
    parts = relative.parts
    if parts[:2] == ("src", "numjit"):
        return parts[2]
    if parts[0] == "numpy_compat":
        return "python" if parts[1] == "python" else "numpy_compat"
    return parts[0] if parts[0] in ("halide_gen", "wasm") else None


def room_of(relative: Path) -> str:
    """The room of its layer a file of src/numjit lies in: "" for a file beside the rooms."""
    return relative.parts[3] if len(relative.parts) > 4 else ""


def resolve(root: Path, source: Path, quote: str, name: str) -> Path | None:
    """The project file that an include names, or None for a system header."""
    folders = [source.parent] if quote == '"' else []
    for folder in folders + [root / "src", root / "numpy_compat", root / "halide_gen"]:
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(root.resolve())
    return None


def includes(path: Path):
    for number, line in enumerate(read_lines(path), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def check_arrows(root: Path, files: list[Path]) -> list[str]:
    """Each #include follows the arrows; only halide_gen sees Halide; project headers are <numjit/...>."""
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        layer = layer_of(relative)
        if path.suffix not in CODE or layer is None:
            continue
        if layer not in ARROWS:
            complaints.append(f"{relative}:1: folder {layer} is no layer, expected one of {', '.join(ARROWS)}")
            continue
        rooms = ROOMS.get(layer)
        room = room_of(relative)
        if rooms and room not in rooms:
            complaints.append(f"{relative}:1: {room or 'the folder itself'} is no room of {layer}, expected one of {', '.join(rooms)}")
            continue
        for number, quote, name in includes(path):
            target = resolve(root, path, quote, name)
            if target is None:
                if name.startswith("numjit/"):
                    complaints.append(f"{relative}:{number}: <{name}> does not exist")
                elif name.startswith("Halide") and layer != "halide_gen":
                    complaints.append(f"{relative}:{number}: {layer} includes {name}: only halide_gen may")
                continue
            target_layer = layer_of(target)
            if target_layer not in ARROWS[layer] + [layer]:
                complaints.append(f"{relative}:{number}: {layer} includes {target_layer} ({name}), against the arrows")
            elif rooms and target_layer == layer and room_of(target) not in [room, *rooms[room]]:
                complaints.append(f"{relative}:{number}: {layer}/{room} includes {layer}/{room_of(target)} ({name}), against the arrows")
            elif quote == '"' and (root / target).parent != path.parent:
                complaints.append(f'{relative}:{number}: "{name}" lies in another folder: write <numjit/...>')
    return complaints


def check_public_headers(root: Path, files: list[Path]) -> list[str]:
    """What a user includes stays light: followed through all project headers, nothing heavy is reached."""
    complaints = []
    public = [p for p in files if p.suffix == ".h" and p.relative_to(root).parts[:2] == ("numpy_compat", "numjit")]
    public = [p for p in public if p.name != "xtensor.h"]  # who includes it asks for xtensor
    for header in public:
        seen, todo = set(), [(header, [])]
        while todo:
            path, trail = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            here = trail + [str(path.relative_to(root))]
            for number, quote, name in includes(path):
                target = resolve(root, path, quote, name)
                if target is not None:
                    todo.append((root / target, here))
                elif HEAVY.match(name):
                    complaints.append(f"{here[-1]}:{number}: <{name}> reaches users: " + " -> ".join(here))
    return sorted(set(complaints))


def check_opening_comment(root: Path, files: list[Path]) -> list[str]:
    """A file opens with one line that says what lives here."""
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        if path.suffix not in OPENED_BY_COMMENT or GENERATED.search(relative.as_posix()):
            continue
        lines = read_lines(path)
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        starts = ("#", '"""', "// EXPECT:") if path.suffix in (".py", ".sh", ".cmake") else ("//", "/*")
        if not lines or not lines[0].startswith(starts) or lines[0].startswith("#include"):
            complaints.append(f"{relative}:1: the file does not open with a line that says what lives here")
    return complaints


def check_length(root: Path, files: list[Path]) -> list[str]:
    """Files stay short enough to be read, tables of rows and generated ones aside."""
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        known = path.suffix in OPENED_BY_COMMENT - TABLES or path.name == "CMakeLists.txt"
        if known and not GENERATED.search(relative.as_posix()):
            count = len(read_lines(path))
            if count > MAX_LINES:
                complaints.append(f"{relative}:{count}: {count} lines, at most {MAX_LINES}")
    return complaints


def check_width(root: Path, files: list[Path]) -> list[str]:
    """Lines of C++ are as wide as the formatter leaves them, tables aligned by hand aside."""
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        if path.suffix not in CODE - TABLES or GENERATED.search(relative.as_posix()):
            continue
        formatted = True
        for number, line in enumerate(read_lines(path), 1):
            if "// clang-format o" in line:
                formatted = "// clang-format off" not in line
            elif formatted and len(line) > MAX_WIDTH:
                complaints.append(f"{relative}:{number}: {len(line)} columns, at most {MAX_WIDTH}: ./dev format")
    return complaints


# Words of our own where the field has its: what is written instead.
WORDS = {"dear(er|est)?": "costly", "seldom": "rarely", "strain(s|ed|ing)?": "cost, debt, stress", "in vain": "for nothing"}


def check_words(root: Path, files: list[Path]) -> list[str]:
    """Nothing is left for later, no path of one machine is in the tree, and things are called by the field's words."""
    own = {re.compile(rf"\b{word}\b", re.IGNORECASE): instead for word, instead in WORDS.items()}
    unfinished = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
    machine = re.compile(r"(?<![\w./~-])/(home(?!/ada\b)|work|root|Users)/[\w.-]")  # Ada is the user of examples
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        for number, line in enumerate(read_lines(path), 1):
            if unfinished.search(line):
                complaints.append(f"{relative}:{number}: left unfinished by its own words")
            if machine.search(line):
                complaints.append(f"{relative}:{number}: a path of one machine")
            if relative.parts[0] in ("src", "numpy_compat", "halide_gen", "wasm", "tests") and relative.parts[1] != "lint":
                complaints += [f"{relative}:{number}: '{found[0]}', say {instead}" for word, instead in own.items()
                               if (found := word.search(line))]
    return complaints


def check_memory_of_calls(root: Path, files: list[Path]) -> list[str]:
    """Bodies of functions read memory only where nobody looks at the operations: a derivative would be lost."""
    complaints = []
    for path in files:
        relative = path.relative_to(root)
        if not relative.as_posix().startswith("numpy_compat/python/calls/"):
            continue
        lines = read_lines(path)
        for number, line in enumerate(lines, 1):
            if "->data" in line and not any("is_at_hand(" in near for near in lines[max(0, number - 8):number]):
                complaints.append(f"{relative}:{number}: memory is read where detail::is_at_hand() was not asked")
    return complaints


CHECKS = [check_arrows, check_public_headers, check_opening_comment, check_length, check_width, check_words,
          check_memory_of_calls]


def check_all(root: Path) -> list[str]:
    files = tracked_files(root)
    return [complaint for check in CHECKS for complaint in check(root, files)]


def line_counts(root: Path) -> dict[str, tuple[int, int]]:
    """Folder -> (files, lines) of code, in data-flow order."""
    counts: dict[str, tuple[int, int]] = {}
    for path in tracked_files(root):
        relative = path.relative_to(root)
        if path.suffix not in OPENED_BY_COMMENT or GENERATED.search(relative.as_posix()):
            continue
        parts = relative.parts[:-1]
        folder = "/".join(parts[:3] if parts[:2] == ("src", "numjit") else parts[:1]) or "."
        files, lines = counts.get(folder, (0, 0))
        counts[folder] = (files + 1, lines + len(read_lines(path)))
    order = [f"src/numjit/{name}" for name in ARROWS] + ["numpy_compat", "halide_gen", "wasm", "tests", "docs"]
    return dict(sorted(counts.items(), key=lambda item: (order.index(item[0]) if item[0] in order else 99, item[0])))

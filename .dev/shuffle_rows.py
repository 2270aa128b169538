"""Copies the tables of ops with their rows in another order, to show that the order means nothing.

    shuffle_rows.py SOURCE_FOLDER TARGET_FOLDER
"""
import random
import re
import sys
from pathlib import Path


def rows_of(text: str) -> tuple[list[str], list[str]]:
    """The lines of the preprocessor, and the rows, each with all of its lines."""
    directives, rows, row, depth = [], [], [], 0
    for line in text.replace("\\\n", " ").splitlines():
        bare = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]
        if not row and bare.startswith("#"):
            directives.append(line)
            continue
        if not row and not bare.strip():
            continue
        row.append(line)
        depth += bare.count("(") - bare.count(")")
        if depth == 0:
            rows.append("\n".join(row))
            row = []
    if row:
        raise SystemExit(f"a row does not end: {row[0]}")
    return directives, rows


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    order = random.Random(7)
    for table in sorted(source.glob("*.def")):
        directives, rows = rows_of(table.read_text(encoding="utf-8"))
        order.shuffle(rows)
        last = [line for line in directives if line.startswith("#undef")]
        first = [line for line in directives if line not in last]
        text = "\n".join(["// Rows in another order.", *first, *rows, *last]) + "\n"
        copy = target / table.name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

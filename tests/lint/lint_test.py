"""Holds the tree to the house rules: include arrows, light public headers, opening lines, lengths, leftovers."""
import os
import sys
from pathlib import Path

from checks import check_all, line_counts

root = Path(os.environ.get("NUMJIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
for folder, (files, lines) in line_counts(root).items():
    print(f"{folder:24} {files:4} files {lines:6} lines")
complaints = check_all(root)
print("\n".join(complaints))
print(f"lint: {len(complaints)} complaints")
sys.exit(1 if complaints else 0)

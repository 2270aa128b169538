"""Holds what the build promises: the order of objects in libnumjit.so, and the instruction sets they may use."""
import os
import re
import subprocess
import sys
from pathlib import Path

build = Path(os.environ["NUMJIT_BUILD_DIR"])
GROUPS = ["numjit_core", "numjit_surface", "numjit_loops_v2", "numjit_loops_v3", "numjit_loops_v4"]


def link_order() -> list[str]:
    """The groups of objects of libnumjit.so in the order in which the linker sees them."""
    text = (build / "build.ninja").read_text()
    line = re.search(r"^build lib/libnumjit\.so[^:\n]*: \S+ ([^|\n]*)", text, re.MULTILINE)
    objects = re.findall(r"CMakeFiles/(numjit_\w+)\.dir/", line.group(1))
    return [name for i, name in enumerate(objects) if i == 0 or objects[i - 1] != name]


def instruction(group: str, pattern: str) -> str:
    """The first line of a group's disassembled objects that the pattern matches, or nothing."""
    objects = [str(p) for p in (build / "CMakeFiles" / f"{group}.dir").rglob("*.o")]
    for start in range(0, len(objects), 8):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", *objects[start:start + 8]],
                              capture_output=True, text=True, check=True).stdout
        found = re.search(rf"^.*{pattern}.*$", text, re.MULTILINE)
        if found:
            return found.group(0).strip()
    return ""


WIDE = r"%[yz]mm\d"
FUSED = r"\bvfn?m(add|sub)"  # one rounding for a product and a sum: other bits than without

failures = []
order = link_order()
if order != [name for name in GROUPS if name in order]:
    failures.append(f"objects of libnumjit.so are linked as {order}, expected the order {GROUPS}")
for group in ("numjit_core", "numjit_surface", "numjit_loops_v2"):
    wide = instruction(group, WIDE)
    if wide:
        failures.append(f"{group} must run on x86-64-v2, but has: {wide}")
if "numjit_loops_v3" in order and not instruction("numjit_loops_v3", WIDE):
    failures.append("numjit_loops_v3 has no 256-bit instruction: was it built for x86-64-v3?")
for group in order:
    fused = instruction(group, FUSED)
    if fused:
        failures.append(f"{group} must not fuse products with sums, but has: {fused}")
print("\n".join(failures) or f"link order {order}: fine")
sys.exit(1 if failures else 0)

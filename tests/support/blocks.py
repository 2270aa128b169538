"""Blocks of code in Markdown pages, for the tests that run them."""
import re

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


def blocks(text, language):
    """(line, code, expected output or None) of each block of a language; output is what a block `output` behind it says."""
    fences = list(FENCE.finditer(text))
    for at, fence in enumerate(fences):
        if fence.group(1).strip() != language:
            continue
        after = fences[at + 1] if at + 1 < len(fences) else None
        expected = None
        if after and after.group(1).strip() == "output" and not text[fence.end():after.start()].strip():
            expected = after.group(2)
        yield text.count("\n", 0, fence.start()) + 2, fence.group(2), expected

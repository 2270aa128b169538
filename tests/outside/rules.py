"""left_out.txt: which tests of others are left out on purpose, and why."""
import re
from pathlib import Path

FILE = Path(__file__).with_name("left_out.txt")
FIELDS = ("file", "test", "source", "why")


class Rules:
    """Rules in order; the first that fits a test names the cause."""

    def __init__(self, text):
        self.rules = []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cause, *conditions = [part.strip() for part in line.split(" | ")]
            parsed = {}
            for condition in conditions:
                field, _, pattern = condition.partition(" ")
                if field not in FIELDS or not pattern:
                    raise ValueError(f"{FILE.name}:{number}: got {condition!r}, expected one of {', '.join(FIELDS)} and a pattern")
                parsed[field] = re.compile(pattern)
            if not parsed:
                raise ValueError(f"{FILE.name}:{number}: got a cause without a condition, expected ` | file`, ` | test` or ` | source`")
            self.rules.append((cause, parsed))

    def cause(self, file, test, source, why=""):
        """Why a test is left out, or None: `why` is what it failed with, once it has."""
        seen = {"file": file, "test": test, "source": source, "why": why}
        for cause, conditions in self.rules:
            if all(pattern.search(seen[field]) for field, pattern in conditions.items()):
                return cause
        return None

    def cause_of_file(self, file):
        """Why a file is left out as a whole, or None."""
        return next((cause for cause, conditions in self.rules if set(conditions) == {"file"} and conditions["file"].search(file)), None)


def read():
    return Rules(FILE.read_text())

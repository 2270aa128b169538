"""Runs others' test files with numjit in NumPy's place, and holds what passes against tables: `./dev test outside`.

    outside.py [JUDGE...] [--only REGEX] [--all] [--write] [--if-changed]

Judges are the test files of installed packages: NumPy's own, and those of array_api_strict, which is an array library over
NumPy and here over numjit. Each file runs in a process of its own; what crashes or hangs counts as failed, and the file goes on
behind it. Counts of passed tests may only rise, those left out (left_out.txt) only fall; --write writes the tables anew. --all
also runs what is left out by name. --if-changed does nothing where numjit is what the tables were written from.
"""
import argparse
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import rules
import swapped

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("NUMJIT_SOURCE_DIR", HERE.parent.parent))
BUILD = Path(os.environ.get("NUMJIT_BUILD_DIR", ROOT / "build"))
WORK = BUILD / "outside"
JUDGES = ("numpy", "array_api_strict")
# What decides the outcome, besides the packages that are pinned.
INPUTS = ("numpy_compat", "src/numjit/base", "src/numjit/array", "src/numjit/ops", "src/numjit/eager", "tests/outside", ".dev/requirements")
SILENCE = float(os.environ.get("OUTSIDE_SILENCE", 120))  # seconds without a word from a file before it is taken for hanging
TRIES = 50
HEADER = """# {judge} {version}: passed and failed tests of each file, and how many are left out by cause. Passed may only rise, left out
# only fall. Written by `./dev test outside --write`, from the tree whose hash is
# {inputs}
"""


def hash_of_inputs():
    """One hash of all files that decide what passes, but for the tables."""
    made = hashlib.sha256()
    for folder in INPUTS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path not in [table_of(judge) for judge in JUDGES]:
                made.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return made.hexdigest()


def table_of(judge):
    return HERE / f"{judge}.txt"


def read_table(text):
    """{file: passed}, {cause: count} and the hash of a table's text."""
    files, causes, inputs = {}, {}, ""
    for line in text.splitlines():
        if line.startswith("#"):
            inputs = line[1:].strip()
        elif line.startswith("left out "):
            cause, _, count = line[len("left out "):].rpartition(" ")
            causes[cause.strip()] = int(count)
        elif line:
            file, passed, _ = line.split()
            files[file] = int(passed)
    return files, causes, inputs


def table_text(judge, counts, causes, inputs):
    width = max(map(len, counts), default=0)
    lines = [f"{file:{width}} {c['passed']:6} {c['failed']:5}" for file, c in sorted(counts.items()) if c["passed"] + c["failed"]]
    lines += [f"left out {cause:{width - 9}} {count:6}" for cause, count in sorted(causes.items())]
    return HEADER.format(judge=judge, version=version(judge.replace("_", "-")), inputs=inputs) + "\n".join(lines) + "\n"


def complaints(table, counts, causes):
    """What is worse than in a table, given as its text."""
    files, allowed, _ = read_table(table)
    worse = [f"{file}: {counts.get(file, Counter())['passed']} tests pass, {passed} did" for file, passed in files.items()
             if counts.get(file, Counter())["passed"] < passed]
    worse += [f"left out for {cause}: {count} tests, {allowed.get(cause, 0)} were: left_out.txt may only shrink" for cause, count in causes.items()
              if count > allowed.get(cause, 0)]
    return worse


def environment(file, results, everything):
    env = dict(os.environ, OUTSIDE_RESULTS=str(results), OUTSIDE_FILE=file, OUTSIDE_ALL="1" if everything else "0", PYTHONHASHSEED="0",
               PYTHONDONTWRITEBYTECODE="1", NUMJIT_BUILD_DIR=str(BUILD), NUMJIT_CACHE_DIR=str(WORK / "cache"), OMP_NUM_THREADS="1",
               OPENBLAS_NUM_THREADS="1", NUMJIT_THREADS="1", OCL_ICD_VENDORS=os.devnull, NUMPY_EXPERIMENTAL_DTYPE_API="1")
    env["PYTHONPATH"] = os.pathsep.join([str(HERE), str(WORK), str(BUILD / "python")])
    return env


def run_once(file, results, log, everything):
    """One process over a file; gives its exit status, or "no word" where it was ended for hanging."""
    command = [sys.executable, "-m", "pytest", "-p", "judged", "-p", "no:cacheprovider", "-q", "--tb=line", "--rootdir", str(WORK), "-c", os.devnull,
               "--import-mode=importlib", str(WORK / swapped.COPIES / file)]
    with open(log, "a") as out:
        process = subprocess.Popen(command, cwd=WORK / "cwd", env=environment(file, results, everything), stdout=out, stderr=out,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        size, since = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            now = results.stat().st_size if results.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > SILENCE:
                os.killpg(process.pid, 9)
                process.wait()
                return "no word"
    return process.returncode


def read_results(path):
    """The outcomes by test, and the test that began and has not ended."""
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    ended = {r["id"]: r for r in records if "id" in r}
    begun = [r["begun"] for r in records if "begun" in r]
    return ended, begun[-1] if begun and begun[-1] not in ended else None


def run_file(file, everything):
    """All tests of a file: behind one that ends its process, another process goes on. Gives their outcomes."""
    results = WORK / "results" / (file.replace("/", ".") + ".json")
    log = results.with_suffix(".log")
    results.unlink(missing_ok=True)
    log.unlink(missing_ok=True)
    for _ in range(TRIES):
        code = run_once(file, results, log, everything)
        ended, open_test = read_results(results)
        if open_test is None and code in (0, 1, 5):  # pytest's: all passed, some failed, none was there
            break
        said = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("E ")]
        why = f"its process ended: {code}" if open_test else f"the file could not be read: {(said or ['no word'])[-1]}"
        with open(results, "a") as out:
            out.write(json.dumps({"id": open_test or "(the file)", "outcome": "failed", "why": why}) + "\n")
        if open_test is None:
            break
    return read_results(results)[0]


def run_files(files, everything):
    """{file: outcomes} of all files, as many at once as there are cores; those with the longest text first."""
    todo = sorted(files, key=lambda f: (WORK / swapped.COPIES / f).stat().st_size)
    made, lock = {}, threading.Lock()

    def work():
        while True:
            with lock:
                if not todo:
                    return
                file = todo.pop()
            begin = time.monotonic()
            ended = run_file(file, everything)
            with lock:
                made[file] = ended
                print(f"{file:55} {time.monotonic() - begin:6.1f} s  {dict(Counter(r['outcome'] for r in ended.values()))}", flush=True)

    threads = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made


def run_judge(judge, only, everything):
    """{file: counts}, {cause: count} of the files that a pattern names; files that are left out whole are counted as such."""
    package = Path(importlib.util.find_spec(judge).origin).parent
    files = [f for f in swapped.make_copies(package, WORK, whole=judge != "numpy") if re.search(only, f)]
    whole = {} if everything else {file: cause for file in files if (cause := rules.read().cause_of_file(file))}
    outcomes = run_files([file for file in files if file not in whole], everything)
    counts = {file: Counter(r["outcome"] for r in ended.values()) for file, ended in outcomes.items()}
    causes = Counter(r["cause"] for ended in outcomes.values() for r in ended.values() if r["outcome"] == "left out")
    causes.update(f"{cause} (files)" for cause in whole.values())
    with open(WORK / f"{judge}_failed.txt", "w") as out:
        for file, ended in sorted(outcomes.items()):
            for test, record in ended.items():
                if record["outcome"] == "failed":
                    out.write(f"{file}::{test} | {record.get('line', '')} | {' / '.join(record.get('why', '').splitlines())[:400]}\n")
    total = sum(counts.values(), Counter())
    scope = total["passed"] + total["failed"]
    print(f"{judge} {version(judge.replace('_', '-'))}: {total['passed']} of {scope} tests in scope pass ({100 * total['passed'] / max(scope, 1):.2f}%), "
          f"{total['skipped']} skipped, {total['left out']} and {len(whole)} files left out on purpose; failures: {WORK / (judge + '_failed.txt')}", flush=True)
    return counts, causes


def main():
    parser = argparse.ArgumentParser(prog="./dev test outside", description=__doc__.splitlines()[0])
    parser.add_argument("judges", nargs="*", choices=[*JUDGES, []], help="all, where none is named")
    parser.add_argument("--only", default="", metavar="REGEX", help="files whose path fits")
    parser.add_argument("--all", action="store_true", help="also what left_out.txt leaves out by name")
    parser.add_argument("--write", action="store_true", help="write the tables anew")
    parser.add_argument("--if-changed", action="store_true", help="nothing, where the tables were written from this tree")
    args = parser.parse_args()
    if args.write and (args.only or args.all):
        parser.error("--write needs all files, without --only and --all")
    inputs, failed = hash_of_inputs(), False
    for folder in ("cwd", "results"):
        (WORK / folder).mkdir(parents=True, exist_ok=True)
    for judge in args.judges or JUDGES:
        table = table_of(judge)
        text = table.read_text() if table.exists() else ""
        if args.if_changed and read_table(text)[2] == inputs:
            print(f"{judge}: {table.name} was written from this tree")
            continue
        counts, causes = run_judge(judge, args.only, args.all)
        if args.only or args.all:
            continue
        worse = complaints(text, counts, causes)
        print("\n".join(worse), end="\n" if worse else "")
        written = table_text(judge, counts, causes, inputs)
        if args.write:
            table.write_text(written)
        elif not worse and read_table(text)[:2] != read_table(written)[:2]:
            print(f"{judge}: more pass or fewer are left out than {table.name} says: `./dev test outside --write` writes it anew")
        failed |= bool(worse) and not args.write
    return failed


if __name__ == "__main__":
    sys.exit(main())

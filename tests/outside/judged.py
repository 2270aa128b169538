"""The pytest plugin of one process that runs one copied test file: notes each test's outcome as soon as it is known.

The file OUTSIDE_RESULTS gets a line when a test begins and one when it has ended, so that of a crash or a hang the test is
known. Tests that are in it already are not run again; those that left_out.txt names are noted and not run.
"""
import inspect
import json
import os
import random
import warnings

import hypothesis
import numpy
import pytest
import rules
import swapped

RESULTS, FILE = os.environ["OUTSIDE_RESULTS"], os.environ["OUTSIDE_FILE"]
ALL = os.environ.get("OUTSIDE_ALL") == "1"
# NumPy's default, where numjit's is silence: what a test does not ask for is as it finds it there.
NUMPYS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
MARKERS = ("valgrind_error", "leaks_references", "slow", "slow_pypy", "parallel_threads(n)", "iterations(n)", "thread_unsafe",
           "unvectorized", "fuzz_set", "xp_extension(name)")

swapped.reading = FILE.startswith("numpy/")

hypothesis.settings.register_profile("outside", deadline=None, database=None, derandomize=True, print_blob=False,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("outside")


def note(**fields):
    with open(RESULTS, "a") as file:
        file.write(json.dumps(fields) + "\n")


def short_id(item):
    """A test's name from its file on."""
    return item.nodeid.split("::", 1)[1]


def source_of(item):
    """The text of a test, with its decorators."""
    try:
        return inspect.getsource(inspect.unwrap(item.function))
    except (OSError, TypeError):
        return ""


def pytest_configure(config):
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: of the suite")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    done = set()
    if os.path.exists(RESULTS):
        with open(RESULTS) as file:
            done = {record["id"] for record in map(json.loads, file) if "id" in record}
    table, kept = rules.read(), []
    for item in items:
        test = short_id(item)
        if test in done:
            continue
        cause = None if ALL else table.cause(FILE, test, source_of(item))
        if cause:
            note(id=test, outcome="left out", cause=cause)
        else:
            kept.append(item)
    items[:] = kept
    swapped.reading = False
    note(collected=len(kept))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    import numjit
    note(begun=short_id(item))
    item.outside = []
    before = numjit.get_printoptions()
    numjit.seterr(**NUMPYS)
    for library in (random, numpy.random, numjit.random):  # what a test draws without a seed
        library.seed(0)
    yield
    numjit.set_printoptions(**before)
    reports = item.outside
    failed = next((r for r in reports if r.failed), None)
    if failed:
        outcome = "failed"
    elif any(r.skipped for r in reports):
        outcome = "skipped"
    else:
        outcome = "passed"
    why = {}
    if failed and hasattr(failed.longrepr, "reprcrash"):
        crash = failed.longrepr.reprcrash
        why = {"why": (crash.message if crash else str(failed.longrepr))[:2000], "line": crash.lineno if crash else 0}
    elif failed:
        why = {"why": str(failed.longrepr)[:2000], "line": 0}
    cause = rules.read().cause(FILE, short_id(item), source_of(item), why["why"]) if failed and not ALL else None
    note(id=short_id(item), outcome="left out" if cause else outcome, **({"cause": cause} if cause else {}), **why)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.outside.append(report)
    return report


@pytest.fixture(autouse=True)
def _quiet(doctest_namespace):
    with warnings.catch_warnings():
        yield

"""The calls of golden/options.txt as C++ writes them: what must be given in its place, options by their names. Those by position, and
with an option that no struct has, are none of C++'s."""
import numpy as np

from calls_of_rows import Array

NAMES = {"delete": "delete_", "gradient": "gradients"}
# Arguments that are no option of C++: they stand behind those that must be given.
PLACED = {("cov", "y"), ("corrcoef", "y"), ("select", "default"), ("fft.fftfreq", "d"), ("fft.rfftfreq", "d"), ("real_if_close", "tol"), ("rollaxis", "start"), ("diag_indices", "ndim")}
# Functions that stand for one with an option.
BY_OPTION = {("average", "returned"): "average_returned", ("intersect1d", "return_indices"): "intersect1d_all", ("polyfit", "full"): "polyfit_full", ("polyfit", "cov"): "polyfit_cov", ("linspace", "retstep"): "linspace_retstep", ("indices", "sparse"): "indices_sparse"}
COLUMNS = {"histogramdd"}
# Arguments in braces of their own, and results that are no arrays: index_tricks_test.cpp compares these with NumPy.
OTHERS = ("block", "broadcast_shapes")
LISTED = {"ix_", "broadcast_arrays"}


class Writer:
    """Arrays of a call are x(0), x(1), ... in their order."""

    def __init__(self):
        self.count = 0

    def array(self):
        self.count += 1
        return f"x({self.count - 1})"

    def text(self, x, name=""):
        if isinstance(x, Array):
            return self.array()
        if isinstance(x, list):
            inside = ", ".join(self.text(item) for item in x)
            return f"np::array_list{{{inside}}}" if x and all(isinstance(item, Array) for item in x) else f"{'np::pad_widths' if name == 'stat_length' else ''}{{{inside}}}"
        if isinstance(x, np.dtype):
            return f"np::{x.name}"
        if isinstance(x, str):
            return f"'{x}'" if name in ("order", "UPLO") else f'"{x}"'
        if name == "where" and isinstance(x, bool):
            return f"np::array({str(x).lower()})"
        return "{}" if x is None else str(x).lower() if isinstance(x, bool) else repr(x)


def statement(call):
    """The call, or None where it is one by position."""
    name, writer, options = call.name, Writer(), dict(call.options)
    if call.places and not call.places[0].endswith("args") or "no_such_option" in options or name.startswith(OTHERS):
        return None
    args = [writer.text(a) for a in call.args]
    if name in LISTED:
        args = [f"np::array_list{{{', '.join(args)}}}"]
    if name in COLUMNS:
        args[0] = f"columns({args[0]})"
    placed, fields, parts = [], [], [str(bool(options.pop(f"return_{part}", False))).lower() for part in ("index", "inverse", "counts")]
    for option, value in options.items():
        if (name, option) in BY_OPTION:
            name = BY_OPTION[name, option] if value else name
        elif (name, option) in PLACED:
            placed.append(writer.text(value))
        else:
            text = writer.text(value, option)
            fields.append(f".{option} = {f'{{{text}}}' if name in COLUMNS and option == 'bins' and text[0] != '{' else text}")
    if name == "gradient" and len(args) > 1:
        fields = [f".spacing = {{np::asarray({args.pop()})}}", *fields]
    given = [*args, *placed, *([f"{{{', '.join(fields)}}}"] if fields or name in COLUMNS else [])]
    if "true" in parts:
        return f"parts_of(np::unique_all({', '.join(given)}), {', '.join(parts)})"
    if name.startswith("."):
        return f"{given[0]}{name}({', '.join(given[1:])})"
    *homes, last = name.split(".")
    return f"{''.join(f'{home}::' for home in ['np', *homes])}{NAMES.get(last, last)}({', '.join(given)})"

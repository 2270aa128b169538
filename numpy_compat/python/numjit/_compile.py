"""numjit.compile and what steers it."""
import functools
import html
import inspect
import json
import os
import sys
import types
import weakref

from . import _core as C
from ._coroutines import goes_on

_OPTIONS = ("fullgraph", "dynamic", "backend", "mode", "name", "verify_replay", "disable", "float_mode", "args")
_DEFAULTS = (False, None, "halide", "rerun", "", 0, False, None, None)


def _names(function):
    """Names of the positional parameters, for the texts of recompiles."""
    try:
        return [p.name for p in inspect.signature(function).parameters.values()
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return []


def compile(fn=None, *, fullgraph=False, dynamic=None, backend="halide", mode="rerun", name="", verify_replay=0, disable=False,
            nopython=False, float_mode=None, args=None):
    """A function that records what `fn` does with arrays and runs it as fused kernels; also a decorator.

    Results, mutations, exceptions and their order are those of `fn`. The options are those of docs/compile.md.

        @numjit.compile
        def step(u):
            return u + 0.1 * (u[2:] - u[:-2]).sum()
    """
    if fn is None:
        return functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, name=name,
                                 verify_replay=verify_replay, disable=disable, nopython=nopython, float_mode=float_mode, args=args)
    if not callable(fn):
        raise TypeError(f"compile: got an object of type {type(fn).__name__!r}, expected a function.")
    options = bool(fullgraph or nopython), dynamic, backend, mode, name, verify_replay, bool(disable), float_mode, args
    given = {} if options == _DEFAULTS else {k: v for k, v, usual in zip(_OPTIONS, options, _DEFAULTS) if v != usual}
    steps = goes_on(fn)
    if steps:
        if mode == "replay":
            raise TypeError(f"compile: got mode='replay' for {fn.__qualname__!r}, which goes on after it has returned (async, yield), "
                            "expected mode='rerun'.")
        step = C.compile(C.resume, _python_backend(backend) if callable(backend) else backend, options[0], dynamic, mode,
                         name or fn.__qualname__, verify_replay, options[6], float_mode, [], given)
        return functools.update_wrapper(steps(fn, step), fn)
    made = C.compile(fn, _python_backend(backend) if callable(backend) else backend, options[0], dynamic, mode,
                     name or getattr(fn, "__qualname__", ""), verify_replay, options[6], float_mode,
                     _names if args is None else list(args), given)
    return functools.update_wrapper(made, fn)


class Graph:
    """A recorded graph, as a backend sees it: its text."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


def _python_backend(backend):
    def start(text):
        runner = backend(Graph(text))
        if not callable(runner):
            raise TypeError("a backend gives a function that runs the graph.")
        return runner
    return start


class Report(types.SimpleNamespace):
    """A report: fields, str(), json(); those of explain and report_scope are pages as well, html(), which notebooks show."""

    def str(self):
        """The report as a page."""
        return self._text

    __str__ = str

    def __repr__(self):
        return self._text

    def json(self):
        """The report as JSON."""
        return self._json

    def html(self, code=False):
        """The report as a page of HTML, which needs nothing else; "" of a profiler's.

        code: with the loops, Halide's statement and the assembly of its kernels, each of which is compiled once more for that.
        """
        return C.report_page(self._json, bool(code)) if hasattr(self, "timeline") else ""

    def _repr_html_(self):
        # In a frame: the page has styles and a script of its own.
        page = html.escape(self.html())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40rem; border: 0" title="numjit report"></iframe>' if page else None


def _report(text, page):
    def namespace(value, top=False):
        if isinstance(value, dict):
            return (Report if top else types.SimpleNamespace)(**{k: namespace(v) for k, v in value.items()})
        return [namespace(v) for v in value] if isinstance(value, list) else value
    data = json.loads(text)
    times = data.pop("compile_times", None)
    made = namespace(data, True)
    if times is not None:
        made.compile_times = times
    made._text, made._json = page, text
    return made


def explain(fn, *, wait=True):
    """explain(f)(*args) makes the call once, effects included, and tells what was compiled.

    Kernels that are not ready are waited for, unless wait is False.
    """
    compiled = fn if isinstance(fn, C.CompiledFunction) else compile(fn)
    if not isinstance(compiled, C.CompiledFunction):
        raise TypeError("explain: got a function that goes on after it has returned (async, yield), expected one that ends. "
                        "Hint: with np.profiler() around what runs it.")

    def call(*args, **kwargs):
        text, page = C.explain(compiled, bool(wait), *args, **kwargs)
        program = C._numpy_program(compiled)
        if program is not None and program.style != "numjit":
            text, page = _with_functions(text, page, program.reached)
        return _report(text, page)
    return call


def _with_functions(text, page, reached):
    """A report with the functions of a NumPy program: those in which NumPy's names mean ours, and others."""
    data = json.loads(text)
    data["functions"] = [{"name": name, "by": how, "reason": why} for name, how, why in reached]
    lines = [f"  {name:<22} {how}{why and ': ' + why}\n" for name, how, why in reached]
    return json.dumps(data), page + ("\nfunctions\n" + "".join(lines) if lines else "")


def help(topic):
    """What the identifier of a graph break ("NJ0001") or a class of errors means, and what to do about it."""
    return C.help(topic)


# ---- functions that steer ----

def _wrapper(scope):
    """A decorator that runs a function inside a scope made anew for each call."""
    def wrap(fn):
        if not callable(fn):
            raise TypeError(f"expected a function, got an object of type {type(fn).__name__!r}.")

        @functools.wraps(fn)
        def inside(*args, **kwargs):
            with scope():
                return fn(*args, **kwargs)
        return inside
    return wrap


def _code_of(fn):
    """The code that a callable runs, looked for behind partial(), methods and __call__; None if it is none of Python's."""
    for _ in range(8):
        fn = getattr(fn, "func", None) if isinstance(fn, functools.partial) else getattr(fn, "__func__", fn)
        if isinstance(fn, C.CompiledFunction):
            fn = fn.function
        elif hasattr(fn, "__code__") or isinstance(fn, (type, types.BuiltinFunctionType)):
            break
        else:
            fn = type(fn).__call__
    return getattr(fn, "__code__", None)


def disable(fn=None, *, recursive=True, reason=""):
    """A function that runs eagerly, also inside compiled functions: a graph break. Also a decorator."""
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    code = _code_of(fn)
    name = getattr(fn, "__qualname__", type(fn).__name__)
    made = _wrapper(lambda: C.DisabledCallScope(recursive, reason, name, code))(fn)
    made._numjit_disabled = types.SimpleNamespace(disabled=True, recursive=recursive, reason=reason)
    return made


def is_disabled(fn):
    """Whether a function was made by disable(), and how: .disabled, .recursive, .reason."""
    return getattr(fn, "_numjit_disabled", types.SimpleNamespace(disabled=False, recursive=False, reason=""))


def disable_scope(*, recursive=True, reason=""):
    """A context in which code is not compiled."""
    return C.DisableScope(recursive, reason)


def dont_skip_tracing(fn):
    """A function that is recorded also where disable(recursive=False) keeps the code around it eager."""
    return _wrapper(C.DontSkipTracingScope)(fn)


class error_on_graph_break:
    """Graph breaks are errors (True) or allowed (False): a context, or a decorator."""

    def __init__(self, on):
        self.on = bool(on)
        self._scopes = []  # it may be entered again, also in several tasks

    def __enter__(self):
        scope = C.ErrorOnGraphBreakScope(self.on)
        scope.__enter__()
        self._scopes.append(scope)
        return self

    def __exit__(self, *exception):
        scope = next((s for s in reversed(self._scopes) if s.is_set()), self._scopes[-1])
        self._scopes.remove(scope)
        scope.__exit__(*exception)

    def __call__(self, fn):
        return _wrapper(lambda: C.ErrorOnGraphBreakScope(self.on))(fn)


error_on_graph_break_scope = error_on_graph_break


def stance_scope(name):
    """A context with another stance for this thread."""
    return C.StanceScope(name)


def run(fn):
    """A function that uses the graphs and kernels that exist and never makes new ones."""
    return _wrapper(lambda: C.StanceScope("run_only"))(fn)


def device(name):
    """A context with another device for new arrays and compiled calls."""
    return C.DeviceScope(name)


def budget(*, max_breaks=-1, max_recompiles=-1, max_fallback_ms=-1):
    """A context that raises, naming the worst offender, when more happens than is allowed."""
    return C.Budget(max_breaks, max_recompiles, max_fallback_ms)


class profiler:
    """A context that watches compiled functions; report() tells what happened."""

    def __enter__(self):
        self._scope = C.Profiler()
        self._scope.__enter__()
        return self

    def __exit__(self, *exception):
        self._seen = self._scope.json(), self._scope.str()
        self._scope.__exit__(*exception)
        self._scope = None

    def report(self):
        """What happened so far."""
        return _report(*(self._seen if self._scope is None else (self._scope.json(), self._scope.str())))


class report_scope:
    """A context that watches compiled functions, and writes at its end what happened as one page of HTML, which needs nothing else:
    graphs, kernels and their code, breaks, recompiles, a timeline and memory. Without a path nothing is written; report() tells what happened.

        with numjit.report_scope("run.html"):
            f(x)
    """

    def __init__(self, path=None):
        self._path = None if path is None else os.fspath(path)

    def __enter__(self):
        self._scope = C.ReportScope()
        self._scope.__enter__()
        return self

    def __exit__(self, *exception):
        self._seen = self._scope.seen()
        self._scope.__exit__(*exception)
        self._scope = None
        if self._path is not None:
            with open(self._path, "w", encoding="utf-8") as file:
                file.write(C.report_page(self._seen[0], True))

    def report(self):
        """What happened so far."""
        return _report(*(self._seen if self._scope is None else self._scope.seen()))


def allow_in_graph(fn, shape_rule=None, *, mutates=()):
    """An op's name: allowed in graphs again. A function: one operation of a graph, never looked into.

    shape_rule gets (shape, dtype) of each argument and gives that of the result. The function may read its arguments; those
    that it changes are named by their numbers, mutates=(0,): then it runs at its line.
    """
    if isinstance(fn, str):
        return C.allow_in_graph(fn)
    if shape_rule is None:
        raise TypeError("allow_in_graph: a function needs a shape_rule: (shape, dtype) of each argument in, that of the result out.")
    box = C.BlackBox(fn, shape_rule, [int(i) for i in mutates])

    @functools.wraps(fn)
    def call(*args):
        return box(*args)
    return call


def disallow_in_graph(op):
    """An op's name: it breaks the graph and runs eagerly from now on."""
    C.disallow_in_graph(op)


class _Constant:
    """The result of an assume_constant function, and under which generation of reset() it was computed."""
    all = weakref.WeakSet()

    def __init__(self):
        self.forget()
        self.all.add(self)

    def forget(self):
        self.generation = self.value = None


def assume_constant(fn):
    """A function whose first result is taken as constant: it runs once, eagerly."""
    kept = _Constant()

    @functools.wraps(fn)
    def call(*args, **kwargs):
        generation = C.constants_generation()
        if kept.generation != generation:
            for a in args:
                if isinstance(a, C.array_base):
                    a.eval()
            C.flush_for_constant()
            kept.generation, kept.value = generation, C.call_eagerly(fn, *args, **kwargs)
        return kept.value
    return call


def reset():
    """Forgets all graphs and kernels in memory, constants of assume_constant, and counts.

    ValueError inside a compiled function.
    """
    C.reset()
    for kept in list(_Constant.all):
        kept.forget()


def export_function(fn, args, path, *, targets=("host",), name=""):
    """Writes what fn does with such arguments to a bundle, which load_function, here or in C++, carries out without fn.

    args: a tuple of arguments, or a list of such tuples. See docs/export.md.
    """
    examples = args if isinstance(args, list) else [args]
    if not all(isinstance(a, tuple) for a in examples):
        raise TypeError("export_function: the arguments are a tuple, or a list of tuples.")
    function = fn.function if isinstance(fn, C.CompiledFunction) else fn
    if "numpy" in sys.modules:
        from ._twins import for_export
        function, examples = for_export(function, examples)
    C.export_function(function, examples, os.fspath(path), list(targets), name)


def load_function(path):
    """The function of a bundle: called with arrays as those of the example, it gives an array, or a list of them."""
    return C.load_function(os.fspath(path))


def graph_break(message=""):
    """Ends the segment here. No effect outside a compiled function."""
    C.graph_break(message)


def set_logs(**channels):
    """Which channels are on: graph_breaks, recompiles, guards, graph, code, schedule, cache, perf_hints."""
    C.set_logs(channels)


def set_log_sink(sink):
    """Sends log entries to a function; None: to stderr. Floating-point warnings are Python's RuntimeWarnings."""
    C.set_log_sink(sink)


class Counters(types.SimpleNamespace):
    """Counts since the start or the last reset()."""


def counters():
    """What the compiler did so far."""
    return Counters(**C.counters())


class _Config:
    """The settings, as attributes: compile ('async', 'sync'), float_mode, threads, ... See docs/compile.md."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return C.get_setting(name)

    def __setattr__(self, name, value):
        C.set_setting(name, value)

    def __call__(self):
        return self


config = _Config()


def config_scope(**settings):
    """A context with other settings for this thread."""
    return C.ConfigScope(settings)


def share(a):
    """Says that others look at the array's memory from now on, in a way that numjit cannot see (by an address, from another
    process): in compiled functions, operations on it run at once instead of being fused. There is no way back."""
    C.share(a)


set_stance, is_compiling, flush = C.set_stance, C.is_compiling, C.flush
mark_static, mark_dynamic = C.mark_static, C.mark_dynamic
wait_for_compiles, compile_times = C.wait_for_compiles, C.compile_times
set_log_sink(None)

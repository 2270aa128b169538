"""Scopes of all kinds that begin and end in random order over contexts, threads and generators, against a model."""
import contextvars
import gc
import itertools
import queue
import threading

import numjit as nj

from hunt import hunt


class Worker:
    """A thread that runs what it is given; its own context is one of those in which scopes are set."""

    def __init__(self):
        self.work, self.done = queue.Queue(), queue.Queue()
        threading.Thread(target=self._main, daemon=True).start()

    def _main(self):
        while (function := self.work.get()) is not None:
            try:
                self.done.put((function(), None))
            except Exception as e:  # noqa: BLE001
                self.done.put((None, e))
            del function

    def run(self, function):
        self.work.put(function)
        result, error = self.done.get(timeout=60)
        if error is not None:
            raise error
        return result


class Here:
    def run(self, function):
        return function()


class Place:
    """A context: a thread's own, or one that was copied."""

    def __init__(self, own, made):
        self.own, self.made = own, made


class Scope:
    """A scope in the model: its kind, what it sets, where it was begun."""

    def __init__(self, kind, value, begun, thread):
        self.kind, self.value, self.begun, self.thread = kind, value, begun, thread
        self.within = None  # of a seterr or set_printoptions: the scope at whose end it is undone
        self.end, self.in_generator = None, False
        self.is_used_up = False  # of a budget: it counts on, and each call that it sees ends in its error


KINDS = {
    "config": ([1, 2, 3], lambda v: nj.config_scope(threads=v)),
    "errstate": ([{"divide": "warn"}, {"over": "raise"}, {"divide": "ignore", "over": "ignore"}, {"over": "ignore"}], lambda v: nj.errstate(**v)),
    "printing": ([2, 3, 4], lambda v: nj.printoptions(precision=v)),
    "stance": (["force_eager", "default", "eager_on_recompile"], nj.stance_scope),
    "breaks": ([True, False], nj.error_on_graph_break),
    "budget": ([0, 10**6], lambda v: nj.budget(max_breaks=v)),
    "disable": ([True, False], lambda v: nj.disable_scope(recursive=v)),
    "profiler": ([None], lambda v: nj.profiler()),
}


def has_memory(scope):
    return scope.kind in ("budget", "profiler") or scope.kind == "disable" and not scope.value


codes = itertools.count()


def breaking(seen):
    def f(x):
        seen.append(nj.is_compiling())
        return x + 1 if x.sum() > 0 else x
    f.__code__ = f.__code__.replace(co_name=f"f{next(codes)}")  # functions of one code know each other's graphs
    return nj.compile(f)


def observed():
    """What this context sees."""
    seen = []
    try:
        error = breaking(seen)(nj.ones(2)).tolist() != [2, 2]
    except nj.GraphBreakError:
        error = True
    now = nj.geterr()
    return {"config": nj.config.threads, "printing": nj.get_printoptions()["precision"], "text": str(nj.array([1 / 3])),
            "errors": (now["divide"], now["over"]), "compiling": seen[0], "error": error}


def expected(chain, thread):
    chain = [s for s in chain if not has_memory(s) or s.thread is thread]

    def last(kind, otherwise):
        return next((s.value for s in reversed(chain) if s.kind == kind), otherwise)
    errors, eager = {"divide": "ignore", "over": "ignore"}, False
    for s in chain:
        if s.kind == "errstate":
            errors.update(s.value)
            eager = eager or set(errors.values()) != {"ignore"}
    eager = eager or last("stance", "") == "force_eager" or any(s.kind == "disable" and s.value for s in chain)
    budgets = [s for s in chain if s.kind == "budget" and s.value == 0]
    precision = last("printing", 8)
    # With eager_on_recompile the new function's ops run eagerly: a value read is no break.
    new_is_eager = last("stance", "") == "eager_on_recompile"
    over_budget = any(s.is_used_up for s in budgets)
    for budget in budgets:
        budget.is_used_up = budget.is_used_up or not eager and not new_is_eager
    return {"config": last("config", 0), "printing": precision, "text": f"[{1 / 3:.{precision}f}]",
            "errors": (errors["divide"], errors["over"]), "compiling": not eager,
            "error": not eager and (over_budget or not new_is_eager and (last("breaks", False) or len(budgets) > 0))}


def case(random):
    threads = [Here(), Worker(), Worker()]
    contexts = [Place(t, None) for t in threads]
    chains = {c: [] for c in contexts}
    scopes = []

    def run(context, function):
        thread = context.own or random.choice(threads)
        return thread, thread.run(function if context.own else lambda: context.made.run(function))

    def begin():
        kind = random.choice(list(KINDS))
        values, make = KINDS[kind]
        context = random.choice(contexts)
        scope = Scope(kind, random.choice(values), context, None)
        manager = make(scope.value)
        if random.random() < 0.5:
            def generator():
                with manager:
                    yield
            made = generator()
            scope.thread, _ = run(context, lambda: next(made) and None)
            scope.end, scope.in_generator = made.close, True
        else:
            scope.thread, _ = run(context, lambda: manager.__enter__() and None)
            scope.end = lambda: manager.__exit__(None, None, None)
        chains[context].append(scope)
        scopes.append(scope)

    def forget(scope, everywhere, context=None):
        for c in list(chains) if everywhere else [context]:
            chains[c] = [s for s in chains[c] if s is not scope and s.within is not scope]

    def end():
        if not scopes:
            return
        scope = scopes.pop(random.randrange(len(scopes)))
        alive = scope.begun in contexts
        context = scope.begun if alive and random.random() < 0.7 else random.choice(contexts)
        if random.random() < 0.1:
            scope.end = None  # the last reference: left to the collector, which closes generators where it runs
            gc.collect()
            closed_at_home = scope.in_generator and scope.begun is contexts[0]
            return forget(scope, not closed_at_home or has_memory(scope), contexts[0])
        run(context, scope.end)
        forget(scope, context is not scope.begun or has_memory(scope), context)

    def set_for_good():
        context = random.choice(contexts)
        kind = random.choice(["errstate", "printing"])
        value = random.choice(KINDS[kind][0])
        run(context, (lambda: nj.seterr(**value) and None) if kind == "errstate" else lambda: nj.set_printoptions(precision=value))
        made = Scope(kind, value, context, None)
        chain = chains[context]
        made.within = next((s for s in reversed(chain) if s.kind == kind and s in begun), None)
        before = [s for s in chain if s.kind == kind and s not in begun and s.within is made.within]
        if kind == "errstate":
            made.value = {k: v for s in (*before, made) for k, v in s.value.items()}
        chains[context] = [s for s in chain if s not in before] + [made]

    def copy():
        context = random.choice(contexts)
        _, made = run(context, contextvars.copy_context)
        contexts.append(Place(None, made))
        chains[contexts[-1]] = list(chains[context])

    def drop():
        if len(contexts) > len(threads):
            del chains[contexts.pop(random.randrange(len(threads), len(contexts)))]

    def look():
        context = random.choice(contexts)
        thread, seen = run(context, observed)
        assert seen == expected(chains[context], thread), (seen, expected(chains[context], thread),
                                                          [(s.kind, s.value) for s in chains[context]])

    begun = []
    for _ in range(random.randrange(10, 60)):
        step = random.choices([begin, end, set_for_good, copy, drop, look, nj.reset], [6, 5, 1, 2, 1, 8, 0.3])[0]
        step()
        begun.extend(s for s in scopes if s not in begun)
    while scopes:
        end()
    for context in contexts:
        run(context, lambda: nj.seterr(all="ignore") and None)
        run(context, lambda: nj.set_printoptions(precision=8))
    del context
    contexts[len(threads):], begun[:], chains = [], [], {}
    gc.collect()
    for thread in threads:
        thread.run(lambda: nj.ones(2) + 1)
    assert nj._core.scopes_set() == 0, nj._core.scopes_set()
    for worker in threads[1:]:
        worker.work.put(None)


if __name__ == "__main__":
    hunt(case)

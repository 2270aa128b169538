"""Random compiled bodies, looked at from everywhere at every point: by other views of their arrays and from other threads.

A program is a list of steps on arrays of which many are shown to others. It runs plainly and compiled, and all that anybody
saw on the way must be equal.
"""
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from hunt import hunt
from shown_memory_test import WAYS, view_of

import numjit as nj

SIZE = 6
WORKERS = ThreadPoolExecutor(2)


def own(a):
    """An array that nobody else sees."""
    return nj.array(a), None


KINDS = {"own": own, **WAYS}


def on_worker(function):
    return WORKERS.submit(function).result(60)


def column(x):
    return x[::-1] if x.ndim == 1 else x


# Steps: (name, function of the state, array number, other array number, small number). Arrays have one axis of SIZE.
def set_part(s, i, j, k):
    s.arrays[i][1:4] = s.arrays[j][:3] * k


def set_mask(s, i, j, k):
    s.arrays[i][s.arrays[j] > k] = k


def set_one(s, i, j, k):
    s.arrays[i][k % SIZE] = k


def add_to(s, i, j, k):
    s.arrays[i] += s.arrays[j]


def scale(s, i, j, k):
    s.arrays[i][::2] *= k


def sort_it(s, i, j, k):
    s.arrays[i].sort()


def out_of(s, i, j, k):
    nj.maximum(s.arrays[i], s.arrays[j], out=s.arrays[i])


def new(s, i, j, k):
    s.arrays.append(s.arrays[i] * k - s.arrays[j])


def new_view(s, i, j, k):
    s.arrays.append(column(s.arrays[i]))


def new_sum(s, i, j, k):
    s.arrays.append(s.arrays[i] + nj.cumsum(s.arrays[j])[-1])


def new_where(s, i, j, k):
    s.arrays.append(nj.where(s.arrays[i] > k, s.arrays[j], s.arrays[i]))


def new_taken(s, i, j, k):
    s.arrays.append(nj.take(s.arrays[i], nj.array([0, 2, 1, 5, 4, 3])) + s.arrays[i][k % SIZE])


def poke(s, i, j, k):
    if s.views[i % len(s.views)] is not None:
        s.views[i % len(s.views)][k % SIZE] = k + 0.5


def show_more(s, i, j, k):
    s.kept.append([np.asarray, memoryview, np.from_dlpack][k % 3](s.arrays[i]))


def show_no_more(s, i, j, k):
    if s.kept:
        s.kept.pop(k % len(s.kept))


def look_at_views(s, i, j, k):
    s.seen.append([None if v is None else v.tolist() for v in s.views] + [v.tolist() for v in s.kept])


def look_at_array(s, i, j, k):
    x = s.arrays[i]
    s.seen.append([lambda: float(x[k % SIZE]), lambda: float(x.sum()), lambda: np.asarray(x).tolist(), lambda: memoryview(x).tolist(),
                   lambda: x.item(k % SIZE), lambda: x.tobytes(), lambda: [float(v) for v in x], lambda: np.from_dlpack(x).tolist()][k % 8]())


def look_from_thread(s, i, j, k):
    on_worker(lambda: look_at_array(s, i, j, k))


def views_from_thread(s, i, j, k):
    on_worker(lambda: look_at_views(s, i, j, k))


def store_from_thread(s, i, j, k):
    on_worker(lambda: [add_to, set_one, set_part, scale][k % 4](s, i, j, k))


def compute_on_thread(s, i, j, k):
    on_worker(lambda: new(s, i, j, k))


def call_on_thread(s, i, j, k):
    x, y = s.arrays[i], s.arrays[j]
    s.seen.append(on_worker(lambda: compiled_on_thread(x, y, k)).tolist())


@nj.compile
def compiled_on_thread(x, y, k):
    x += k
    return (x * y)[1:]


def break_here(s, i, j, k):
    if s.arrays[i].sum() > k:
        s.seen.append("more")


STEPS = [set_part, set_mask, set_one, add_to, scale, sort_it, out_of, new, new, new_view, new_sum, new_where, new_taken, poke, poke,
         show_more, show_no_more, look_at_views, look_at_views, look_at_array, look_from_thread, look_from_thread, views_from_thread,
         store_from_thread, compute_on_thread, call_on_thread, break_here]


class State:
    """Arrays of a run, the views that others have of them, and what was seen."""

    def __init__(self, kinds, seed):
        rng = np.random.default_rng(seed)
        pairs = [KINDS[kind](rng.integers(-9, 10, SIZE).astype(float)) for kind in kinds]
        self.arrays = [x for x, _ in pairs]
        self.others = [other for _, other in pairs]
        self.views = [None if other is None else view_of(other) for other in self.others]
        self.kept, self.seen = [], []

    def step(self, step):
        function, i, j, k = step
        function(self, i % len(self.arrays), j % len(self.arrays), k)


class Program:
    """What a seed makes."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed = seed
        self.kinds = [rng.choice(list(KINDS)) if rng.random() < 0.7 else "own" for _ in range(rng.randint(1, 3))]
        self.steps = [(rng.choice(STEPS), rng.randrange(20), rng.randrange(20), rng.randrange(1, 9)) for _ in range(rng.randint(2, 14))]

    def outcome(self, compiled, data):
        """All that was seen, and what is in the arrays afterwards."""
        state = State(self.kinds, data)
        try:
            compiled(state, *state.arrays)
        except Exception as e:
            state.seen.append(repr(e))
        look_at_views(state, 0, 0, 0)
        return state.seen + [x.tolist() for x in state.arrays]

    def difference(self):
        """The first call whose outcomes differ, with both; None if there is none."""
        def body(state, *arrays):
            for step in self.steps:
                state.step(step)
        nj.reset()
        compiled = nj.compile(body, backend=["halide", "eager", "graph"][self.seed % 3])
        for call in range(3):
            plain, got = self.outcome(body, call % 2), self.outcome(compiled, call % 2)
            if plain != got:
                return call, plain, got
        return None

    def shrunk(self):
        """The same with as few steps as still differ."""
        at = 0
        while at < len(self.steps):
            step = self.steps.pop(at)
            if not self.difference():
                self.steps.insert(at, step)
                at += 1
        return self

    def __str__(self):
        return f"program {self.seed}, arrays {self.kinds}:\n" + "\n".join(
            f"  {function.__name__} {numbers}" for function, *numbers in self.steps)


def check_the_hunter():
    """It sees a store that is missing."""
    program = Program(1)
    program.kinds, program.steps = ["NumPy's array"], [(add_to, 0, 0, 1)]
    seen = program.outcome(lambda state, *arrays: [state.step(s) for s in program.steps], 0)
    assert seen != program.outcome(lambda state, *arrays: None, 0)


def case(rng):
    program = Program(rng.randrange(2**31))
    assert not program.difference(), f"{program.shrunk()}\ncall, plain, compiled: {program.difference()}"


if __name__ == "__main__":
    check_the_hunter()
    hunt(case)

# ctest: TIMEOUT 300
"""Random programs and their derivatives, against differences of the same program under NumPy, and each way of asking for
them against the others: backward, forward, twice, compiled, batched. Settings: hunt.py."""
import os
import random
import warnings

import numpy

from differential import nj
from gradient_forms import WITHOUT
from gradient_programs import Drawer, Kept, LIMIT, Program, Refused, checked
from hunt import hunt

STEP = 1e-4
# Programs with matrix products, whose bits vmap may change, and such that vmap has no form for: they branch by values, or a
# length depends on them.
PRODUCT = r"@|dot|matmul|einsum|inner|outer|vec|convolve|correlate|kron|cov|corrcoef|poly|multi_|matrix_"
READS = r"\bif \w|while |float\(|bool\(|\bmax\([vxyz]|sorted|next\(|unique|trim_zeros|nonzero|compress|extract|random"


# What vmap can not do, and says so: values of one example are read, or lengths depend on them.
OF_EXAMPLES = ("each example may branch its own way", "depends on values of a batched array")


class Wrong(AssertionError):
    """A finding: which check, how to see it, and what differs."""

    def __init__(self, check, call, told):
        super().__init__(f"{check}: {told}")
        self.check, self.call = check, call


# ---- numbers ----
def own(arguments):
    """The same as numjit's arrays, in the memory order they have."""
    return [nj.array(a) for a in arguments]


def flat(arrays):
    """All elements, real and imaginary parts after each other."""
    parts = [numpy.asarray(a) for a in arrays]
    return numpy.concatenate([numpy.concatenate([p.real.ravel(), p.imag.ravel()]) if p.dtype.kind == "c" else p.ravel()
                              for p in parts] or [numpy.zeros(0)]).astype("f8")


def moved(arguments, direction, t):
    """Other arguments of the same dtypes, which lie in memory as these do: what is a view and what is a copy depends on it."""
    made = [numpy.array(a) for a in arguments]
    for a, d in zip(made, direction):  # a view of 0-D ones, too
        a[...] += t * d
    return made


def bits(x):
    """The bytes of arrays, with one NaN for all."""
    if isinstance(x, (list, tuple)):
        return tuple(bits(v) for v in x)
    a = numpy.array(x)
    if a.dtype.kind in "fc" and numpy.isnan(a).any():
        a = numpy.where(numpy.isnan(a), numpy.nan, a).astype(a.dtype)
    return str(a.dtype), a.shape, a.tobytes()


def show(x):
    return repr([numpy.asarray(v).tolist() for v in x] if isinstance(x, (list, tuple)) else numpy.asarray(x).tolist())


def slope(phi, step=STEP):
    """The derivative of phi at 0, and where it is sure: two step sizes agree, and there is no kink at 0."""
    at = {k: phi(k * step) for k in (0, 1, -1, 2, -2, 4, -4)}
    one = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step)
    two = (8 * (at[2] - at[-2]) - (at[4] - at[-4])) / (24 * step)
    bends = [at[k] - 2 * at[0] + at[-k] for k in (1, 2)]
    kink = numpy.abs(bends[1] / 4 - bends[0]) / step
    allowed = 1e-6 * (1 + numpy.abs(one))
    return one, (numpy.abs(one - two) <= allowed) & (kink <= allowed)


class Case:
    """A program, its arguments in numjit's hands, and what was found on the way."""

    def __init__(self, program, seed):
        self.program, self.seed = program, seed
        self.at = list(program.arguments.values())
        self.names = tuple(range(len(self.at)))
        self.f = program.function(nj, stop=nj.stop_gradient)
        self.single = program.has('"f4"') or any(a.dtype == "f4" for a in self.at)
        self.tolerance = 3e-3 if self.single else 2e-6

    def rng(self):
        return numpy.random.default_rng(self.seed)

    def direction(self, rng):
        return [(rng.uniform(-1, 1, a.shape) + (1j * rng.uniform(-1, 1, a.shape) if a.dtype.kind == "c" else 0)).astype(a.dtype)
                for a in self.at]

    def gradients(self, f=None, at=None):
        """(value, gradients, arguments after), eagerly."""
        given = own(self.at if at is None else at)
        value, made = nj.value_and_grad(f or self.f, argnums=self.names)(*given)
        return value, made, given

    def near(self, got, expected, scale=1.0, times=1.0):
        return bool(numpy.all(numpy.abs(got - expected) <= times * self.tolerance * (scale + numpy.abs(expected))))


def plainly(f, arguments):
    """The program without derivatives. What numjit does not do, or otherwise than NumPy, others look for."""
    try:
        return f(*arguments)
    except Exception as e:
        raise Refused(str(e)) from e


# ---- checks ----
def check_value(case):
    """The program itself, and with derivatives: values and arguments as NumPy's."""
    theirs, ours = case.program.copies(), own(case.at)
    expected, got = checked(case.program.function(numpy), theirs), plainly(case.f, ours)
    if numpy.asarray(got).dtype != numpy.asarray(expected).dtype:
        raise Wrong("value", "f(*args())", f"dtype {got.dtype}, NumPy {numpy.asarray(expected).dtype}")
    if not case.near(flat([got, *ours]), flat([expected, *theirs]), LIMIT / 100):
        raise Wrong("value", "f(*args())", f"got {show([got, *ours])}, NumPy {show([expected, *theirs])}")
    value, _, given = case.gradients()
    if bits([value, *given]) != bits([got, *ours]):
        raise Wrong("value under grad", "np.value_and_grad(f)(*args())[0], f(*args())",
                    f"{show([value, *given])}, plain {show([got, *ours])}")


def check_gradient(case):
    """Backward against differences under NumPy."""
    value, made, _ = case.gradients()
    kept = Kept()
    source = Program(case.program.arguments, [s.replace('"f4"', '"f8"') for s in case.program.statements], case.program.terms)
    plain = source.function(numpy, stop=kept)
    at = [a.astype("f8") if a.dtype == "f4" else a for a in case.at]
    checked(plain, [numpy.array(a) for a in at])
    scale = max([1.0, abs(float(value))] + [float(numpy.abs(numpy.asarray(g)).max()) for g in made if g.size])
    for k, g in enumerate(made):
        got, of = numpy.asarray(g), at[k]
        if got.dtype != case.at[k].dtype or got.shape != of.shape:
            raise Wrong("grad", f"np.grad(f, argnums={k})(*args())", f"dtype {got.dtype}, shape {got.shape}")
        for place in numpy.ndindex(of.shape):
            for unit in (1, 1j) if of.dtype.kind == "c" else (1,):
                def phi(t):
                    given = [numpy.array(a) for a in at]
                    given[k][place] += t * unit
                    kept.again()
                    return float(checked(plain, given))
                try:
                    expected, sure = slope(phi)
                except Refused:
                    continue
                part = got[place].imag if unit == 1j else got[place].real
                if sure and not case.near(part, expected, scale):
                    told = f"argument {k} at {place}{' imag' * (unit == 1j)}: got {part}, differences {expected}\n  {show(got)}"
                    raise Wrong("grad", f"np.grad(f, argnums={k})(*args())", told)


def check_forward(case):
    """Forward against backward."""
    rng = case.rng()
    direction = case.direction(rng)
    value, made, _ = case.gradients()
    y, dy = nj.jvp(case.f, tuple(own(case.at)), tuple(own(direction)))
    call = f"np.jvp(f, tuple(args()), {literal(direction)})"
    if bits(y) != bits(value):
        raise Wrong("value under jvp", call, f"{show(y)}, under grad {show(value)}")
    parts = [float(numpy.sum((numpy.conj(numpy.asarray(g)) * d).real)) for g, d in zip(made, direction)]
    size = 1 + max(float(numpy.abs(numpy.asarray(g)).max()) for g in made)
    if not case.near(float(dy), sum(parts), size):
        raise Wrong("jvp", call, f"got {show(dy)}, by grad {sum(parts)}; grad {show(made)}")
    y, push = nj.linearize(case.f, *own(case.at))
    for _ in range(2):
        pushed = push(*own(direction))
        if not case.near(float(pushed), float(dy), size):
            raise Wrong("linearize", f"np.linearize(f, *args())[1](*{literal(direction)})", f"got {show(pushed)}, jvp {show(dy)}")


def check_vectors(case):
    """Functions of several results: vjp, jvp and linearize."""
    rng = case.rng()
    values = case.program.values()
    names = [n for n, v in values.items() if isinstance(v, (numpy.ndarray, numpy.generic)) and v.dtype.kind in "fc"][-3:]
    returned = "(" + "".join(f"{n}, " for n in names) + ")"
    f = case.program.function(nj, returned, nj.stop_gradient)
    direction = case.direction(rng)
    y, dy = nj.jvp(f, tuple(own(case.at)), tuple(own(direction)))
    same, pull = nj.vjp(f, *own(case.at))
    call = f"np.vjp(lambda {', '.join(case.program.arguments)}: ..., *args())  # f with: return {returned}"
    if bits(same) != bits(y):
        raise Wrong("results of vjp", call, f"{show(same)}, of jvp {show(y)}")
    weights = [(rng.uniform(-1, 1, v.shape) + (1j * rng.uniform(-1, 1, v.shape) if v.dtype.kind == "c" else 0)).astype(v.dtype)
               for v in map(numpy.asarray, y)]
    given = pull(tuple(own(weights)))
    if bits(pull(tuple(own(weights)))) != bits(given):
        raise Wrong("pull twice", call, "the second is another")
    forward = sum(float(numpy.sum((numpy.conj(w) * numpy.asarray(d)).real)) for w, d in zip(weights, dy))
    backward = sum(float(numpy.sum((numpy.conj(numpy.asarray(g)) * d).real)) for g, d in zip(given, direction))
    size = 1 + max(float(numpy.abs(flat(given)).max(initial=0)), float(numpy.abs(flat(dy)).max(initial=0)))
    if numpy.isfinite([forward, backward]).all() and not case.near(forward, backward, size, 10):
        raise Wrong("vjp", call, f"forward {forward}, backward {backward}: {show(dy)}; {show(given)}")


def check_second(case):
    """Forward over backward against differences of backward."""
    if case.single or case.program.has(r"stop\("):
        return
    direction = case.direction(case.rng())
    argument = case.names

    def gradient(*args):
        return nj.grad(case.f, argnums=argument)(*args)

    def phi(t):
        return flat(case.gradients(at=moved(case.at, direction, t))[1])
    expected, sure = slope(phi)
    _, change = nj.jvp(gradient, tuple(own(case.at)), tuple(own(direction)))
    got = flat(change)
    scale = 1 + float(numpy.abs(expected).max(initial=0)) + float(numpy.abs(phi(0.0)).max(initial=0))
    call = f"np.jvp(np.grad(f, argnums={argument}), tuple(args()), {literal(direction)})[1]"
    if not case.near(got[sure], expected[sure], scale, 10):
        raise Wrong("second", call, f"got {got.tolist()}, differences {expected.tolist()} (sure: {sure.tolist()})")


def check_twice_backward(case):
    """Backward over backward against forward over backward."""
    if case.single:
        return
    direction = case.direction(case.rng())

    def along(*args):
        made = nj.grad(case.f, argnums=case.names)(*args)
        return sum((nj.real(g) * nj.array(d.real)).sum() + (nj.imag(g) * nj.array(d.imag)).sum() for g, d in zip(made, direction))
    twice = nj.grad(along, argnums=case.names)(*own(case.at))
    _, change = nj.jvp(lambda *args: nj.grad(case.f, argnums=case.names)(*args), tuple(own(case.at)), tuple(own(direction)))
    got, expected = flat(twice), flat(change)
    if not case.near(got, expected, 1 + float(numpy.abs(expected).max(initial=0)), 10):
        inner = f"np.grad(f, argnums={case.names})(*a)"
        call = (f"np.grad(lambda *a: sum((g * d).sum() for g, d in zip({inner}, {literal(direction)})), "
                f"argnums={case.names})(*args())")
        raise Wrong("backward over backward", call, f"got {got.tolist()}, hvp {expected.tolist()}")


def check_compiled(case):
    """compile(grad(f)) and grad(compile(f)), cold and warm, and at other values between: the same bits."""
    backend, = random.Random(case.seed).choices(("eager", "graph", "halide"), (6, 3, 1))
    recompute = random.Random(case.seed).choice(("all", "cheap"))  # arrays are too small for `cheap` to do anything
    points = [case.at, case.at, moved(case.at, case.direction(case.rng()), 0.3), case.at]
    inner = f"np.compile(f, backend={backend!r})"
    outside = nj.compile(nj.value_and_grad(case.f, argnums=case.names), backend=backend)
    inside = nj.value_and_grad(nj.compile(case.f, backend=backend), argnums=case.names)
    both = nj.compile(inside, backend=backend)
    eagerly = nj.value_and_grad(case.f, argnums=case.names)
    for name, call, text in (("compile(grad(f))", outside, f"np.compile(np.grad(f, argnums={case.names}), backend={backend!r})"),
                             ("grad(compile(f))", inside, f"np.grad({inner}, argnums={case.names})"),
                             ("compile(grad(compile(f)))", both, f"np.compile(np.grad({inner}, argnums={case.names}))")):
        for number, at in enumerate(points):
            expected, plain = outcome(eagerly, at)
            with nj.config_scope(recompute=recompute):
                got, made = outcome(call, at)
            if got != expected:
                raise Wrong(name, f"with np.config_scope(recompute={recompute!r}): {text}(*args())", f"call {number} at {literal(at)}: got {made}, eagerly {plain}")
            nj.wait_for_compiles()


def check_memory(case):
    """Checkpoints, and tapes without room: the same bits, twice too."""
    rng = random.Random(case.seed)
    expected, plain = outcome(nj.value_and_grad(case.f, argnums=case.names), case.at)
    checkpointed = nj.value_and_grad(nj.checkpoint(case.f), argnums=case.names)
    size = rng.choice((1, 10, 100, 1000))
    ways = [("checkpoint", checkpointed, f"np.grad(np.checkpoint(f), argnums={case.names})", 0),
            ("tape_memory", nj.value_and_grad(case.f, argnums=case.names), f"np.grad(f, argnums={case.names})", size)]
    if rng.random() < 0.2:
        ways.append(("compiled checkpoint", nj.compile(checkpointed, backend="eager"), "np.compile(np.grad(np.checkpoint(f)))", size))
    for name, call, text, memory in ways:
        with nj.config_scope(tape_memory=memory):
            got, made = outcome(call, case.at)
        if got != expected:
            raise Wrong(name, f"with np.config_scope(tape_memory={memory}): {text}(*args())", f"got {made}, else {plain}")


def outcome(call, at):
    """What a way of value_and_grad gives: bits to compare, with those of the arguments after it, and to show. Errors by class:
    other values may lead where no program goes."""
    given = own(at)
    try:
        value, made = call(*given)
    except Exception as e:  # noqa: BLE001
        return type(e), f"{type(e).__name__}: {e}"
    return bits([value, *made, *given]), show([value, *made, *given])


def check_batched(case):
    """vmap(grad(f)) against a loop."""
    program = case.program
    if program.has(READS):
        return
    rng = case.rng()
    points = [moved([numpy.array(a, order="C") for a in case.at], case.direction(rng), 0.01) for _ in range(3)]
    loop = []
    for at in points:
        try:
            _, made, after = case.gradients(at=at)
        except Exception as e:  # noqa: BLE001
            raise Refused(str(e)) from e  # lengths may be others there
        loop.append([*made, *after])
    stacks = [numpy.stack([at[k] for at in points]) for k in case.names]
    call = f"np.vmap(np.grad(f, argnums={case.names}))(*[np.stack([a, a]) for a in args()])"

    def body(*args):
        return (*nj.grad(case.f, argnums=case.names)(*args), *args)
    try:
        made = nj.vmap(body)(*own(stacks))
    except Exception as e:  # noqa: BLE001
        if isinstance(e, NotImplementedError) or isinstance(e, ValueError) and any(text in str(e) for text in OF_EXAMPLES):
            return
        raise Wrong("vmap fails", call, f"{type(e).__name__}: {e}") from e
    for k, stack in enumerate(made):
        expected = numpy.stack([numpy.asarray(one[k]) for one in loop])
        if bits(stack) == bits(expected):
            continue
        is_near = numpy.shape(stack) == expected.shape and case.near(numpy.asarray(stack), expected)
        if not is_near or not program.has(PRODUCT):
            raise Wrong("vmap's bits" if is_near else "vmap", call, f"result {k}: got {show(stack)}, loop {show(expected)}")


def check_numpys(case):
    """The program as one of NumPy's, with its arrays."""
    if case.program.has(r"stop\("):
        return
    value, made, given = case.gradients()
    theirs = case.program.copies()
    got, gradients = nj.value_and_grad(case.program.function(numpy), argnums=case.names)(*theirs)
    if bits([got, *gradients, *theirs]) != bits([value, *made, *given]):
        call = f"np.grad(f, argnums={case.names})(*map(numpy.array, args()))  # in f, np is numpy"
        raise Wrong("program of NumPy's", call,
                    f"got {show([got, *gradients, *theirs])}, with numjit's arrays {show([value, *made, *given])}")


def check_error(case):
    """An error in the middle comes out, and leaves nothing behind."""
    rng = random.Random(case.seed)
    statements = case.program.statements[:]
    statements.insert(rng.randrange(len(statements) + 1), "raise KeyError('stop')")
    f = Program(case.program.arguments, statements, case.program.terms).function(nj, stop=nj.stop_gradient)
    plain = own(case.at)
    failing(f, plain)
    stack = [numpy.stack([a, a]) for a in case.at]
    ways = {"grad": lambda a: nj.grad(f, argnums=case.names)(*a), "jvp": lambda a: nj.jvp(f, tuple(a), tuple(own(case.at))),
            "compile(grad)": lambda a: nj.compile(nj.grad(f, argnums=case.names), backend="eager")(*a),
            "grad(grad)": lambda a: nj.grad(lambda *b: nj.grad(f)(*b).sum())(*a)}
    for name, way in ways.items():
        given = own(case.at)
        failing(lambda *a, way=way: way(a), given)
        if bits(given) != bits(plain):
            raise Wrong("arguments after an error", name, f"{show(given)}, plainly {show(plain)}")
        clean(f"{name} of a program that fails")
    try:
        failing(lambda *a: nj.vmap(nj.grad(f))(*a), own(stack))
    except (ValueError, NotImplementedError):
        pass
    clean("vmap of a program that fails")


def failing(f, arguments):
    try:
        f(*arguments)
    except KeyError:
        return
    raise Wrong("an error", "an error in the middle", "it did not come out")


def clean(behind):
    """No level is open."""
    x = nj.array([1.0, 3.0])
    made = nj.grad(lambda a: (a * a).sum())(x)
    if made.tolist() != [2.0, 6.0] or float((x * 2).sum()) != 8.0 or nj.vmap(lambda a: a * 2)(x).tolist() != [2.0, 6.0]:
        raise Wrong("state", behind, show(made))


CHECKS = (check_value, check_gradient, check_forward, check_vectors, check_second, check_twice_backward, check_compiled,
          check_memory, check_batched, check_numpys, check_error)


# ---- cases ----
def literal(arrays):
    parts = [f"np.array({numpy.asarray(a).tolist()!r}, dtype={str(numpy.asarray(a).dtype)!r})" for a in arrays]
    return "(" + "".join(f"{p}, " for p in parts) + ")"


def told(program, wrong):
    return (f"{wrong}\n\nimport numpy\nimport numjit as np\n\nstop = np.stop_gradient\n\n{program.source()}\n\ndef args():\n"
            f"    return {literal(program.arguments.values())}\n\n\nprint({wrong.call})\n")


def is_singular(case):
    """A root of zero (real square roots around one are NaN already before a derivative), or equations of steps of 1e-16."""
    if case.program.has("spacing") and case.program.has(r"linalg"):
        return True
    roots = "sqrt|cbrt" if any(a.dtype.kind == "c" for a in case.at) else "cbrt"
    return case.program.has(roots) and not numpy.isfinite(flat(case.gradients()[1])).all()


def run(check, program, seed):
    """One check of one program. NotImplementedError is right where an operation without a derivative is in it."""
    case = Case(program, seed)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            check(case)
        except NotImplementedError as e:
            clean("NotImplementedError")
            if not program.without or "derivative" not in str(e):
                raise Wrong(f"{check.__name__} NotImplementedError", "np.grad(f)(*args())", str(e)) from e
        except Refused:
            raise
        except Wrong as e:
            if is_singular(case):
                raise Refused("a place without a derivative") from e
            raise
        except numpy.linalg.LinAlgError as e:  # nor that of a factor of a singular matrix
            raise Refused(str(e)) from e
        except Exception as e:  # noqa: BLE001
            raise Wrong(f"{check.__name__} {type(e).__name__}", "np.grad(f)(*args())", str(e)) from e


def smaller(program, check, seed, wrong):
    """The program with as few statements and terms as still show it."""
    found, progress = (program, wrong), True
    while progress:
        progress = False
        now = found[0]
        for part in ("terms", "statements"):
            for k in reversed(range(len(getattr(now, part)))):
                less = Program(now.arguments, now.statements, now.terms)
                less.without = now.without
                del getattr(less, part)[k]
                try:
                    if less.terms:
                        checked(less.function(numpy), less.copies())
                        run(check, less, seed)
                except Refused:
                    continue
                except Wrong as e:
                    if e.check == wrong.check:
                        found, progress, now = (less, e), True, less
                        break
    return found


def draw(rng):
    drawer = Drawer(rng, rng.choices(("double", "single", "complex"), (7, 1, 2))[0])
    without = rng.random() < 0.12
    if without:
        for _ in range(4):
            drawer.add(rng.choice(WITHOUT))
    program = drawer.draw(rng.choice((2, 3, 4, 6, 8, 12)))
    program.without = without
    return program


def case(rng):
    """All checks of one program."""
    try:
        program = draw(rng)
    except Refused:
        return
    try:
        plainly(program.function(nj), own(program.copies()))
    except Refused:
        return
    for check in CHECKS:
        seed = rng.randrange(2**32)
        try:
            run(check, program, seed)
        except Refused:
            continue
        except Wrong as e:
            less, wrong = smaller(program, check, seed, e)
            raise AssertionError(told(less, wrong)) from wrong
    if rng.random() < 0.02:
        nj.reset()


if __name__ == "__main__":
    if "HUNT_SECONDS" not in os.environ and "HUNT_CASE" not in os.environ:  # a test among others: the same cases each time
        os.environ["HUNT_SECONDS"] = "10"
        os.environ.setdefault("HUNT_SEED", "4")
    hunt(case)

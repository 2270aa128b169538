"""Derivatives of plain functions of arrays: grad, vjp, jvp and what is made of them."""
import functools

from . import _core as C
from . import tree
from ._creation import asarray
from ._info import complex128, float64

_INEXACT = (float, complex)


def _differentiable(value):
    """Is it a leaf that has a derivative, or that an error has to be made of: an array, or a float of Python's?"""
    return isinstance(value, C.array_base) or type(value) in _INEXACT or _is_numpys(value)


def _is_numpys(value):
    return type(value).__module__ == "numpy" and hasattr(value, "__array_interface__")


class _Argument:
    """One differentiated argument: its leaves that are arrays, and where they stand in it."""

    def __init__(self, name, number, value):
        self.number, self.value = number, value
        leaves, self.structure = tree.flatten(value)
        self.places = [i for i, leaf in enumerate(leaves) if _differentiable(leaf)]
        self.others = leaves
        self.leaves = [_as_array(leaves[i]) for i in self.places]
        if not self.leaves:
            raise TypeError(f"[{name}] argument {number} holds no array: got {type(value).__name__!r}, expected arrays of a "
                            "float or "
                            "complex dtype, or a float.")

    def with_leaves(self, arrays):
        """The argument with these arrays in place of its own."""
        leaves = list(self.others)
        for place, a in zip(self.places, arrays):
            leaves[place] = a
        return tree.unflatten(self.structure, leaves)

    def leaf_name(self, number):
        return tree.leaf_name(self.value, self.places[number])


def _as_array(leaf):
    if type(leaf) is float:
        return float64(leaf)
    if type(leaf) is complex:
        return complex128(leaf)
    return leaf if isinstance(leaf, C.array_base) else asarray(leaf)


def _numbers(name, argnums, count):
    """argnums as a tuple of numbers from 0."""
    given = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    made = []
    for number in given:
        if not -count <= number < count:
            raise TypeError(f"[{name}] argnums has {number}, the call has {count} positional arguments.")
        made.append(number % count)
    return made


def _arguments(name, argnums, args):
    return [_Argument(name, i, args[i]) for i in _numbers(name, argnums, len(args))]


def _activated_by(call):
    return lambda argument: call.activate(argument.number, argument.leaves, argument.leaf_name)


def _by_argument(chosen, arrays):
    """Each chosen argument with its part of a list of arrays."""
    given = iter(arrays)
    return tuple(a.with_leaves([next(given) for _ in a.leaves]) for a in chosen)


def _run(fun, args, kwargs, chosen, activate):
    """The function's result with active arrays in its chosen arguments."""
    given = list(args)
    for argument in chosen:
        given[argument.number] = argument.with_leaves(activate(argument))
    return fun(*given, **kwargs)


def _split(name, result, has_aux):
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"[{name}] has_aux is true, and the function returned {type(result).__name__!r}, "
                        "expected a pair (value, aux).")
    return result


def _value_of(name, value):
    """The result of a function, which is one array."""
    if isinstance(value, C.array_base):
        return value
    if isinstance(value, (float, int, complex)):
        raise TypeError(f"[{name}] the function returned a Python {type(value).__name__}, expected a real 0-D array: "
                        "float() of an array "
                        "gives a constant. Return the array.")
    raise TypeError(f"[{name}] the function returned {type(value).__name__!r}, expected a real 0-D array.")


def _in_program(function, transformed):
    """`transformed(body, args, kwargs)`, with NumPy's arrays outside and ours inside where `function` is a NumPy program."""
    program = C.TransformedProgram(function)

    def call(*args, **kwargs):
        given = args + tuple(kwargs.values())
        if program.is_called(given):
            return program.call(lambda body, *own: transformed(body, own[:len(args)], dict(zip(kwargs, own[len(args):]))), given)
        return transformed(program.body(), args, kwargs)
    return call


def _twin(function):
    """The function, or its twin inside a NumPy program."""
    return function if function is None else C.TransformedProgram(function).body()


def _value_and_gradients(name, fun, argnums, has_aux, args, kwargs):
    if not has_aux and not kwargs and (plain := C.plain_gradients(name, fun, argnums, args)):
        value, made = _value_of(name, plain[0]), plain[1]
        return value, None, made[0] if isinstance(argnums, int) else tuple(made)
    chosen = _arguments(name, argnums, args)
    call = C.ReverseCall(name)
    try:
        result = _run(fun, args, kwargs, chosen, _activated_by(call))
        value, aux = _split(name, result, has_aux)
        value = _value_of(name, value)
        call.finish([value])
        gradients = call.gradients(value, [leaf for a in chosen for leaf in a.leaves])
    finally:
        call.close()
    made = _by_argument(chosen, gradients)
    return value, aux, made[0] if isinstance(argnums, int) else made


def _checked(name, fun):
    if not callable(fun):
        raise TypeError(f"[{name}] got an object of type {type(fun).__name__!r}, expected a function.")


def _wrapped(name, fun, call):
    try:
        functools.update_wrapper(call, fun)
    except (AttributeError, TypeError):
        pass
    call.__numjit_transformed__ = fun
    call.__name__ = call.__qualname__ = f"{name}({getattr(fun, '__name__', repr(fun))})"
    return call


def grad(fun, argnums=0, has_aux=False):
    """A function that gives the gradient of `fun`, whose result is a real 0-D array.

    The gradient is a tree like the argument (tuples, lists, dicts, dataclasses of arrays); argnums of several numbers gives a
    tuple of them. With has_aux, `fun` returns a pair (value, aux), and the result is (gradient, aux). The function is called as
    it is: it may store into arrays, take views, read values and branch by them, and call compiled functions.

    TypeError for integers among the arrays, ValueError for other results than a real 0-D array, NotImplementedError where the
    derivative of an operation is not known.

        >>> numjit.grad(lambda x: (x * x).sum())(numjit.array([1.0, 2.0]))
        array([2., 4.])
    """
    _checked("grad", fun)

    def transformed(body, args, kwargs):
        _, aux, gradients = _value_and_gradients("grad", body, argnums, has_aux, args, kwargs)
        return (gradients, aux) if has_aux else gradients
    return _wrapped("grad", fun, _in_program(fun, transformed))


def value_and_grad(fun, argnums=0, has_aux=False):
    """Like grad, with the value: (value, gradient), or ((value, aux), gradient).

        >>> numjit.value_and_grad(lambda x: (x * x).sum())(numjit.array([1.0, 2.0]))
        (np.float64(5.0), array([2., 4.]))
    """
    _checked("value_and_grad", fun)

    def transformed(body, args, kwargs):
        value, aux, gradients = _value_and_gradients("value_and_grad", body, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), gradients
    return _wrapped("value_and_grad", fun, _in_program(fun, transformed))


class _Results:
    """The arrays of a result, which is a tree."""

    def __init__(self, name, result):
        self.value = result
        leaves, self.structure = tree.flatten(result)
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, C.array_base)]
        self.others = leaves
        self.arrays = [leaves[i] for i in self.places]

    def with_arrays(self, arrays):
        leaves = list(self.others)
        for place, a in zip(self.places, arrays):
            leaves[place] = a
        return tree.unflatten(self.structure, leaves)

    def released(self):
        """The arrays, which go from here."""
        arrays, self.arrays = self.arrays, None
        for place in self.places:
            self.others[place] = None
        return arrays

    def with_changes(self, arrays):
        """The same where the arrays are changes: numbers and NumPy's arrays do not change."""
        leaves = [_no_change(leaf) for leaf in self.others]
        for place, a in zip(self.places, arrays):
            leaves[place] = a
        return tree.unflatten(self.structure, leaves)

    def matched(self, name, what, given):
        """The arrays of a tree like the result."""
        leaves = _arrays_like(name, f"the {what}", self.structure, given, self.places)
        for i, (leaf, like) in enumerate(zip(leaves, self.arrays)):
            C.check_like(name, what, i, leaf, like, "result")
        return leaves


def _no_change(leaf):
    if type(leaf) in (bool, int, float, complex):
        return type(leaf)(0)
    return leaf * 0 if _is_numpys(leaf) and leaf.dtype.kind in "biufc" else leaf


def _arrays_like(name, what, structure, given, places):
    """The arrays at these places of a tree that has to have a structure."""
    try:
        leaves = tree.flatten_like(structure, given)
    except ValueError as error:
        raise ValueError(f"[{name}] {what} has another structure: {error}") from None
    for place in places:
        if not _differentiable(leaves[place]):
            raise TypeError(f"[{name}] {what} has {type(leaves[place]).__name__!r} in the place of an array.")
    return [_as_array(leaves[place]) for place in places]


def _recorded(name, fun, args, has_aux):
    """A call that is gone through later: (call, arguments, value, aux, results)."""
    _checked(name, fun)
    chosen = _arguments(name, range(len(args)), args)
    call = C.ReverseCall(name)
    try:
        value, aux = _split(name, _run(fun, args, {}, chosen, _activated_by(call)), has_aux)
        results = _Results(name, value)
        call.finish(results.arrays)
        call.own_values()
    except BaseException:
        call.close()
        raise
    return call, chosen, value, aux, results


def vjp(fun, *args, has_aux=False):
    """(result, pull) of fun(*args): pull(cotangent) gives the cotangents of the arguments, J^H g.

    The cotangent is a tree like the result. pull may be called often; `fun` does not run again.

        >>> y, pull = numjit.vjp(numjit.sin, numjit.array([0.0, 1.0]))
        >>> pull(numjit.ones(2))
        (array([1.        , 0.54030231]),)
    """
    _checked("vjp", fun)

    def recorded(body, args):
        call, chosen, value, aux, results = _recorded("vjp", body, args, has_aux)
        leaves = [leaf for a in chosen for leaf in a.leaves]

        def pull(cotangent):
            return _by_argument(chosen, call.pull(results.matched("vjp", "cotangent", cotangent), leaves))
        return (value, pull, aux) if has_aux else (value, pull)
    return _recorded_in_program(fun, recorded, args)


def _recorded_in_program(fun, recorded, args):
    """`recorded(body, args)`, which gives (result, a function, ...). Of a NumPy program the function takes and gives NumPy's
    arrays."""
    program = C.TransformedProgram(fun)
    if not program.is_called(args):
        return recorded(program.body(), args)
    result, gone_through, *more = program.call(lambda body, *own: recorded(body, own), args)

    def with_numpys(*given):
        return program.call(lambda _, *own: gone_through(*own), given)
    return (result, with_numpys, *more)


def _changes(name, chosen, tangents):
    """The arrays of the changes of each argument."""
    if not isinstance(tangents, (tuple, list)) or len(tangents) != len(chosen):
        raise TypeError(f"[{name}] got tangents for {len(tangents) if isinstance(tangents, (tuple, list)) else 1} arguments, the "
                        f"call has {len(chosen)}.")
    return [_arrays_like(name, f"tangent {a.number}", a.structure, t, a.places) for a, t in zip(chosen, tangents)]


def jvp(fun, primals, tangents, has_aux=False):
    """(result, its change) of fun(*primals) for these changes of the arguments.

        >>> numjit.jvp(numjit.sin, (numjit.array([0.0]),), (numjit.array([2.0]),))
        (array([0.]), array([2.]))
    """
    _checked("jvp", fun)
    if not isinstance(primals, (tuple, list)):
        raise TypeError(f"[jvp] got primals of type {type(primals).__name__!r}, expected a tuple of arguments.")
    return _pushed_in_program("jvp", fun, primals, tangents, has_aux)


def _pushed_in_program(name, fun, primals, tangents, has_aux=False):
    program = C.TransformedProgram(fun)
    if program.is_called((primals, tangents)):
        return program.call(lambda body, *own: _pushed(name, body, *own, has_aux), (primals, tangents))
    return _pushed(name, program.body(), primals, tangents, has_aux)


def _pushed(name, fun, primals, tangents, has_aux):
    chosen = _arguments(name, range(len(primals)), primals)
    given = _changes(name, chosen, tangents)
    call = C.ForwardCall(name)
    try:
        value, aux = _split(name, _run(fun, primals, {}, chosen,
                                        lambda a: call.activate(a.number, a.leaves, given[a.number], a.leaf_name)), has_aux)
        results = _Results(name, value)
        change = results.with_changes(call.finish(results.arrays))
    finally:
        call.close()
    return (value, change, aux) if has_aux else (value, change)


def linearize(fun, *primals):
    """(result, push) of fun(*primals): push(*tangents) gives the result's change without running `fun`.

        >>> y, push = numjit.linearize(numjit.sin, numjit.array([0.0]))
        >>> push(numjit.array([2.0]))
        array([2.])
    """
    _checked("linearize", fun)

    def recorded(body, primals):
        call, chosen, value, _, results = _recorded("linearize", body, primals, False)

        def push(*tangents):
            given = _changes("linearize", chosen, tangents)
            for argument, changes in zip(chosen, given):
                for leaf, like in zip(changes, argument.leaves):
                    C.check_like("linearize", "tangent", argument.number, leaf, like, "argument")
            return results.with_changes(call.push([leaf for changes in given for leaf in changes], results.arrays))
        return value, push
    return _recorded_in_program(fun, recorded, primals)


def _jacobian(name, mode, fun, argnums):
    _checked(name, fun)

    def transformed(body, args, kwargs):
        chosen = _arguments(name, argnums, args)
        call = C.ReverseCall(name)
        try:
            results = _Results(name, _run(body, args, kwargs, chosen, _activated_by(call)))
            if not results.arrays:
                raise TypeError(f"[{name}] the function returned {type(results.value).__name__!r}, expected an array, or a tree "
                                "of arrays.")
            call.finish(results.arrays)
            leaves = [leaf for a in chosen for leaf in a.leaves]
            made = [_by_argument(chosen, call.jacobian(mode, results.arrays, i, leaves)) for i in range(len(results.arrays))]
        finally:
            call.close()
        return results.with_arrays([m[0] if isinstance(argnums, int) else m for m in made])
    return _wrapped(name, fun, _in_program(fun, transformed))


def jacrev(fun, argnums=0):
    """The Jacobian of a function, by one sweep back for each element of the result: shape result.shape + argument.shape.

    A result that is a tree gives a tree like it, an argument that is a tree one for each array of the result, and several argnums
    a tuple.

        >>> numjit.jacrev(lambda x: x * x)(numjit.array([1.0, 2.0]))
        array([[2., 0.],
               [0., 4.]])
    """
    return _jacobian("jacrev", "rows", fun, argnums)


def jacfwd(fun, argnums=0):
    """The Jacobian of a function, like jacrev, by one sweep forward for each element of the arguments."""
    return _jacobian("jacfwd", "columns", fun, argnums)


def jacobian(fun, argnums=0):
    """The Jacobian of a function, like jacrev, the shorter way."""
    return _jacobian("jacobian", "either", fun, argnums)


def hessian(fun, argnums=0):
    """The second derivatives of a function with a real 0-D result, of shape argument.shape + argument.shape.

    Arguments that are trees, and several argnums, give trees of trees. TypeError for complex arguments: use vjp or jvp of the
    gradient.

        >>> numjit.hessian(lambda x: (x ** 3).sum())(numjit.array([1.0, 2.0]))
        array([[ 6.,  0.],
               [ 0., 12.]])
    """
    _checked("hessian", fun)
    second = jacfwd(grad(fun, argnums), argnums)

    def call(*args, **kwargs):
        for number in _numbers("hessian", argnums, len(args)):
            for leaf in tree.leaves(args[number]):
                if isinstance(leaf, C.array_base) or type(leaf) is complex:
                    C.check_real("hessian", _as_array(leaf))
        return second(*args, **kwargs)
    return _wrapped("hessian", fun, call)


def hvp(fun, primals, tangents):
    """The Hessian of `fun` by its first argument times a vector, without the matrix: forward over backward. `primals` and
    `tangents` are an argument and a vector like it, or tuples of all arguments and their vectors.

        >>> numjit.hvp(lambda x: (x ** 3).sum(), numjit.array([1.0, 2.0]), numjit.ones(2))
        array([ 6., 12.])
    """
    _checked("hvp", fun)
    if not isinstance(primals, (tuple, list)):
        primals, tangents = (primals,), (tangents,)
    return _pushed_in_program("hvp", grad(fun), primals, tangents)[1]


def checkpoint(fun):
    """`fun`, of which derivatives keep only what it takes from outside: on the way back its operations are carried out again.

    The function itself is called once: what it prints, draws or counts happens once, and gradients have the same bits. Arrays that
    come from outside are kept, and results of functions with rules of their own. Checkpoints may stand in each other; also a
    decorator.

        >>> layer = numjit.checkpoint(lambda x: numjit.tanh(numjit.sin(x) * x))
        >>> numjit.grad(lambda x: layer(layer(x)).sum())(numjit.zeros(2))
        array([0., 0.])
    """
    _checked("checkpoint", fun)

    @functools.wraps(fun, updated=())
    def call(*args, **kwargs):
        if not C.levels_are_open():
            return fun(*args, **kwargs)
        scope = C.Checkpoint()
        try:
            return fun(*args, **kwargs)
        finally:
            scope.close()
    return call


def stop_gradient(x):
    """The same values, as constants: no derivative goes through.

        >>> numjit.grad(lambda x: (x * numjit.stop_gradient(x)).sum())(numjit.array([3.0]))
        array([3.])
    """
    return tree.map(lambda leaf: C.stop_gradient(leaf) if isinstance(leaf, C.array_base) else leaf, x)


# ---- batching ----

def _axes_of(name, axes, value, path=""):
    """An axis for each leaf of a value: `axes` is an int or None for all of it, or a container like it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(tree.leaves(value))
    parts, given = tree.children(value), tree.children(axes)
    if parts is None or given is None or set(parts) != set(given):
        count = 0 if given is None else len(given)
        raise ValueError(f"[vmap] {name}{path} is a {type(axes).__name__!r} with {count} entries, expected an int, "
                         f"None, or a container like what it belongs to.")
    return [axis for step, part in parts.items() for axis in _axes_of(name, given[step], part, path + step)]


def vmap(fun, in_axes=0, out_axes=0, axis_size=None, randomness="error"):
    """`fun` over an axis of its arguments: the result has the axis of examples, too.

    The function is called once, with arrays that have the shape of one example and no values; arrays that it makes become batched
    when a batched value is stored into them. in_axes has an int or None for each argument, or one for all, or containers like the
    arguments. randomness says what draws of random numbers do: "error"; "same", each example has the numbers that the function
    alone would draw; "different", one example draws after the other.

    ValueError for axes of different sizes, where values of a batched array are read, and where one is stored into an array made
    outside of the function.

        >>> numjit.vmap(lambda row: numjit.sqrt((row * row).sum()))(numjit.array([[3.0, 4.0], [6.0, 8.0]]))
        array([ 5., 10.])
    """
    _checked("vmap", fun)

    def transformed(body, args, kwargs):
        given = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(given) != len(args):
            raise ValueError(f"[vmap] in_axes has {len(given)} entries, the call has {len(args)} positional arguments.")
        call = C.BatchCall(axis_size, randomness)
        flat = [tree.flatten(value) for value in args]
        places = []
        for number, (value, (leaves, _)) in enumerate(zip(args, flat)):
            for at, (leaf, axis) in enumerate(zip(leaves, _axes_of("in_axes", given[number], value))):
                if axis is not None and _differentiable_or_array(leaf):
                    call.add(number, _as_array(leaf), axis)
                    places.append((number, at))
        try:
            for (number, at), stand_in in zip(places, call.begin()):
                flat[number][0][at] = stand_in
            result = body(*[tree.unflatten(structure, leaves) for leaves, structure in flat], **kwargs)
            results = _Results("vmap", result)
            axes = _axes_of("out_axes", out_axes, result)
            stacks = call.finish(results.arrays, [axes[i] for i in results.places])
        finally:
            call.close()
        return results.with_arrays(stacks)
    return _wrapped("vmap", fun, _in_program(fun, transformed))


def _differentiable_or_array(leaf):
    return isinstance(leaf, C.array_base) or _is_numpys(leaf)

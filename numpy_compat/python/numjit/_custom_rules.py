"""Functions with derivatives of their own: custom_vjp and custom_jvp."""
import functools

from . import _core as C
from . import tree
from ._functions import zeros
from ._transforms import _as_array, _Results, _twin, vmap


class Below:
    """Operations go to the level below."""

    def __init__(self, call):
        self.call = call

    def __enter__(self):
        self.call.begin_below()

    def __exit__(self, *_):
        self.call.end_below()


class _Custom:
    def __init__(self, fun):
        functools.update_wrapper(self, fun)
        self._fun = fun

    def __call__(self, *args):
        inputs = _Results(self._kind, args)
        call = C.CustomCall(inputs.arrays)
        if call.is_plain:
            return _twin(self._fun)(*args)
        if call.is_for_below:
            with Below(call):
                return self(*args)
        self._check_rules()
        if call.is_batched:
            return self._called_for_stacks(call, inputs)
        return self._called(call, inputs, args)

    def _called_for_stacks(self, call, inputs):
        """Over a batch that other transforms see from outside: the function of all examples, with its rules over them."""
        stacks, axes, size = call.stacks()
        places = [None] * len(inputs.others)
        for place, axis in zip(inputs.places, axes):
            places[place] = axis
        in_axes, values, left = tree.unflatten(inputs.structure, places), inputs.with_arrays(stacks), iter(axes)
        arguments = [_Results(self._kind, value) for value in values]
        arguments = [(a, [next(left) for _ in a.arrays]) for a in arguments]
        with Below(call):
            made = self._over_examples(in_axes, size, arguments)(*values)
        results = _Results(self._kind, made)
        return results.with_arrays(call.examples(results.arrays))


class custom_vjp(_Custom):
    """A function with a derivative of its own: fwd(*args) gives (result, kept), bwd(kept, cotangent) a tuple of the cotangents of
    the arguments, None for those that have none. `fun` is not looked into.

        @numjit.custom_vjp
        def clipped(x):
            return x
        clipped.defvjp(lambda x: (x, None), lambda kept, g: (numjit.clip(g, -1, 1),))
    """

    _kind = "custom_vjp"

    def __init__(self, fun, fwd=None, bwd=None):
        super().__init__(fun)
        self._fwd, self._bwd = fwd, bwd

    def defvjp(self, fwd, bwd):
        """Sets the rules."""
        self._fwd, self._bwd = fwd, bwd
        return self

    def _check_rules(self):
        if self._fwd is None:
            raise TypeError(f"[custom_vjp] {self.__name__} has no rules: call defvjp(fwd, bwd).")

    def _over_examples(self, in_axes, size, arguments):
        backward = vmap(_twin(self._bwd), axis_size=size)

        def bwd(kept, cotangent):
            given = backward(kept, cotangent)
            if not isinstance(given, (tuple, list)):
                given = (given,)
            if len(given) != len(arguments):
                return given
            return tuple(_over_those_of_one(a, axes, of_value) for (a, axes), of_value in zip(arguments, given))
        return custom_vjp(vmap(self._fun, in_axes, axis_size=size), vmap(self._fwd, in_axes, axis_size=size), bwd)

    def _called(self, call, inputs, args):
        if call.is_forward:
            raise NotImplementedError("[jvp] no forward derivative of a custom_vjp function is known. Give one by custom_jvp.")
        with Below(call):
            result, kept = _twin(self._fwd)(*args)
        results, bwd, kept = _Results("custom_vjp", result), _twin(self._bwd), _Results("custom_vjp", kept)
        arrays = kept.released()

        def back(cotangents, arrays):
            given = bwd(kept.with_arrays(arrays), results.with_arrays(_or_zeros(cotangents, results.arrays)))
            given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
            if len(given) != len(args):
                raise ValueError(f"[custom_vjp] bwd gave {len(given)} cotangent{'s' * (len(given) != 1)}, the function has "
                                 f"{len(args)} "
                                 f"argument{'s' * (len(args) != 1)}.")
            return [g for number, (value, of_value) in enumerate(zip(args, given)) for g in _given_back(number, value, of_value)]
        return results.with_arrays(call.note(results.arrays, back, None, arrays))


def _over_those_of_one(argument, axes, given):
    """A cotangent of stacks: of arrays that are the same for all examples, which have no axis, the sum over these."""
    if given is None or all(axis is not None for axis in axes):
        return given
    try:
        leaves = tree.flatten_like(argument.structure, given)
    except ValueError:
        return given  # which is said where it is given back
    for place, axis in zip(argument.places, axes):
        if axis is None and leaves[place] is not None:
            leaves[place] = _as_array(leaves[place]).sum(0)
    return tree.unflatten(argument.structure, leaves)


def _given_back(number, value, given):
    """The cotangents that bwd gave for the arrays of an argument, None for those without one."""
    wanted = _Results("custom_vjp", value)
    if given is None or not wanted.arrays:
        return [None] * len(wanted.arrays)
    try:
        leaves = tree.flatten_like(wanted.structure, given)
    except ValueError as error:
        raise ValueError(f"[custom_vjp] cotangent {number} that bwd gave has another structure: {error}") from None
    made = [None if leaves[place] is None else _as_array(leaves[place]) for place in wanted.places]
    for g, like in zip(made, wanted.arrays):
        if g is not None and like.dtype.kind in "fc":
            C.check_like("custom_vjp", "cotangent", number, g, like, "argument")
    return [g if like.dtype.kind in "fc" else None for g, like in zip(made, wanted.arrays)]


class custom_jvp(_Custom):
    """A function with a derivative of its own: rule(args, changes) gives (result, its change), which is linear in the changes.
    Backward mode goes back through what the rule does with the changes. `fun` is not looked into.

        @numjit.custom_jvp
        def safe_log(x):
            return numjit.log(x)
        safe_log.defjvp(lambda args, changes: (numjit.log(args[0]), changes[0] / numjit.maximum(args[0], 1e-3)))
    """

    _kind = "custom_jvp"

    def __init__(self, fun, rule=None):
        super().__init__(fun)
        self._rule = rule

    def defjvp(self, rule):
        """Sets the rule."""
        self._rule = rule
        return self

    def _check_rules(self):
        if self._rule is None:
            raise TypeError(f"[custom_jvp] {self.__name__} has no rule: call defjvp(rule).")

    def _over_examples(self, in_axes, size, _arguments):
        rule = vmap(_twin(self._rule), (in_axes, in_axes), axis_size=size)
        return custom_jvp(vmap(self._fun, in_axes, axis_size=size), rule)

    def _called(self, call, inputs, args):
        changes, rule = call.changes(), _twin(self._rule)
        if call.is_forward:
            with Below(call):
                result, change = rule(args, inputs.with_changes(changes))
            results = _Results("custom_jvp", result)
            return results.with_arrays(call.note_changes(results.arrays, results.matched("custom_jvp", "change", change)))
        # Integers have changes of zero, which the rule may read, and no derivative.
        moving = [i for i, change in enumerate(changes) if change.dtype.kind in "fc"]
        with Below(call):
            linear = C.ReverseCall("custom_jvp")
            try:
                active = linear.activate(0, [changes[i] for i in moving], lambda number: "")
                given = list(changes)
                for i, change in zip(moving, active):
                    given[i] = change
                result, change = rule(args, inputs.with_changes(given))
                results = _Results("custom_jvp", result)
                linear.finish(results.matched("custom_jvp", "change", change))
                linear.own_values()
            except BaseException:
                linear.close()
                raise

        def back(cotangents, _kept):
            made = [None] * len(changes)
            for i, g in zip(moving, linear.pull(_or_zeros(cotangents, results.arrays), [changes[i] for i in moving])):
                made[i] = g
            return made

        def forward(given):
            return linear.push(_or_zeros([given[i] for i in moving], [changes[i] for i in moving]), results.arrays)
        return results.with_arrays(call.note(results.arrays, back, forward, []))


def _or_zeros(given, like):
    """Arrays, and zeros where there is None."""
    return [zeros(a.shape, a.dtype) if g is None else g for g, a in zip(given, like)]

"""Expressions of functions of numbers, for all lanes at once."""
import ast
import inspect
import math
import operator
import types

from . import _core as C
from ._creation import asarray
from ._lane_arrays import Cells, integers_fit, looked_up, made_inside
from ._lane_calls import CALLS
from ._lane_source import Refusal, plain_function
from ._lane_values import HIGHEST, LOWEST, Lane, binary, both, bounds, how_of, is_number, kind_of, of_numpy, raw, select, truth, unary
from ._ufuncs import aliases, by_name

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
           ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_PLAIN = (int, float, complex, bool, str, type(None), tuple)
_MAKERS = {"zeros": 0, "ones": 1, "empty": 0}


class LaneRange:
    """range() with bounds that differ between lanes."""

    def __init__(self, start, stop, step):
        if type(step) is not int or step == 0:
            raise Refusal("a range whose step differs between lanes, or is 0")
        if not all(is_number(v) and kind_of(v) in "bi" and how_of(v) == "py" for v in (start, stop)):
            raise Refusal("a range of what is no int of Python's")
        self.start, self.stop, self.step = start, stop, step

    def in_lanes(self, change):
        """The same with other lanes."""
        return LaneRange(change(self.start), change(self.stop), self.step)

    def goes_on(self, run, live, k):
        """In which lanes is there a k-th number?"""
        room = HIGHEST - abs(self.step)
        if k == 0 and max(abs(b) for b in bounds(self.stop)) > room:
            run.flag(live, by_name["absolute"](raw(self.stop)) > room)
        at = raw(self.start) + k * self.step
        return at < raw(self.stop) if self.step > 0 else at > raw(self.stop)

    def number(self, k):
        """The k-th number."""
        low, high = bounds(self.start)[0], bounds(self.stop)[1] - 1
        if self.step < 0:
            low, high = bounds(self.stop)[0] + 1, bounds(self.start)[1]
        at = raw(self.start) + k * self.step
        return Lane(at, "i", low=max(low, LOWEST), high=min(high, HIGHEST)) if isinstance(at, C.array_base) else at


class Expressions:
    """The part of a frame that knows expressions."""

    def value(self, node):
        method = getattr(self, "_e_" + type(node).__name__, None)
        if method is None:
            raise Refusal(f"an expression that is not turned: {type(node).__name__.lower()}", node)
        try:
            return method(node)
        except Refusal as refusal:
            refusal.node = refusal.node or node
            raise

    def _under(self, mask, node):
        """The value of what only some of the lanes compute."""
        live, waits = self.live, self.waits
        self.live, self.waits = both(live, mask), True
        try:
            return self.value(node)
        finally:
            self.live, self.waits = live, waits

    def _e_Constant(self, node):
        if not isinstance(node.value, _PLAIN):
            raise Refusal(f"a constant of type {type(node.value).__name__!r}")
        return node.value

    def _e_Name(self, node):
        value = self.name(node.id)
        return value if node.id in self.local or not _is_scalar(value) else of_numpy(asarray(value))

    def _e_Tuple(self, node):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            raise Refusal("a star")
        return tuple(self.value(e) for e in node.elts)

    def _e_List(self, node):
        made = list(self._e_Tuple(node))
        self.run.lists.append(made)
        return made

    def _e_Slice(self, node):
        parts = [None if p is None else self.value(p) for p in (node.lower, node.upper, node.step)]
        if any(isinstance(p, Lane) for p in parts):
            raise Refusal("a slice whose bounds differ between lanes")
        return slice(*parts)

    def _e_UnaryOp(self, node):
        v = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            test = truth(v)
            return not test if isinstance(test, bool) else Lane(~test, "b")
        return unary(self.run, self.live, _UNARY[type(node.op)], v)

    def _e_BinOp(self, node):
        return self.operated(node.op, self.value(node.left), self.value(node.right))

    def operated(self, op, x, y):
        """An operator's result."""
        name = _BINARY.get(type(op))
        if name is None:
            raise Refusal("the operator @")
        if isinstance(x, list) and type(y) is int and name == "*":
            self.run.lists.append(made := x * y)
            return made
        return binary(self.run, self.live, name, x, y)

    def _e_Compare(self, node):
        left, made = self.value(node.left), None
        for op, right_node in zip(node.ops, node.comparators):
            test = True if made is None else truth(made)
            if test is False:
                return False
            right = self.value(right_node) if test is True else self._under(test, right_node)
            found = self._compared(op, left, right, self.live if test is True else both(self.live, test))
            made = found if test is True else self._decided(True, test, made, found)
            left = right
        return made

    def _compared(self, op, x, y, live):
        """A bool, of Python's or of lanes."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            if x is not None and y is not None:
                raise Refusal("`is` between numbers")
            return (x is y) == isinstance(op, ast.Is)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = False
            for v in self.parts(y):
                test = truth(binary(self.run, live, "==", x, v))
                found = test if found is False else found | test
            if isinstance(found, bool):
                return found == isinstance(op, ast.In)
            return Lane(found if isinstance(op, ast.In) else ~found, "b")
        if not is_number(x) or not is_number(y):
            if isinstance(x, (str, type(None))) and isinstance(y, (str, type(None))) and type(op) in (ast.Eq, ast.NotEq):
                return (x == y) == isinstance(op, ast.Eq)
            raise Refusal("a comparison of what is no number")
        return binary(self.run, live, _COMPARE[type(op)], x, y)

    def _decided(self, is_and, test, left, right):
        """The operand of `and` or `or` that decides, where `test` is the truth of the left one."""
        if is_number(right) and kind_of(right) == kind_of(left) == "b" and how_of(right) == how_of(left):
            return Lane(test & raw(right) if is_and else test | raw(right), "b", how_of(left), left.first)
        return select(self.run, self.live, test, *((right, left) if is_and else (left, right)))

    def _e_BoolOp(self, node):
        """and, or: the value of the operand that decides."""
        is_and = isinstance(node.op, ast.And)
        made = self.value(node.values[0])
        for part in node.values[1:]:
            test = truth(made)
            if isinstance(test, bool):
                made = self.value(part) if test is is_and else made
                continue
            made = self._decided(is_and, test, made, self._under(test if is_and else ~test, part))
        return made

    def _e_IfExp(self, node):
        test = truth(self.value(node.test))
        if isinstance(test, bool):
            return self.value(node.body if test else node.orelse)
        x, y = self._under(test, node.body), self._under(~test, node.orelse)
        return select(self.run, self.live, test, x, y)

    def _e_NamedExpr(self, node):
        value = self.value(node.value)
        self.assign(node.target.id, value)
        return value

    def _comprehension(self, node):
        if len(node.generators) != 1 or node.generators[0].ifs or not isinstance(node.generators[0].target, ast.Name):
            raise Refusal("a comprehension other than one name in one loop without conditions")
        name, made = node.generators[0].target.id, []
        items = self.parts(self.value(node.generators[0].iter))
        names, sure, local = dict(self.names), set(self.sure), self.local
        self.local = local | {name}
        for item in items:
            self.names[name] = item
            self.sure.add(name)
            made.append(self.value(node.elt))
        self.names, self.sure, self.local = names, sure, local
        self.run.lists.append(made)
        return made

    _e_ListComp = _e_GeneratorExp = _comprehension

    # ---- indices ----

    def parts(self, value):
        """What a loop over a value meets."""
        if isinstance(value, Cells):
            return value.parts()
        if isinstance(value, (tuple, list, range)):
            return value
        if _is_array(value) and value.ndim == 1:
            return [of_numpy(asarray(v)) for v in value]
        raise Refusal(f"a loop over an object of type {type(value).__name__!r}")

    def key(self, node):
        made = self.value(node)
        return made if isinstance(made, tuple) else (made,)

    def _e_Subscript(self, node):
        return self.item(self.value(node.value), self.key(node.slice))

    def item(self, of, key):
        lanes = any(isinstance(k, Lane) for k in key)
        if isinstance(of, Cells):
            return of.gathered(self.run, self.live, key) if lanes else of.at(key)
        if isinstance(of, (list, tuple, range)) and len(key) == 1:
            if not lanes:
                try:
                    return of[key[0]]
                except (IndexError, TypeError) as error:
                    raise Refusal(f"it raises {type(error).__name__}") from None
            if any(isinstance(v, Lane) for v in of):
                raise Refusal("an index that differs between lanes, into a list of what differs between lanes")
            return looked_up(self.run, self.live, of, key)
        if _is_array(of):
            return looked_up(self.run, self.live, of, key) if lanes else _e_constant(of[key if len(key) > 1 else key[0]])
        raise Refusal(f"an index into an object of type {type(of).__name__!r}")

    def store_item(self, of, key, value):
        """of[key] = value."""
        lanes = any(isinstance(k, Lane) for k in key)
        if isinstance(of, Cells):
            (of.scattered if lanes else of.set)(self.run, self.live, key, value)
        elif any(of is made for made in self.run.lists) and not lanes and type(key[0]) is int and -len(of) <= key[0] < len(of):
            of[key[0]] = value if self.live is None else select(self.run, None, self.live, value, of[key[0]])
        else:
            raise Refusal("a store into what the function has not made, or at an index that differs between lanes")

    def _e_Attribute(self, node):
        of = self.value(node.value)
        if isinstance(of, Cells) and node.attr in ("shape", "size", "ndim", "dtype"):
            return getattr(of, node.attr)
        if isinstance(of, Lane):
            if node.attr in ("real", "imag") and of.kind in "fc":
                return self._part(of, node.attr)
            raise Refusal(f"the attribute {node.attr!r} of a number")
        if is_number(of) and node.attr in ("real", "imag"):
            return getattr(of, node.attr)
        if isinstance(of, _PLAIN) or isinstance(of, list):
            raise Refusal(f"the attribute {node.attr!r} of an object of type {type(of).__name__!r}")
        if isinstance(of, Cells):
            raise Refusal(f"the attribute {node.attr!r} of an array")
        if not _is_plain_attribute(of, node.attr):
            raise Refusal(f"the attribute {node.attr!r} of an object of type {type(of).__name__!r}, which may run code")
        value = getattr(of, node.attr)
        return of_numpy(asarray(value)) if _is_scalar(value) else value

    @staticmethod
    def _part(v, name):
        if v.kind == "f":
            return v if name == "real" else Lane(v.a * 0.0, "f", v.how, v.first)
        made = getattr(v.a, name)
        if v.how == "np":
            return of_numpy(made)
        return Lane(made, "f", v.how, None if v.first is None else made.dtype if v.first == v.a.dtype else v.first)

    # ---- calls ----

    def _e_Call(self, node):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "conjugate":
            v = self.value(node.func.value)
            if isinstance(v, Lane) and v.kind == "c" and not node.args:
                return Lane(by_name["conjugate"](v.a), "c", v.how, v.first)
        function = self.value(node.func)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise Refusal("a star")
        args = [self.value(a) for a in node.args]
        named = {k.arg: self.value(k.value) for k in node.keywords}
        try:
            return self.called(function, args, named)
        except TypeError as error:
            raise Refusal(f"it raises {type(error).__name__}") from None

    def called(self, function, args, named):
        """A call's result."""
        if function is range:
            return LaneRange(*_range_of(args)) if any(isinstance(a, Lane) for a in args) else range(*args)
        if function in (enumerate, zip, reversed) and not named:
            return _listed(function, [self.parts(a) for a in args[:1 if function is not zip else None]], args)
        handler = CALLS.get(function) if isinstance(function, (type, *_BUILTINS)) else None
        if handler is not None:
            if not _holds_lanes(args):
                return _plainly(function, args, named)
            if named:
                raise Refusal("named arguments of a function of Python's")
            return handler(self.run, self.live, *args)
        inner, bound = plain_function(function)
        if inner is not None and not _is_numjits(inner):
            return self.inlined(inner, [*bound, *args], named)
        return self._of_numpy(function, args, named)

    def _of_numpy(self, function, args, named):
        name = getattr(function, "__name__", None)
        module = (getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]
        if module not in ("numpy", "numjit") and type(function).__module__ not in ("numpy", "numjit"):
            raise Refusal(f"a call of {getattr(function, '__qualname__', type(function).__name__)!r}, of which nothing is known")
        name = aliases.get(name, name)
        if name in _MAKERS and isinstance(args[0], (int, tuple)) and set(named) <= {"dtype"}:
            dtype = named.get("dtype", args[1] if len(args) > 1 else float)
            return made_inside(args[0], C.dtype(dtype), _MAKERS[name])
        if isinstance(function, type) and len(args) == 1 and not named and name != "ndarray" and is_number(args[0]):
            return self._converted(C.dtype(name), args[0])
        if named or not all(is_number(a) for a in args):
            raise Refusal(f"a call of numpy.{name} with these arguments")
        if name == "where" and len(args) == 3:
            return of_numpy(C.ufuncs["where"](*(raw(a) for a in args)))
        if name not in by_name or by_name[name].nout != 1:
            raise Refusal(f"a call of numpy.{name}, of which nothing is known")
        if any(kind_of(a) == "m" for a in args):
            raise Refusal(f"numpy.{name} of what is an int in some lanes and a float in others")
        if name in ("power", "float_power") and not any(kind_of(a) in "fc" for a in args):
            raise Refusal("a power of whole scalars of NumPy's")
        dtypes = [a.a.dtype for a in args if how_of(a) == "np"]
        if dtypes and any(how_of(a) != "np" and isinstance(a, Lane) and a.a.dtype not in dtypes for a in args):
            raise Refusal(f"numpy.{name} of numbers of Python's and scalars of NumPy's")
        self.run.asks_numpy = True
        return of_numpy(asarray(by_name[name](*(raw(a) for a in args))))


    def _converted(self, dtype, v):
        """A call of a type of NumPy's."""
        if kind_of(v) == "c" and dtype.kind != "c":
            raise Refusal("a complex as a real number")
        if isinstance(v, Lane) and dtype.kind in "iu":
            integers_fit(self.run, self.live, v, dtype)
        return of_numpy(asarray(raw(v)).astype(dtype))


_BUILTINS = (type(abs), type(math.sin))


def _is_plain_attribute(of, name):
    """Is it what an object or a module holds, and no property, which may do anything?"""
    try:
        found = inspect.getattr_static(of, name)
    except AttributeError:
        return False
    return _is_array(of) or not hasattr(type(found), "__get__") or isinstance(found, (types.FunctionType, types.BuiltinFunctionType))


def _is_scalar(value):
    return isinstance(value, C.array_base) and value.ndim == 0 or type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 \
        and hasattr(value, "dtype")


def _is_array(value):
    return isinstance(value, C.array_base) or type(value).__module__ == "numpy" and hasattr(value, "__array_interface__")


def _e_constant(value):
    return of_numpy(asarray(value)) if _is_scalar(value) else value


def _is_numjits(function):
    return function.__module__ is not None and function.__module__.partition(".")[0] in ("numjit", "numpy")


def _holds_lanes(values):
    return any(isinstance(v, Lane) or isinstance(v, Cells) or isinstance(v, (tuple, list)) and _holds_lanes(v) for v in values)


def _plainly(function, args, named):
    try:
        return function(*args, **named)
    except Exception as error:
        raise Refusal(f"it raises {type(error).__name__}") from None


def _range_of(args):
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
    return start, stop, step


def _listed(function, parts, args):
    if function is enumerate:
        start = args[1] if len(args) > 1 else 0
        return list(enumerate(parts[0], operator.index(start)))
    return list(function(*parts))

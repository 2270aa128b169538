"""Trees of arrays: tuples, lists, dicts, named tuples and dataclasses, with anything else as leaves. None has no leaves."""
__all__ = ["flatten", "leaves", "map", "unflatten"]


class _Node:
    """A container: how it is made of its parts, and their names."""

    __slots__ = ("make", "parts", "names")

    def __init__(self, make, parts, names):
        self.make, self.parts, self.names = make, parts, names


def _children(value):
    """(how to make it again, its parts, their names), or None for a leaf."""
    kind = type(value)
    if kind is tuple:
        return tuple, value, [f"[{i}]" for i in range(len(value))]
    if kind is list:
        return list, value, [f"[{i}]" for i in range(len(value))]
    if kind is dict:
        keys = list(value)
        return (lambda parts: dict(zip(keys, parts))), list(value.values()), [f"[{key!r}]" for key in keys]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (lambda parts: kind(*parts)), value, [f".{name}" for name in value._fields]
    if isinstance(value, dict):
        keys = list(value)
        return (lambda parts: _filled(value, keys, parts)), list(value.values()), [f"[{key!r}]" for key in keys]
    if hasattr(kind, "__dataclass_fields__"):
        names = [name for name, field in kind.__dataclass_fields__.items() if field._field_type.name == "_FIELD"]
        return (lambda parts: _replaced(value, names, parts)), [getattr(value, n) for n in names], [f".{n}" for n in names]
    return None


def _filled(value, keys, parts):
    """A dict of a class of its own, as an OrderedDict or a defaultdict."""
    made = value.copy()
    for key, part in zip(keys, parts):
        made[key] = part
    return made


def _replaced(value, names, parts):
    made = object.__new__(type(value))
    for name, part in zip(names, parts):
        object.__setattr__(made, name, part)
    return made


_LEAF = object()


def flatten(value):
    """(leaves, structure) of a tree; unflatten(structure, leaves) makes it again.

        >>> numjit.tree.flatten({"w": 1.0, "b": (2.0, None)})[0]
        [1.0, 2.0]
    """
    found = []

    def structure(part):
        if part is None:
            return None
        children = _children(part)
        if children is None:
            found.append(part)
            return _LEAF
        make, parts, names = children
        return _Node(make, [structure(p) for p in parts], names)
    made = structure(value)
    return found, made


def unflatten(structure, leaves):
    """The tree of this structure with these leaves."""
    given = iter(leaves)

    def build(part):
        if part is None:
            return None
        if part is _LEAF:
            return next(given)
        return part.make([build(p) for p in part.parts])
    return build(structure)


def leaves(value):
    """The leaves of a tree, in order: dicts by the order of their keys."""
    return flatten(value)[0]


def map(function, value, *more):  # noqa: A001
    """The tree with function(leaf, ...) in place of its leaves; further trees of the same structure give further arguments.

        >>> numjit.tree.map(lambda a, b: a + b, [1.0, (2.0,)], [10.0, (20.0,)])
        [11.0, (22.0,)]
    """
    first, structure = flatten(value)
    others = [flatten(other)[0] for other in more]
    for other in others:
        if len(other) != len(first):
            raise ValueError(f"[tree.map] a tree has {len(other)} leaves, the first has {len(first)}.")
    return unflatten(structure, [function(*parts) for parts in zip(first, *others)])


def leaf_name(value, number):
    """Where the leaf with this number stands: "['w'][2]"."""
    left = [number]

    def find(part, name):
        if part is None:
            return None
        children = _children(part)
        if children is None:
            left[0] -= 1
            return name if left[0] < 0 else None
        for child, step in zip(children[1], children[2]):
            found = find(child, name + step)
            if found is not None:
                return found
        return None
    return find(value, "") or ""


def children(value):
    """The parts of a container, or None for a leaf."""
    found = None if value is None else _children(value)
    return None if found is None else list(found[1])

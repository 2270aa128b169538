"""Trees of arrays: tuples, lists, dicts, named tuples and dataclasses, with anything else as leaves. None has no leaves."""
__all__ = ["flatten", "flatten_like", "leaves", "map", "unflatten"]


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


# Functions of the module, not of each call: closures that call themselves would be kept, with the leaves, until the collector
# runs.

def _flatten(part, found):
    if part is None:
        return None
    children = _children(part)
    if children is None:
        found.append(part)
        return _LEAF
    make, parts, names = children
    return _Node(make, [_flatten(p, found) for p in parts], names)


def _unflatten(part, given):
    if part is None:
        return None
    if part is _LEAF:
        return next(given)
    return part.make([_unflatten(p, given) for p in part.parts])


def flatten(value):
    """(leaves, structure) of a tree; unflatten(structure, leaves) makes it again.

        >>> numjit.tree.flatten({"w": 1.0, "b": (2.0, None)})[0]
        [1.0, 2.0]
    """
    found = []
    return found, _flatten(value, found)


def unflatten(structure, leaves):
    """The tree of this structure with these leaves."""
    return _unflatten(structure, iter(leaves))


def leaves(value):
    """The leaves of a tree, in order: dicts by the order of their keys."""
    return flatten(value)[0]


def _parts_like(like, value, name):
    """The parts of a container in the order of another one like it: those of dicts and dataclasses by their names."""
    children = _children(value)
    if children is None:
        got = f"{type(value).__name__!r}"
    else:
        by_name = dict(zip(children[2], children[1]))
        if len(by_name) == len(like.names) and all(n in by_name for n in like.names):
            return [by_name[n] for n in like.names]
        got = "entries " + (", ".join(children[2]) or "none")
    raise ValueError(f"the tree{name} has {got}, expected entries {', '.join(like.names) or 'none'}.")


def _flatten_like(like, value, name, found):
    if like is None:
        if value is not None:
            raise ValueError(f"the tree{name} has {type(value).__name__!r}, expected None.")
    elif like is _LEAF:
        found.append(value)
    else:
        for part, child, step in zip(_parts_like(like, value, name), like.parts, like.names):
            _flatten_like(child, part, name + step, found)


def flatten_like(structure, value):
    """The leaves of a tree in the order of another one's structure; what stands in a leaf's place is one, whatever it is.

    ValueError where a container has other entries.

        >>> structure = numjit.tree.flatten({"w": 1.0, "b": 2.0})[1]
        >>> numjit.tree.flatten_like(structure, {"b": 20.0, "w": 10.0})
        [10.0, 20.0]
    """
    found = []
    _flatten_like(structure, value, "", found)
    return found


def map(function, value, *more):  # noqa: A001
    """The tree with function(leaf, ...) in place of its leaves; further trees of the same structure give further arguments.

    ValueError where a further tree has other entries.

        >>> numjit.tree.map(lambda a, b: a + b, [1.0, (2.0,)], [10.0, (20.0,)])
        [11.0, (22.0,)]
    """
    first, structure = flatten(value)
    try:
        others = [flatten_like(structure, other) for other in more]
    except ValueError as error:
        raise ValueError(f"[tree.map] {error}") from None
    return unflatten(structure, [function(*parts) for parts in zip(first, *others)])


def _leaf_names(part, name):
    children = None if part is None else _children(part)
    if children is None:
        return [] if part is None else [name]
    return [found for child, step in zip(children[1], children[2]) for found in _leaf_names(child, name + step)]


def leaf_name(value, number):
    """Where the leaf with this number stands: "['w'][2]"."""
    return _leaf_names(value, "")[number]


def children(value):
    """The parts of a container by their names, or None for a leaf."""
    found = None if value is None else _children(value)
    return None if found is None else dict(zip(found[2], found[1]))

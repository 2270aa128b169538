"""Signatures of the functions of functions.def, as Python and NumPy write them."""
import ast
import functools


class _NoValue:
    """Stands where an argument that was not given is told from None."""

    def __repr__(self):
        return "<no value>"

    def __reduce__(self):
        return "no_value"


no_value = _NoValue()
_NAMED = {"<no value>": no_value, "float": float, "int": int}  # defaults that are no literals


def value(text):
    """The default that a signature names."""
    return _NAMED[text] if text in _NAMED else ast.literal_eval(text)


@functools.cache
def function(name, text):
    """A function of this signature, whose errors about its arguments are Python's own."""
    code = f"def {name}{text.replace('<no value>', '_no_value')}: pass"
    home = {"_no_value": no_value}
    exec(code, home)  # of our own texts
    return home[name]


def signature(name, text):
    """What inspect.signature gives."""
    import inspect
    return inspect.signature(function(name, text))

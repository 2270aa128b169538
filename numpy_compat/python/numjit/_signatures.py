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


def value(text):
    """The default that a signature names."""
    return no_value if text == "<no value>" else ast.literal_eval(text)


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

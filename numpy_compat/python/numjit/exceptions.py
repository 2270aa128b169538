"""Exceptions of numjit. Python's own stand for NumPy's of the same name."""
from . import _core
from ._core import CompileError, DeviceError, GraphBreakError, InternalError, RecompileError


def __getattr__(name):
    if name in ("AxisError", "ComplexWarning", "LinAlgError"):  # NumPy's own classes, and NumPy is loaded for them
        return getattr(_core, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class VisibleDeprecationWarning(UserWarning):
    """Something will go away; for the eyes of users."""


class RankWarning(RuntimeWarning):
    """A least-squares fit is badly conditioned."""


class DTypePromotionError(TypeError):
    """Two dtypes have no common one."""


class TooHardError(RuntimeError):
    """A question takes more work than was allowed."""


__all__ = ["AxisError", "CompileError", "ComplexWarning", "DTypePromotionError", "DeviceError", "GraphBreakError", "InternalError", "LinAlgError",
           "RankWarning", "RecompileError", "TooHardError", "VisibleDeprecationWarning"]

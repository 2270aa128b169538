"""Exceptions of numjit. Python's own stand for NumPy's of the same name."""
from ._core import (AxisError, CompileError, DeviceError, GraphBreakError, InternalError, LinAlgError, RecompileError)


class ComplexWarning(RuntimeWarning):
    """A cast drops imaginary parts."""


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

"""Exceptions of numjit. Python's own stand for NumPy's of the same name."""
from ._core import (AxisError, CompileError, DeviceError, GraphBreakError, InternalError, LinAlgError, RecompileError)

__all__ = ["AxisError", "CompileError", "DeviceError", "GraphBreakError", "InternalError", "LinAlgError", "RecompileError"]

"""numjit.typing: annotations of arrays and of what becomes one, by the names of numpy.typing."""
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol, TypeVar, Union, runtime_checkable

from . import dtype, generic, ndarray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

_T_co = TypeVar("_T_co", covariant=True)
_ScalarT = TypeVar("_ScalarT", bound=generic)


class NBitBase:
    """A bound for the precision of `number` and its subclasses in annotations, as NumPy 1 took it; scalar types are better ones."""


NDArray = ndarray[tuple[Any, ...], dtype[_ScalarT]]
"""An array of a scalar type: `NDArray[np.float64]`; `NDArray[Any]` of any."""


@runtime_checkable
class _SupportsArray(Protocol):
    """What `asarray` asks for an array."""

    def __array__(self) -> Any: ...


@runtime_checkable
class _SupportsArrayFunc(Protocol):
    """What functions that are called with it leave the call to."""

    def __array_function__(self, func: Callable[..., Any], types: Collection[type[Any]], args: tuple[Any, ...],
                           kwargs: dict[str, Any]) -> object: ...


@runtime_checkable
class _NestedSequence(Protocol[_T_co]):
    """Sequences of sequences."""

    def __len__(self, /) -> int: ...
    def __getitem__(self, index: int, /) -> "_T_co | _NestedSequence[_T_co]": ...
    def __contains__(self, x: object, /) -> bool: ...
    def __iter__(self, /) -> "Iterator[_T_co | _NestedSequence[_T_co]]": ...
    def __reversed__(self, /) -> "Iterator[_T_co | _NestedSequence[_T_co]]": ...
    def count(self, value: Any, /) -> int: ...
    def index(self, value: Any, /) -> int: ...


@runtime_checkable
class _SupportsDType(Protocol):
    """What has a dtype."""

    @property
    def dtype(self) -> Any: ...


if sys.version_info >= (3, 12):
    from collections.abc import Buffer as _Buffer
else:
    @runtime_checkable
    class _Buffer(Protocol):
        """What shows its memory."""

        def __buffer__(self, flags: int, /) -> memoryview: ...

ArrayLike = Union[_Buffer, _SupportsArray, _NestedSequence[_SupportsArray], complex, _NestedSequence[complex]]
"""What `asarray` makes an array of: arrays, numbers, sequences of them, objects with `__array__` or a buffer."""

DTypeLike = Union[type[Any], dtype[Any], _SupportsDType, str, None]
"""What `dtype` makes a dtype of; None is float64."""

"""Ops by NumPy's names, with NumPy's arguments and defaults, for arrays and in traced functions.

    import opsrun.numpy as onp
    onp.sum(x, axis=0)

The names are those of the array API standard, where ops exist: https://data-apis.org/array-api/latest/. Two arrays must
have one type, since ops do not promote types; a plain number takes the type of the array beside it.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsrun import ops
from opsrun._tensor import OPERATORS, UNARY, Operators, Tensor, binary, unary
from opsrun._values import has_typed


class _Array(np.ndarray):
    """An array with what the methods of Tensor use."""

    _ops = ops


def _is_typed(x: Any) -> bool:
    return isinstance(x, Operators) or has_typed(x)


def _array(x: Any) -> Any:
    """x, or the array that NumPy makes of it."""
    return x if _is_typed(x) else np.asarray(x)


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands. Plain ones get the type that NumPy gives both; one beside an array gets the array's."""
    if _is_typed(x) or _is_typed(y):
        return x, y
    wide = np.result_type(np.asarray(x), np.asarray(y))
    return np.asarray(x, wide), np.asarray(y, wide)


def _of(x: Any) -> Any:
    return x if isinstance(x, Operators) else np.asarray(x).view(_Array)


def _plain(result: Any) -> Any:
    return result.view(np.ndarray) if isinstance(result, _Array) else result


# Sums and products of smaller integers have these types.
_SUM_TYPES = {"i": np.dtype(np.int64), "u": np.dtype(np.uint64)}


def _method(name: str) -> Callable[..., Any]:
    method = getattr(Tensor, name)

    def function(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Any:
        x = _of(x)
        wide = _SUM_TYPES.get(x.dtype.kind) if name in ("sum", "prod") else None
        return _plain(method(x if wide is None else x.astype(wide), axis, keepdims))

    return _named(function, name, f"numpy.{name}(x, axis, keepdims=...) by the op of math_ops.")


def _elementwise(name: str) -> Callable[..., Any]:
    def one(x: Any, /) -> Any:
        return unary(ops, name, _array(x))

    def two(x: Any, y: Any, /) -> Any:
        return binary(ops, OPERATORS[name], *_pair(x, y))

    return _named(one if name in UNARY else two, name, f"numpy.{name}, element by element, by the op of math_ops.")


def _named(function: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


# The array API's names where NumPy's older ones differ.
_OTHER = {"abs": "absolute", "pow": "power", "atan2": "arctan2", "conj": "conjugate", "round": "rint"}

for _name in (*UNARY, *OPERATORS):
    globals()[_name] = _elementwise(_name)
for _name, _old in _OTHER.items():
    globals()[_name] = globals()[_old]
for _name in ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin"):
    globals()[_name] = _method(_name)


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """The array with its dimensions in the order of `axes`, or reversed."""
    return _plain(Tensor.transpose(_of(x), *(() if axes is None else (axes,))))


permute_dims = transpose


def reshape(x: Any, /, shape: int | Sequence[int]) -> Any:
    """The same elements in another shape; one size may be -1."""
    return ops.shape_ops.reshape(_array(x), np.atleast_1d(np.asarray(shape, np.int64)))


def concat(arrays: Sequence[Any], /, axis: int = 0) -> Any:
    """The arrays behind each other along a dimension."""
    return ops.array_ops.concat_v2([_array(each) for each in arrays], np.int32(axis))


concatenate = concat


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
    """The arrays behind each other along a new dimension."""
    return ops.list_ops.pack([_array(each) for each in arrays], axis=axis)


def where(condition: Any, x: Any, y: Any, /) -> Any:
    """x where the condition is true, and y elsewhere, with broadcasting."""
    return ops.math_ops.select_v2(_array(condition), *_pair(x, y))


select = where


def matmul(x: Any, y: Any, /) -> Any:
    """The matrix product, as of NumPy's operator @."""
    return binary(ops, "matmul", _array(x), _array(y))


def expand_dims(x: Any, /, axis: int = 0) -> Any:
    """The array with a new dimension of size 1."""
    return ops.array_ops.expand_dims(_array(x), np.int32(axis))


def squeeze(x: Any, /, axis: int | Sequence[int] | None = None) -> Any:
    """The array without dimensions of size 1: those of `axis`, or all."""
    axes = [] if axis is None else [int(each) for each in np.atleast_1d(axis)]
    return _array(x) if axis is not None and not axes else ops.array_ops.squeeze(_array(x), squeeze_dims=axes)


def broadcast_to(x: Any, /, shape: int | Sequence[int]) -> Any:
    """The array repeated to a shape."""
    return ops.array_ops.broadcast_to(_array(x), np.atleast_1d(np.asarray(shape, np.int64)))


def astype(x: Any, dtype: Any, /) -> Any:
    """The same values in another data type."""
    return x.astype(dtype) if isinstance(x, Operators) else ops.cast.cast(_array(x), DstT=np.dtype(dtype))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The values, not below min and not above max, where given."""
    x = _array(x)
    x = x if min is None else ops.math_ops.maximum(x, min)
    return x if max is None else ops.math_ops.minimum(x, max)


def flip(x: Any, /, axis: int | Sequence[int]) -> Any:
    """The array in reverse order along dimensions."""
    return ops.array_ops.reverse_v2(_array(x), np.atleast_1d(np.asarray(axis, np.int32)))


def take(x: Any, indices: Any, /, axis: int | None = None) -> Any:
    """The elements at indices, which are not negative, along a dimension, or of the flattened array."""
    x, axis = (reshape(x, -1), 0) if axis is None else (_array(x), axis)
    return ops.array_ops.gather_v2(x, _array(indices), np.int32(axis))


def zeros_like(x: Any, /) -> Any:
    """An array of zeros of the same type and shape."""
    return ops.array_ops.zeros_like(_array(x))


def ones_like(x: Any, /) -> Any:
    """An array of ones of the same type and shape."""
    return ops.array_ops.ones_like(_array(x))


__all__ = sorted(name for name, value in globals().items() if callable(value) and not name.startswith("_")
                 and name not in ("Callable", "Sequence", "Any", "Tensor", "binary", "unary", "has_typed"))

"""Ops by NumPy's names, with NumPy's arguments and defaults, for arrays and in traced functions.

    import opsrun.numpy as onp
    onp.sum(x, axis=0)

The names are those of the array API standard, where ops exist: https://data-apis.org/array-api/latest/. Integers and
bools are converted as NumPy does where a result may be a fraction.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsrun import ops
from opsrun._tensor import OPERATORS, UNARY, Tensor, binary, unary
from opsrun._values import has_typed


class _Array(np.ndarray):
    """An array with what the methods of Tensor use."""

    _ops = ops


def _of(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x
    return np.asarray(x).view(_Array)


def _plain(result: Any) -> Any:
    return result.view(np.ndarray) if isinstance(result, _Array) else result


def _method(name: str) -> Callable[..., Any]:
    method = getattr(Tensor, name)

    def function(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Any:
        return _plain(method(_of(x), axis, keepdims))

    return _named(function, name, f"numpy.{name}(x, axis, keepdims=...) by the op of math_ops.")


def _elementwise(name: str) -> Callable[..., Any]:
    def one(x: Any, /) -> Any:
        return unary(ops, name, x if has_typed(x) else np.asarray(x))

    def two(x: Any, y: Any, /) -> Any:
        return binary(ops, OPERATORS[name], x, y)

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
    return Tensor.transpose(_of(x), *(() if axes is None else (axes,)))


permute_dims = transpose


def reshape(x: Any, /, shape: Sequence[int]) -> Any:
    """The same elements in another shape; one size may be -1."""
    return ops.shape_ops.reshape(x, np.asarray(shape, np.int32))


def concat(arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
    """The arrays behind each other along a dimension."""
    return ops.array_ops.concat_v2(list(arrays), np.int32(axis))


concatenate = concat


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
    """The arrays behind each other along a new dimension."""
    return ops.list_ops.pack(list(arrays), axis=axis)


def where(condition: Any, x: Any, y: Any, /) -> Any:
    """x where the condition is true, and y elsewhere, with broadcasting."""
    return ops.math_ops.select_v2(condition, x, y)


select = where


def matmul(x: Any, y: Any, /) -> Any:
    """The matrix product, as of NumPy's operator @."""
    return binary(ops, "matmul", *(each if has_typed(each) or isinstance(each, Tensor) else np.asarray(each) for each in (x, y)))


def expand_dims(x: Any, /, axis: int = 0) -> Any:
    """The array with a new dimension of size 1."""
    return ops.array_ops.expand_dims(x, np.int32(axis))


def squeeze(x: Any, /, axis: int | Sequence[int] = ()) -> Any:
    """The array without dimensions of size 1: those of `axis`, or all."""
    return ops.array_ops.squeeze(x, squeeze_dims=[axis] if isinstance(axis, int) else list(axis))


def broadcast_to(x: Any, /, shape: Sequence[int]) -> Any:
    """The array repeated to a shape."""
    return ops.array_ops.broadcast_to(x, np.asarray(shape, np.int32))


def astype(x: Any, dtype: Any, /) -> Any:
    """The same values in another data type."""
    return Tensor.astype(_of(x), dtype) if isinstance(x, Tensor) else ops.cast.cast(x, DstT=np.dtype(dtype))


def clip(x: Any, /, min: Any, max: Any) -> Any:
    """The values, limited to the interval from min to max."""
    return ops.math_ops.clip_by_value(x, min, max)


def flip(x: Any, /, axis: int | Sequence[int]) -> Any:
    """The array in reverse order along dimensions."""
    return ops.array_ops.reverse_v2(x, np.atleast_1d(np.asarray(axis, np.int32)))


def take(x: Any, indices: Any, /, *, axis: int = 0) -> Any:
    """The elements at indices along a dimension."""
    return ops.array_ops.gather_v2(x, indices, np.int32(axis))


def zeros_like(x: Any, /) -> Any:
    """An array of zeros of the same type and shape."""
    return ops.array_ops.zeros_like(x)


def ones_like(x: Any, /) -> Any:
    """An array of ones of the same type and shape."""
    return ops.array_ops.ones_like(x)


__all__ = sorted(name for name, value in globals().items() if callable(value) and not name.startswith("_")
                 and name not in ("Callable", "Sequence", "Any", "Tensor", "binary", "unary", "has_typed"))

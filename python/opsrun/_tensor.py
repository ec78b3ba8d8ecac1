"""Traced tensors, which stand for arrays while a function is traced.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsrun import _values
from opsrun._indexing import indexed
from opsrun._refuse import refuse
from opsrun._values import NAMES, dtype_of, number_of


def _operator(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The methods of an operator for a tensor on its left, and for one on its right."""
    return (lambda self, other: binary(self._ops, name, self, other)), (lambda self, other: binary(self._ops, name, other, self))


class Operators:
    """What traced tensors and arrays on a GPU have in common: NumPy's operators and methods, which call ops."""

    __slots__ = ()
    __array_priority__ = 1000

    _ops: Any  # the module opsrun.ops
    _number: int  # the data type
    _what: str  # for messages: "an array on a GPU"
    _why_not = ""  # why NumPy cannot use it
    shape: Any  # a tuple of sizes, with None for unknown ones; None if the rank is unknown

    @property
    def dtype(self) -> np.dtype[Any]:
        return dtype_of(self._number)

    @property
    def ndim(self) -> Any:
        return None if self.shape is None else len(self.shape)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's functions of elements, such as operators with an array on the left and np.sin(x)."""
        if method == "__call__" and not kwargs:
            if ufunc.__name__ in OPERATORS:
                return binary(self._ops, OPERATORS[ufunc.__name__], *inputs)
            if ufunc.__name__ in UNARY:
                return unary(self._ops, ufunc.__name__, self)
        raise refuse(f"numpy.{ufunc.__name__} cannot use {self._what}{self._why_not}", "use an op of opsrun.ops.math_ops instead")

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub")
    __mul__, __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("divide")
    __floordiv__, __rfloordiv__ = _operator("floor_div")
    __mod__, __rmod__ = _operator("floor_mod")
    __pow__, __rpow__ = _operator("pow")
    __matmul__, __rmatmul__ = _operator("matmul")
    __and__ = __rand__ = _operator("logical_and")[0]
    __or__ = __ror__ = _operator("logical_or")[0]
    __lt__, __gt__ = _operator("less")[0], _operator("greater")[0]
    __le__, __ge__ = _operator("less_equal")[0], _operator("greater_equal")[0]
    __eq__, __ne__ = _operator("equal")[0], _operator("not_equal")[0]

    def __neg__(self) -> Any:
        return self._ops.math_ops.neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        if self.dtype.kind == "c":
            return self._ops.math_ops.complex_abs(self, Tout=np.float32 if self.dtype.itemsize == 8 else np.float64)
        return self._ops.math_ops.abs(self)

    def __invert__(self) -> Any:
        return self._ops.math_ops.logical_not(self)

    def __getitem__(self, index: Any) -> Any:
        return indexed(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise refuse(f"{self._what} is immutable: its elements cannot be assigned",
                      "create a new one, such as with opsrun.ops.math_ops.select_v2 or array_ops.concat_v2")

    def astype(self, dtype: Any) -> Any:
        """The same values in another data type."""
        number = number_of(dtype)
        return self if number == self._number else self._ops.cast.cast(self, DstT=NAMES[number])

    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape; one size may be -1."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else list(shape)
        return self._ops.shape_ops.reshape(self, sizes)

    def transpose(self, *axes: Any) -> Any:
        """The tensor with its dimensions in the order of `axes`, or reversed."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes
        if not axes or order is None:
            if self.shape is None:
                raise refuse("the rank of this traced tensor is not known", "give the order of its dimensions")
            order = range(len(self.shape))[::-1]
        order = [int(axis.__index__()) for axis in order]
        perm = np.array([axis + len(order) if axis < 0 else axis for axis in order], np.int32)
        return self._ops.array_ops.transpose(self, perm)

    @property
    def T(self) -> Any:
        """The tensor with its dimensions reversed."""
        return self.transpose()

    def sum(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        return self._ops.math_ops.sum(_counted(self), _axes(self, axis), **_keep(keepdims))

    def prod(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        return self._ops.math_ops.prod(_counted(self), _axes(self, axis), **_keep(keepdims))

    def mean(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        return self._ops.math_ops.mean(_not_whole(self), _axes(self, axis), **_keep(keepdims))

    def max(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        if self.dtype.kind == "b":
            return self.any(axis, keepdims)
        return self._ops.math_ops.max(self, _axes(self, axis), **_keep(keepdims))

    def min(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        if self.dtype.kind == "b":
            return self.all(axis, keepdims)
        return self._ops.math_ops.min(self, _axes(self, axis), **_keep(keepdims))

    def any(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        return self._ops.math_ops.any(_truth(self), _axes(self, axis), **_keep(keepdims))

    def all(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Any:
        return self._ops.math_ops.all(_truth(self), _axes(self, axis), **_keep(keepdims))

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """The index of the first of the largest elements; without an axis, in the flattened tensor."""
        return _index_of(self._ops.math_ops.arg_max, self, axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """The index of the first of the smallest elements; without an axis, in the flattened tensor."""
        return _index_of(self._ops.math_ops.arg_min, self, axis, keepdims)


class Tensor(Operators):
    """A tensor of a function that is being traced. It has a type and a shape, but no values yet.

    Attributes:
        dtype: NumPy's dtype.
        shape: The sizes, with None for unknown ones; None if the rank is unknown.
    """

    __slots__ = ("_trace", "_ref", "_number", "shape")
    _what = "a traced tensor"
    _why_not = ", which has no values yet"

    def __init__(self, trace: Any, ref: str, number: int, shape: tuple[int | None, ...] | None) -> None:
        self._trace = trace  # the trace that the tensor belongs to
        self._ref = ref
        self._number = number
        self.shape = shape

    @property
    def _ops(self) -> Any:
        return self._trace.ops

    @property
    def size(self) -> int:
        """The number of elements."""
        if self.shape is None or None in self.shape:
            raise refuse("the number of elements of this traced tensor is not known",
                          "use opsrun.ops.array_ops.size, which counts them when the graph runs")
        return math.prod(size for size in self.shape if size is not None)

    @property
    def name(self) -> str:
        """The name of the tensor in the graph."""
        return self._ref

    def __repr__(self) -> str:
        return f"<traced {self._ref}: {NAMES[self._number]} {'?' if self.shape is None else list(self.shape)}>"

    # Operations that would need values.

    def __bool__(self) -> bool:
        raise refuse("a traced tensor is neither true nor false yet: `if`, `while`, `and`, `or` and `not` cannot use it",
                      "use opsrun.ops.math_ops.select_v2(condition, a, b)")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise refuse("NumPy cannot use a traced tensor, which has no values yet", "use an op of opsrun.ops instead")

    def __float__(self) -> float:
        raise refuse("a traced tensor has no value yet, so it is not a number", "return it, and convert the result of the call")

    def __int__(self) -> int:
        return int(self.__float__())

    def __index__(self) -> int:
        return int(self.__float__())

    def __array_function__(self, function: Any, *args: Any) -> Any:
        raise refuse(f"numpy.{function.__name__} cannot use a traced tensor, which has no values yet",
                      f"use opsrun.numpy.{function.__name__}, if there is one, or an op of opsrun.ops")

    def __len__(self) -> int:
        if self.shape == ():
            raise refuse("a traced tensor without dimensions has no length", "add one with reshape(1)")
        if not self.shape or self.shape[0] is None:
            raise refuse("the length of this traced tensor is not known", "use opsrun.ops.shape_ops.shape(...)")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    __hash__ = object.__hash__


# NumPy's functions of two arrays, and their ops or, for "divide" and "matmul", functions below.
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "divide", "true_divide": "divide",
              "floor_divide": "floor_div", "remainder": "floor_mod", "power": "pow", "matmul": "matmul", "less": "less",
              "less_equal": "less_equal", "greater": "greater", "greater_equal": "greater_equal", "equal": "equal",
              "not_equal": "not_equal", "logical_and": "logical_and", "logical_or": "logical_or",
              "bitwise_and": "logical_and", "bitwise_or": "logical_or", "maximum": "maximum", "minimum": "minimum",
              "arctan2": "atan2"}

# NumPy's functions of one array, and their ops. Those of _FLOAT have float results, also for integers.
_FLOAT = ("sin", "cos", "tan", "exp", "expm1", "log", "log1p", "sqrt", "tanh", "reciprocal")
UNARY = {"negative": "neg", "absolute": "abs", "square": "square", "sign": "sign", "logical_not": "logical_not",
         "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "conjugate": "conj", "floor": "floor",
         "ceil": "ceil", "rint": "round", **{name: name for name in _FLOAT}}


def unary(ops: Any, name: str, x: Any) -> Any:
    return getattr(ops.math_ops, UNARY[name])(_not_whole(x) if name in _FLOAT else x)


def binary(ops: Any, name: str, x: Any, y: Any) -> Any:
    if name == "matmul":
        return _matmul(ops, x, y)
    return ops.math_ops.real_div(_not_whole(x), _not_whole(y)) if name == "divide" else getattr(ops.math_ops, name)(x, y)


def _not_whole(value: Any) -> Any:
    """Converts integers to float64, as NumPy does for results that may not be integers."""
    if isinstance(value, (Operators, np.ndarray, np.generic)) and value.dtype.kind in "iub":
        return value.astype(np.float64)
    return value


def _counted(tensor: Operators) -> Any:
    """Converts bools to integers, which can be added and multiplied."""
    return tensor.astype(np.int64) if tensor.dtype.kind == "b" else tensor


def _truth(tensor: Operators) -> Any:
    """True for elements that are not zero."""
    return tensor if tensor.dtype.kind == "b" else tensor != 0


def _index_of(op: Any, tensor: Operators, axis: int | None, keepdims: bool) -> Any:
    if axis is not None and not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be an int, not {axis!r}")
    numbers = tensor.astype(np.uint8) if tensor.dtype.kind == "b" else tensor
    if axis is not None:
        index = op(numbers, np.int32(axis))
        return tensor._ops.array_ops.expand_dims(index, np.int32(axis)) if keepdims else index
    index = op(numbers.reshape(-1), np.int32(0))
    if not keepdims:
        return index
    if tensor.shape is None:
        raise refuse("the rank of this traced tensor is not known", "leave keepdims out")
    return index.reshape((1,) * len(tensor.shape))


def _typed_like(value: Any, other: Any) -> Any:
    """Converts a plain value, such as a list, to an array of the type of the other operand."""
    if isinstance(other, Operators) and not isinstance(value, Operators) and not _values.has_typed(value):
        return _values.untyped_array(value, other._number, None, "an operand")
    return value


def _matmul(ops: Any, x: Any, y: Any) -> Any:
    """As in NumPy: a vector on the left is a row, one on the right a column, and the result lacks that dimension."""
    x, y = _typed_like(x, y), _typed_like(y, x)
    ranks = [each.ndim if isinstance(each, Operators) else np.ndim(each) for each in (x, y)]
    if ranks == [2, 2]:
        return ops.math_ops.mat_mul(x, y)
    dims = ops.array_ops
    row, column = ranks[0] == 1, ranks[1] == 1
    product = ops.math_ops.batch_mat_mul_v2(dims.expand_dims(x, 0) if row else x, dims.expand_dims(y, 1) if column else y)
    dropped = [-2] * row + [-1] * column
    return dims.squeeze(product, squeeze_dims=dropped) if dropped else product


def _axes(tensor: Operators, axis: int | Sequence[int] | None) -> Any:
    if axis is not None:
        axes = np.asarray(axis)
        if axes.size and axes.dtype.kind not in "iu":
            raise TypeError(f"axis must be an int, or several, not {axis!r}")
        return axes.astype(np.int32)
    if tensor.shape is None:
        return tensor._ops.array_ops.range(0, tensor._ops.array_ops.rank(tensor), 1)
    return np.arange(len(tensor.shape), dtype=np.int32)


def _keep(keepdims: bool) -> dict[str, bool]:
    return {"keep_dims": True} if keepdims else {}

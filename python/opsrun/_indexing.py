"""Indexing of traced tensors.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opsrun._refuse import refuse


def indexed(tensor: Any, index: Any) -> Any:
    """x[1, ..., None, ::2] by StridedSlice, x[indices] by GatherV2, and x[:, indices] by both."""
    parts = index if isinstance(index, tuple) else (index,)
    kinds = (type(tensor), list, np.ndarray)
    arrays = [i for i, part in enumerate(parts) if isinstance(part, kinds)]
    if not arrays:
        return _sliced(tensor, parts)
    at = arrays[0]
    if len(arrays) > 1 or any(isinstance(part, (int, np.integer)) for part in (*parts[:max(0, at - 1)], *parts[at + 2:])):
        raise refuse("a traced tensor can be indexed by one array, with slices beside it",
                      "index it in steps, or use opsrun.ops.array_ops.gather_nd")
    kept = tuple(slice(None) if i == at else part for i, part in enumerate(parts))
    sliced = tensor if all(isinstance(part, slice) and part == slice(None) for part in kept) else _sliced(tensor, kept)
    axis = sum(not isinstance(part, (int, np.integer)) and part is not Ellipsis for part in parts[:at])
    if Ellipsis in parts[:at]:
        if sliced.shape is None:
            raise refuse("the rank of this traced tensor is not known", "write out its slices in place of ...")
        axis = len(sliced.shape) - sum(not isinstance(part, (int, np.integer)) for part in parts[at:])
    return tensor._ops.array_ops.gather_v2(sliced, _indices(parts[at], sliced, axis), np.int32(axis))


def _indices(index: Any, tensor: Any, axis: int) -> Any:
    """The index as int32 or int64; known negative values are made positive."""
    array = index
    if isinstance(index, (list, np.ndarray)):
        array = np.asarray(index) if np.size(index) else np.zeros(np.shape(index), np.int32)
    if array.dtype.kind == "b":
        raise refuse("a traced tensor cannot be indexed by booleans: the shape of the result depends on values",
                      "use opsrun.ops.array_ops.where and gather_nd")
    if array.dtype.kind not in "iu":
        raise refuse(f"a traced tensor cannot be indexed by {array.dtype}", "use integers")
    if not isinstance(array, np.ndarray) or (array >= 0).all():
        return array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)
    size = None if tensor.shape is None else tensor.shape[axis]
    if size is None:
        raise refuse("a negative index counts from the end, which is not known before the run", "count from the start")
    return np.where(array < 0, array.astype(np.int64) + size, array.astype(np.int64))


def _sliced(tensor: Any, parts: tuple[Any, ...]) -> Any:
    begin: list[int] = []
    end: list[int] = []
    strides: list[int] = []
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)
    if len(parts) > 63:
        raise refuse("a traced tensor cannot be indexed by more than 63 entries", "index it in two steps")
    for i, part in enumerate(parts):
        bounds = [0, 0, 1]
        if part is Ellipsis:
            masks["ellipsis"] |= 1 << i
        elif part is None:
            masks["new_axis"] |= 1 << i
        elif isinstance(part, slice):
            for k, (bound, mask) in enumerate(((part.start, "begin"), (part.stop, "end"), (part.step, ""))):
                if bound is not None:
                    bounds[k] = _bound(bound)
                elif mask:
                    masks[mask] |= 1 << i
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            bounds = [_bound(part), _bound(part) + 1 or 2**31 - 1, 1]
            masks["shrink_axis"] |= 1 << i
        else:
            raise refuse(f"a traced tensor cannot be indexed by {type(part).__name__}",
                          "use integers, slices, ... and None, or one array of integers")
        for bounds_of, bound in zip((begin, end, strides), bounds):
            bounds_of.append(bound)
    attrs = {f"{name}_mask": mask for name, mask in masks.items() if mask}
    dtype = np.int32 if all(abs(bound) < 2**31 for bound in (*begin, *end, *strides)) else np.int64
    return tensor._ops.array_ops.strided_slice(tensor, *(np.array(each, dtype) for each in (begin, end, strides)), **attrs)


def _bound(bound: Any) -> int:
    """The bound as an int. Values too large for any array, such as sys.maxsize, are clamped."""
    if not hasattr(bound, "__index__"):
        raise refuse(f"a traced tensor cannot be sliced by {type(bound).__name__}", "use integers")
    return max(-(2**62), min(int(bound.__index__()), 2**62))

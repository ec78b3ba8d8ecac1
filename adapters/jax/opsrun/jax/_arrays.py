"""Types of JAX's arrays.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from opsrun.jax._gradient import Shape


def varying(arrays: Sequence[Any]) -> frozenset[str]:
    """The mesh axes along which shards of a traced array differ: see jax.shard_map."""
    return frozenset().union(*(_axes_of(each) for each in arrays))


def _axes_of(array: Any) -> frozenset[str]:
    kind: Any = jax.typeof(array)
    axes: frozenset[str] = kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else kind.vma
    return axes


def vary(array: Any, axes: frozenset[str]) -> Any:
    """Marks an array as differing along these axes. Where all shards are equal, its gradient is the sum of theirs."""
    more = tuple(sorted(axes - _axes_of(array)))
    return jax.lax.pcast(array, more, to="varying") if more else array


def widened(array: Any, dtype: np.dtype[Any]) -> Any:
    """A result, or its gradient, in the op's data type: with 64 bits even if JAX has disabled them."""
    if array.dtype == dtype:
        return array
    with jax.enable_x64(True):
        return jax.lax.convert_element_type(array, dtype)


def array_type(shape: Shape, dtype: np.dtype[Any]) -> jax.ShapeDtypeStruct:
    struct: Any = jax.ShapeDtypeStruct  # it lacks type annotations
    made: jax.ShapeDtypeStruct = struct(shape, dtype)
    return made

"""Types of JAX's arrays, in every version of JAX that opsrun.jax supports.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.experimental
import numpy as np

from opsrun.jax._gradient import Shape

_jax: Any = jax  # without types: not every version has each name


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
    if not more:
        return array
    return _jax.lax.pcast(array, more, to="varying") if hasattr(jax.lax, "pcast") else _jax.lax.pvary(array, more)


def with_64_bits() -> contextlib.AbstractContextManager[None]:
    """While the result is entered, types of 64 bits are allowed."""
    enable: Any = (_jax if hasattr(jax, "enable_x64") else _jax.experimental).enable_x64
    enabled: contextlib.AbstractContextManager[None] = enable(True)
    return enabled


def widened(array: Any, dtype: np.dtype[Any]) -> Any:
    """A result, or its gradient, in the op's data type: with 64 bits even if JAX has disabled them."""
    if array.dtype == dtype:
        return array
    with with_64_bits():
        return jax.lax.convert_element_type(array, dtype)


def array_type(shape: Shape, dtype: np.dtype[Any]) -> jax.ShapeDtypeStruct:
    struct: Any = jax.ShapeDtypeStruct  # it lacks type annotations
    made: jax.ShapeDtypeStruct = struct(shape, dtype)
    return made

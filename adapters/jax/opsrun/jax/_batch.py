"""jax.vmap: one call for all examples, if the op says how it treats batches, and otherwise one for each.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from opsrun.errors import Error
from opsrun.jax._gradient import Described, Run, Shape

Batch = tuple[list[int], list[int], bool]  # of an op: see _native.TypedOp.batch


def batching(described: Described, batch: Batch, run: Callable[..., list[Any]], run_any: Run) -> Callable[..., list[Any]]:
    """`run`, a call of the op, with a rule for jax.vmap.

    Args:
        run_any: Runs a call for inputs of any shapes.
    """

    @jax.custom_batching.custom_vmap
    def call(*inputs: Any) -> list[Any]:
        return run(*inputs)

    @call.def_vmap
    def rule(size: int, batched: Sequence[bool], *inputs: Any) -> tuple[list[Any], list[bool]]:
        results = _in_one_call(described, batch, size, batched, inputs, run_any)
        if results is None:
            results = jax.lax.map(lambda examples: run(*_merged(examples, inputs, batched)),
                                  [each for each, is_batched in zip(inputs, batched) if is_batched])
        return results, [True] * len(results)

    return call


def _merged(examples: Sequence[Any], inputs: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    rest = iter(examples)
    return [next(rest) if is_batched else each for each, is_batched in zip(inputs, batched)]


def _in_one_call(described: Described, batch: Batch, size: int, batched: Sequence[bool],
                 inputs: Sequence[Any], run_any: Run) -> list[Any] | None:
    """The results for all examples; None if the op does not take these as a batch."""
    in_dims, out_dims, broadcasts = batch
    examples = [np.shape(each)[is_batched:] for each, is_batched in zip(inputs, batched)]
    leading = [_leading(shape, dims) for shape, dims in zip(examples, in_dims)]
    if not broadcasts and len(set(leading)) > 1:
        return None
    try:
        common = np.broadcast_shapes(*leading)
        aligned = [_aligned(each, size, is_batched, broadcasts, len(common) - len(own))
                   for each, is_batched, own in zip(inputs, batched, leading)]
        results = list(run_any(described, aligned, [None] * len(out_dims)))
    except (Error, ValueError):  # not as the op says; the loop has the right message
        return None
    expected = (size, *common)
    fits = all(_leading(np.shape(each), dims) == expected for each, dims in zip(results, out_dims))
    return [jnp.asarray(each) for each in results] if fits else None


def _leading(shape: Shape, dims: int) -> Shape:
    if len(shape) < dims:
        raise ValueError("the shape has fewer dimensions than the op works on")
    return tuple(shape[:len(shape) - dims])


def _aligned(array: Any, size: int, is_batched: bool, broadcasts: bool, missing: int) -> Any:
    """The array with the dimension of the batch before those of all examples."""
    if is_batched:
        return jnp.expand_dims(array, tuple(range(1, 1 + missing)))
    return array if broadcasts else jnp.broadcast_to(array, (size, *np.shape(array)))

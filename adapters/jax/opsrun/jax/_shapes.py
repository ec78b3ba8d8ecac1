"""What is known about the outputs of an op before it runs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence

from opsrun.errors import InvalidArgumentError
from opsrun.jax import _native

Shape = tuple[int, ...]
# For each output: its shape and its elements. None or -1: unknown.
Known = list[tuple[list[int] | None, list[int] | None]]


def output_shapes(op: _native.TypedOp, shapes: Sequence[Shape], values: Sequence[bytes | None],
                  out_shapes: Sequence[Shape | None] | None) -> Known:
    """Runs the shape function.

    Args:
        shapes: Of the inputs.
        values: The elements of inputs, where known.
        out_shapes: The shapes of outputs that the caller knows.

    Raises:
        InvalidArgumentError: The op rejects these shapes, or out_shapes contradict it.
    """
    known: Known = op.infer(list(zip(shapes, values))) if op.has_shape_function else [(None, None)] * len(op.out_types)
    if out_shapes is None:
        return known
    if len(out_shapes) != len(op.out_types):
        raise InvalidArgumentError(f"{op.name}: out_shapes has {len(out_shapes)} shapes, but the op has "
                                   f"{len(op.out_types)} outputs")
    return [(_agreed(op, i, shape, said), value) for i, ((shape, value), said) in enumerate(zip(known, out_shapes))]


def is_open(shape: list[int] | None) -> bool:
    """True if something in it is unknown."""
    return shape is None or -1 in shape


def output_names(op: _native.TypedOp) -> list[str]:
    """The name of each output, lists flattened."""
    return [f"{name}.{i}" if listed else name for name, listed, count in op.outputs for i in range(count)]


def refuse_open(op: _native.TypedOp, known: Known, values: Sequence[bytes | None]) -> None:
    """Raises InvalidArgumentError if the shape of an output is unknown."""
    for i, (shape, _) in enumerate(known):
        if not is_open(shape):
            continue
        what = f"{op.name}: the shape of output '{output_names(op)[i]}' must be known before the op runs, "
        if not op.has_shape_function:
            reason = "but the op has no shape function; pass it: out_shapes=..."
        elif None in values:
            reason = ("and it depends on the elements of an input that is traced, or large; give that as a list or an array "
                      "of NumPy, or pass the shape: out_shapes=...")
        else:
            reason = "but only the kernel knows it; pass it: out_shapes=..."
        raise InvalidArgumentError(what + reason)


def _agreed(op: _native.TypedOp, i: int, shape: list[int] | None, said: Shape | None) -> list[int] | None:
    if said is None:
        return shape
    if shape is not None and (len(shape) != len(said) or any(a not in (-1, b) for a, b in zip(shape, said))):
        raise InvalidArgumentError(f"{op.name}: out_shapes has {list(said)} for output '{output_names(op)[i]}', but its "
                                   f"shape is {[None if size == -1 else size for size in shape]}")
    return list(said)

"""Prepared calls of ops: everything that must be known before XLA compiles them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from opsrun._recent import Recent
from opsrun._values import dtype_of
from opsrun.errors import InvalidArgumentError, UnimplementedError
from opsrun.jax import _native
from opsrun.jax._arrays import array_type
from opsrun.jax._call import Call
from opsrun.jax._gradient import Described, Shape

_LARGEST_VALUE = 4096  # bytes of the largest array whose elements may determine a shape
# For each output: its shape and its elements. None or -1: unknown.
Known = list[tuple[list[int] | None, list[int] | None]]


class Prepared(NamedTuple):
    """A call of an op.

    Attributes:
        op: The op. It owns the kernel object, and every program that XLA compiled with the op keeps it alive.
        call: The call in JAX's programs.
        function: The call as a compiled function.
        values: The elements of each output if they are known before the op runs, as for shapes; otherwise None.
    """

    op: _native.TypedOp
    call: Call
    function: Callable[..., list[Any]]
    values: list[np.ndarray[Any, Any] | None]


def _run(described: Described, inputs: list[Any], out_shapes: Sequence[Shape | None]) -> Sequence[Any]:
    """Runs an op. Results that are known in advance are NumPy arrays."""
    return _results(prepare(described, inputs, out_shapes)[0], inputs)


def _run_once(described: Described, inputs: list[Any], out_shapes: Sequence[Shape | None]) -> Sequence[Any]:
    """The same for results that are not differentiated."""
    return _results(prepare(described, inputs, out_shapes, differentiable=False)[0], inputs)


def _results(prepared: Prepared, inputs: list[Any]) -> Sequence[Any]:
    op, _, function, values = prepared
    if all(value is not None for value in values):
        return values
    if not op.stateful and all(isinstance(each, np.ndarray) for each in inputs):
        with jax.ensure_compile_time_eval():  # its elements may determine the shape of another op's result
            return [np.asarray(result) for result in function(*inputs)]
    return [result if value is None else value for value, result in zip(values, function(*inputs))]


# By description, shapes and out_shapes: a call, or the inputs whose elements determine shapes. In the second case there
# is also a call for each combination of their values.
_prepared: Recent[Prepared | tuple[int, ...]] = Recent(1024)


def prepare(described: Described, inputs: Sequence[Any], out_shapes: Sequence[Shape | None] | None,
            differentiable: bool = True) -> tuple[Prepared, bool]:
    """Prepares a call of an op.

    Args:
        inputs: All inputs, including traced ones, lists flattened.
        out_shapes: The shapes of outputs that the op cannot infer; None if none are given.
        differentiable: Also require that shapes in the gradient are known.

    Returns:
        The call, and whether it serves all inputs of these types and shapes. If not, a shape in the call or in its
        gradient depends on their elements.

    Raises:
        opsrun.errors.Error: The op rejects the inputs or attrs, or a shape is unknown.
    """
    shapes = tuple(tuple(np.shape(each)) for each in inputs)
    if not all(isinstance(size, int) for shape in shapes for size in shape):
        raise UnimplementedError(f"{described.op}: the sizes of inputs must be numbers, but jax.export gives symbols; export the "
                                 "function for shapes without them")
    key = (described, shapes, None if out_shapes is None else tuple(out_shapes))
    found = _prepared.get(key)
    if found is None:
        found = _prepared.add(key, _prepare(described, shapes, [None] * len(inputs), out_shapes)
                              or _inputs_that_count(described, inputs, out_shapes))
    if not isinstance(found, Prepared):
        return _prepare_for(found, key, inputs), False
    if differentiable and _is_traced_in_part(inputs) and found.call.needs_values():
        integers = tuple(i for i, each in enumerate(inputs) if jnp.issubdtype(each.dtype, jnp.integer))
        return _prepare_for(integers, key, inputs), False
    return found, True


def _prepare_for(indices: tuple[int, ...], key: Any, inputs: Sequence[Any]) -> Prepared:
    """The call for the current values of some inputs."""
    described, shapes, out_shapes = key
    values = [_value(each) if i in indices else None for i, each in enumerate(inputs)]
    found = _prepared.get((key, *values))
    if found is None:
        made = _prepare(described, shapes, values, out_shapes)
        if made is None:  # for these values, other inputs determine shapes
            counting = _inputs_that_count(described, inputs, out_shapes)
            _prepared.add(key, counting)
            return _prepare_for(counting, key, inputs)
        found = _prepared.add((key, *values), made)
    assert isinstance(found, Prepared)
    return found


def _inputs_that_count(described: Described, inputs: Sequence[Any], out_shapes: Sequence[Shape | None] | None) -> tuple[int, ...]:
    """The inputs whose elements determine shapes. Raises if known elements are not sufficient."""
    op = _native.find_op(*described)
    shapes = [tuple(np.shape(each)) for each in inputs]
    values = [_value(each) for each in inputs]
    _refuse_open(op, _output_shapes(op, shapes, values, out_shapes), values)
    for i in range(len(values)):
        without = [*values[:i], None, *values[i + 1:]]
        if not any(_is_open(shape) for shape, _ in _output_shapes(op, shapes, without, out_shapes)):
            values = without
    return tuple(i for i, value in enumerate(values) if value is not None)


def _is_traced_in_part(inputs: Sequence[Any]) -> bool:
    """True if some inputs are traced and others are constants, as when differentiating with respect to some of them."""
    traced = [isinstance(each, jax.core.Tracer) for each in inputs]
    return any(traced) and not all(traced)


def _prepare(described: Described, shapes: Sequence[Shape], values: Sequence[bytes | None],
             out_shapes: Sequence[Shape | None] | None) -> Prepared | None:
    """values: the known elements of inputs. Returns None if they do not determine all shapes."""
    op = _native.find_op(*described)
    op.check_kernel()  # report invalid attrs now rather than when XLA compiles
    known = _output_shapes(op, shapes, values, out_shapes)
    if any(_is_open(shape) for shape, _ in known):
        return None
    outputs = [dtype_of(number) for number in op.out_types]
    results = [array_type(tuple(shape or ()), dtype) for (shape, _), dtype in zip(known, outputs)]
    elements = [None if _is_open(value) else np.array(value, dtype).reshape(shape)
                for (shape, value), dtype in zip(known, outputs)]
    constants = {i: np.frombuffer(value, dtype_of(op.in_types[i])).reshape(shapes[i])
                 for i, value in enumerate(values) if value is not None}
    call = Call(described, op, shapes, results, constants, _run, _run_once)
    return Prepared(op, call, call.function(), elements)


def _value(array: Any) -> bytes | None:
    """The elements of an array if it is small and not traced."""
    if isinstance(array, jax.core.Tracer) or array.size * array.dtype.itemsize > _LARGEST_VALUE:
        return None
    return np.asarray(array).tobytes()


def _output_shapes(op: _native.TypedOp, shapes: Sequence[Shape], values: Sequence[bytes | None],
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


def _is_open(shape: list[int] | None) -> bool:
    """True if something in it is unknown."""
    return shape is None or -1 in shape


def output_names(op: _native.TypedOp) -> list[str]:
    """The name of each output, lists flattened."""
    return [f"{name}.{i}" if listed else name for name, listed, count in op.outputs for i in range(count)]


def _refuse_open(op: _native.TypedOp, known: Known, values: Sequence[bytes | None]) -> None:
    """Raises InvalidArgumentError if the shape of an output is unknown."""
    for i, (shape, _) in enumerate(known):
        if not _is_open(shape):
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

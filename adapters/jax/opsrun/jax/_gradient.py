"""The gradient that a plugin declares for an op, as calls of other ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from opsrun._values import dtype_of
from opsrun.jax import _native

# OPSRUN_OPERAND_*
_NONE, _INPUT, _OUTPUT, _GRADIENT, _CONSTANT, _CALL = range(6)

Shape = tuple[int, ...]


class Described(NamedTuple):
    """A call of an op: its name, "zero_out.ZeroOut", and the call as a graph file for opsrun_engine_read_op."""

    op: str
    text: str


# Runs a described op on arrays, given what is known about the shapes of its results.
Run = Callable[[Described, list[Any], list[Shape | None]], Sequence[Any]]


class Gradient:
    """The gradient of an op for inputs of fixed shapes.

    Attributes:
        inputs: The indices of the inputs that it uses.
        outputs: The indices of the outputs that it uses.
    """

    def __init__(self, op: _native.TypedOp, shapes: Sequence[Shape]) -> None:
        self._shapes = shapes
        self._calls, constants, self._of_inputs = op.differentiate(shapes)
        self._constants = [np.frombuffer(data, dtype_of(number)).reshape(shape) for number, shape, data in constants]
        operands = [*self._of_inputs, *(operand for _, _, inputs, _ in self._calls for operand in inputs)]
        self.inputs = sorted({index for kind, index, _ in operands if kind == _INPUT})
        self.outputs = sorted({index for kind, index, _ in operands if kind == _OUTPUT})

    def compute(self, run: Run, inputs: dict[int, Any], outputs: dict[int, Any], gradients: dict[int, Any]) -> list[Any]:
        """The gradient of each input, in JAX's convention; None for an input that has none.

        Inputs, outputs and the gradients of outputs are by index. For complex numbers, JAX's gradient is the conjugate
        of opsrun's.
        """
        results: list[Sequence[Any]] = []
        places: dict[int, Any] = {_INPUT: inputs, _OUTPUT: outputs, _CONSTANT: self._constants,
                                  _GRADIENT: {i: _conjugate(each) for i, each in gradients.items()}}

        def tensor(operand: tuple[int, int, int]) -> Any:
            kind, index, output = operand
            if kind == _CALL:
                return results[index][output]
            return places[kind][index]

        for i, (name, text, operands, shapes) in enumerate(self._calls):
            results.append(run(Described(name, text), [tensor(each) for each in operands], self._out_shapes(i, shapes)))
        return [None if each[0] == _NONE else _conjugate(tensor(each)) for each in self._of_inputs]

    def _out_shapes(self, i: int, known: Sequence[Sequence[int] | None]) -> list[Shape | None]:
        """A gradient has the shape of its input, even if the op that computes it does not know that."""
        shapes = [None if shape is None or -1 in shape else tuple(shape) for shape in known]
        for shape, (kind, index, output) in zip(self._shapes, self._of_inputs):
            if kind == _CALL and index == i:
                shapes[output] = tuple(shape)
        return shapes


def _conjugate(array: Any) -> Any:
    return jnp.conj(array) if jnp.issubdtype(array.dtype, jnp.complexfloating) else array

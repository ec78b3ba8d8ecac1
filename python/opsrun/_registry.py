"""Which gradients are registered for ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

functions: dict[str, Callable[..., Any]] = {}
flat: set[str] = set()


class RegisterGradient:
    """Registers the gradient of an op, for graphs that are traced and differentiated later.

        @opsrun.RegisterGradient("MyOp")
        def _my_op_grad(op, grad):
            return [grad * op.inputs[1], None]

    The function gets an Operation and, for each output, its gradient; None for an output that is no float. It returns the
    gradient of each input, None for one that has none; for a single input, the gradient alone will do. It is traced: only ops,
    operators and indexing can be used.

    A gradient that the plugin declares wins.
    """

    def __init__(self, op_type: str) -> None:
        _check(op_type)
        self._op_type = op_type

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise TypeError(f"the gradient of op '{self._op_type}' must be a function, not {function!r}")
        _add(self._op_type)
        functions[self._op_type] = function
        return function


def NotDifferentiable(op_type: str) -> None:
    """Says that no gradient flows through an op, whose plugin does not say so. It must come before functions are traced."""
    _check(op_type)
    _add(op_type)
    flat.add(op_type)


NoGradient = NotDifferentiable


def _check(op_type: str) -> None:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be the name of an op, such as 'MyOp', not {op_type!r}")


def _add(op_type: str) -> None:
    if op_type in functions or op_type in flat:
        raise ValueError(f"there is a gradient of op '{op_type}' already")


def is_flat(op: Any) -> bool:
    """Whether a node of the op stops gradients."""
    return op.name in flat and not op.declares_gradient

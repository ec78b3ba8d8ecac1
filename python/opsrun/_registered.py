"""Registered gradients as texts in the language of declared ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from opsrun import _registry, _trace, _values, _yaml
from opsrun._tensor import Tensor
from opsrun._trace import NodeRecord, Trace
from opsrun._values import NAMES, dtype_of, kind_of, number_of


class Operation:
    """A node that is differentiated.

    Attributes:
        name: What the graph calls it.
        type: The name of its op.
        inputs: Its inputs, lists flattened.
        outputs: Its outputs, lists flattened.
    """

    def __init__(self, name: str, record: NodeRecord, inputs: list[Tensor], outputs: list[Tensor]) -> None:
        self.name = name
        self.type: str = record.op.op.name
        self.inputs = inputs
        self.outputs = outputs
        self._record = record

    def get_attr(self, name: str) -> Any:
        """The value of an attr; of a data type, NumPy's dtype. Raises ValueError if the op has no such attr."""
        record = self._record
        attr = record.op.op.attr_of.get(name)
        if attr is None:
            known = ", ".join(record.op.op.attr_of) or "none"
            raise ValueError(f"op '{self.type}' has no attr '{name}'; attrs: {known}")
        if name in record.attrs:
            value = record.attrs[name]
            return np.dtype(dtype_of(number_of(value))) if attr.type == "type" else value
        if attr.inferred:
            return self._inferred(name)
        return attr.default

    def _inferred(self, name: str) -> Any:
        at = 0
        for arg, count in self._record.counts:
            if arg.type_attr == name:
                return self.inputs[at].dtype
            if arg.number_attr == name:
                return count
            if arg.type_list_attr == name:
                return [tensor.dtype for tensor in self.inputs[at:at + count]]
            at += count
        return None

    def __repr__(self) -> str:
        return f"<opsrun.Operation {self.name}: {self.type}>"


def given_gradients(trace: Trace) -> list[tuple[str, str]]:
    """For each node whose op has a registered gradient and declares none: its gradient as a text."""
    return [(name, _text(name, record, _registry.functions[record.op.op.name])) for name, record in trace.records.items()
            if record.op.op.name in _registry.functions and not record.op.op.declares_gradient]


def _text(name: str, record: NodeRecord, function: Callable[..., Any]) -> str:
    op = record.op.op
    trace = _trace.Trace(reserved={"grad", *(arg.name for arg in [*op.inputs, *op.outputs])})
    inputs = [trace.add_outside(ref, number, shape) for ref, (number, shape) in
              zip(_refs([(arg.name, arg.list, count) for arg, count in record.counts]), record.input_types)]
    names = [ref.partition(".")[2] or op.outputs[0].name for ref in record.refs]
    outputs = [trace.add_outside(ref, number, shape) for ref, (number, shape) in zip(names, record.output_types)]
    gradients = [trace.add_outside(f"grad.{ref}", number, shape) if kind_of(number) >= 2 else None
                 for ref, (number, shape) in zip(names, record.output_types)]
    before, _trace.active.trace = _trace.active.trace, trace
    try:
        result = function(Operation(name, record, inputs, outputs), *gradients)
        flat = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(flat) != len(inputs):
            raise ValueError(f"the gradient that is registered for op '{op.name}' returns {len(flat)} gradients, but the node "
                             f"'{name}' has {len(inputs)} inputs; return None for an input without one")
        written = _outputs(trace, record, inputs, flat)
    except Exception as error:
        error.add_note(f"in the gradient of node '{name}', which is registered for op '{op.name}'")
        raise
    finally:
        _trace.active.trace = before
    return trace.text(nodes=trace.nodes, section="outputs: " + _yaml.flow(written) + "\n")


def _refs(args: list[tuple[str, bool, int]]) -> list[str]:
    return [f"{name}.{i}" if is_list else name for name, is_list, count in args for i in range(count)]


def _outputs(trace: Trace, record: NodeRecord, inputs: list[Tensor], flat: list[Any]) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    at = 0
    for arg, count in record.counts:
        own = flat[at:at + count]
        if all(gradient is None for gradient in own):
            outputs[arg.name] = None
        elif arg.list:
            outputs[arg.name] = [_ref(trace, gradient, tensor) for gradient, tensor in zip(own, inputs[at:])]
        else:
            outputs[arg.name] = _ref(trace, own[0], inputs[at])
        at += count
    return outputs


def _ref(trace: Trace, gradient: Any, tensor: Tensor) -> str:
    from opsrun import ops

    if gradient is None:
        gradient = ops.array_ops.zeros_like(tensor)
    if isinstance(gradient, Tensor):
        if gradient._trace is not trace:
            raise TypeError("a gradient is a tensor of another function; compute it from op.inputs, op.outputs and the gradients")
        return gradient._ref
    array = (_values.typed_array(gradient, "a gradient") if _values.has_typed(gradient)
             else _values.untyped_array(gradient, number_of(NAMES[tensor._number]), None, "a gradient"))
    return trace.add_constant("gradient", array)._ref

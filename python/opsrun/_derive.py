"""Gradients of traced tensors: adds nodes to the graph, using gradients from plugins and those registered in Python.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from opsrun import _trace, _yaml, ops
from opsrun._engine import engine
from opsrun._library import find_op
from opsrun._op_def import OpDef
from opsrun._refuse import user_line
from opsrun._tensor import Tensor
from opsrun._trace import NodeRecord, Trace, type_of
from opsrun._values import NAMES, array_of, dtype_of, kind_of, number_of
from opsrun.errors import OpsrunWarning

registered: dict[str, Callable[..., Any]] = {}  # gradient functions by the name of the op


class RegisterGradient:
    """Registers the gradient of an op, for graphs that are traced and differentiated later.

        @opsrun.RegisterGradient("MyOp")
        def _my_op_grad(op, grad):
            return [grad * op.inputs[1], None]

    The function is called with an Operation and the gradient of each output, None for one that is not a float. It
    returns the gradient of each input, None for one without a gradient; for a single input, the gradient itself. It is
    traced, so it can use only ops, operators and indexing.

    If the plugin declares a gradient, that one is used instead.
    """

    def __init__(self, op_type: str) -> None:
        _check(op_type)
        self._op_type = op_type

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise TypeError(f"the gradient of op '{self._op_type}' must be a function, not {function!r}")
        _add(self._op_type)
        registered[self._op_type] = function
        return function


def NotDifferentiable(op_type: str) -> None:
    """Declares that no gradient flows through an op. Call it before tracing; needed only if the plugin does not say
    so."""
    _check(op_type)
    _add(op_type)
    _trace.not_differentiable.add(op_type)


NoGradient = NotDifferentiable


def _check(op_type: str) -> None:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be the name of an op, such as 'MyOp', not {op_type!r}")


def _add(op_type: str) -> None:
    if op_type in registered or op_type in _trace.not_differentiable:
        raise ValueError(f"there is a gradient of op '{op_type}' already")


class Operation:
    """A node to differentiate, as passed to a registered gradient function.

    Attributes:
        name: The node's name in the graph.
        type: The name of its op.
        inputs: Its inputs, lists flattened.
        outputs: Its outputs, lists flattened.
    """

    def __init__(self, name: str, record: NodeRecord, inputs: list[Tensor], outputs: list[Tensor]) -> None:
        self.name = name
        self.type: str = record.op.name
        self.inputs = inputs
        self.outputs = outputs
        self._record = record

    def get_attr(self, name: str) -> Any:
        """The value of an attr; for a data type, NumPy's dtype. Raises ValueError if the op has no such attr."""
        record = self._record
        attr = record.op.attr_of.get(name)
        if attr is None:
            known = ", ".join(record.op.attr_of) or "none"
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


def _given_gradients(trace: Trace) -> list[tuple[str, str]]:
    """The gradients, as text, of nodes whose ops declare none but have a registered one."""
    return [(name, _text(name, record, registered[record.op.name])) for name, record in trace.records.items()
            if record.op.name in registered and not record.op.declares_gradient]


def _text(name: str, record: NodeRecord, function: Callable[..., Any]) -> str:
    op = record.op
    trace = Trace(ops, reserved={"grad", *(arg.name for arg in [*op.inputs, *op.outputs])})
    inputs = [trace.add_outside(ref, number, shape) for ref, (number, shape) in
              zip(_refs([(arg.name, arg.list, count) for arg, count in record.counts]), record.input_types)]
    names = [ref.partition(".")[2] or op.outputs[0].name for ref in record.refs]
    outputs = [trace.add_outside(ref, number, shape) for ref, (number, shape) in zip(names, record.output_types)]
    gradients = [trace.add_outside(f"grad.{ref}", number, shape) if kind_of(number) >= 2 else None
                 for ref, (number, shape) in zip(names, record.output_types)]
    try:
        with trace.active():
            result = function(Operation(name, record, inputs, outputs), *gradients)
            flat = list(result) if isinstance(result, (list, tuple)) else [result]
            if len(flat) != len(inputs):
                raise ValueError(f"the gradient that is registered for op '{op.name}' returns {len(flat)} gradients, but the node "
                                 f"'{name}' has {len(inputs)} inputs; return None for an input without one")
            written = _outputs(trace, record, inputs, flat)
    except Exception as error:
        error.add_note(f"in the gradient of node '{name}', which is registered for op '{op.name}'")
        raise
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
    if gradient is None:
        gradient = ops.array_ops.zeros_like(tensor)
    if isinstance(gradient, Tensor):
        if gradient._trace is not trace:
            raise TypeError("a gradient is a tensor of another function; compute it from op.inputs, op.outputs and the gradients")
        return gradient._ref
    return trace.add_constant("gradient", array_of(gradient, number_of(NAMES[tensor._number]), "a gradient"))._ref


def derive(trace: Trace, of: list[tuple[str, str]], wrt: list[str]) -> list[Tensor]:
    """Adds the nodes that compute the gradient of the sum of some tensors.

    Args:
        of: Pairs of a tensor and the tensor that is its gradient; "" stands for ones.
        wrt: The tensors to differentiate with respect to.
    """
    with warnings.catch_warnings():  # for tensors without influence, whose gradient is zeros
        warnings.simplefilter("ignore", OpsrunWarning)
        graph = engine().load_text(user_line(), trace.text(outputs=[(f"of_{i}", ref) for i, (ref, _) in enumerate(of)]))
        derived = json.loads(graph.differentiate(of, wrt, _given_gradients(trace)).to_json())
    for feed in derived["feeds"]:
        if not trace.has(feed["name"]):
            trace.feeds[feed["name"]] = _yaml.described_constant(feed)
    defs: dict[str, OpDef] = {}
    types = {feed["name"]: type_of(feed) for feed in derived["feeds"]}
    for node in derived["nodes"]:
        types.update((output["tensor"], type_of(output)) for output in node["outputs"])
    for node in derived["nodes"]:
        if not trace.has(node["name"]):
            full_name = f"{node['plugin']['name']}.{node['op']}"
            if full_name not in defs:
                defs[full_name] = find_op(full_name)
            _adopt(trace, node, defs[full_name])
    outputs = derived["outputs"][-len(wrt):]
    return [Tensor(trace, output["tensor"], *types[output["tensor"]]) for output in outputs]


def _adopt(trace: Trace, described: dict[str, Any], op: OpDef) -> None:
    inputs: dict[str, Any] = {arg.name: [] if arg.list else None for arg in op.inputs}
    for tensor in described["inputs"]:
        if isinstance(inputs[tensor["argument"]], list):
            inputs[tensor["argument"]].append(tensor["tensor"])
        else:
            inputs[tensor["argument"]] = tensor["tensor"]
    attrs = {name: _yaml.described_attr(op.attr_of[name].type, value) for name, value in described["attrs"].items()}
    counts = [(arg, len(inputs[arg.name]) if arg.list else 1) for arg in op.inputs]
    record = NodeRecord(op, counts, [type_of(each) for each in described["inputs"]], attrs,
                        [each["tensor"] for each in described["outputs"]],
                        [type_of(each) for each in described["outputs"]])
    trace.adopt_node(described["name"], record, inputs, described.get("gradient_of"))

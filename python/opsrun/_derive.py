"""Gradients of traced tensors: nodes that are added to the graph that is being made.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from opsrun import _registered, _yaml
from opsrun._engine import engine
from opsrun._library import find_op
from opsrun._tensor import Tensor, user_line
from opsrun._trace import NodeRecord, Trace, type_of
from opsrun.errors import OpsrunWarning


def derive(trace: Trace, of: list[tuple[str, str]], wrt: list[str]) -> list[Tensor]:
    """Adds the nodes that compute the gradient of the sum of some tensors.

    Args:
        of: The tensors, each with the tensor that is its gradient; "": ones.
        wrt: With respect to what.
    """
    with warnings.catch_warnings():  # of tensors on which nothing depends: their gradient is zeros, as callers expect
        warnings.simplefilter("ignore", OpsrunWarning)
        graph = engine().load_text(user_line(), trace.text(outputs=[(f"of_{i}", ref) for i, (ref, _) in enumerate(of)]))
        derived = json.loads(graph.differentiate(of, wrt, _registered.given_gradients(trace)).to_json())
    for feed in derived["feeds"]:
        if not trace.has(feed["name"]):
            trace.adopt_constant(feed["name"], _feed_of(feed))
    functions: dict[str, Any] = {}
    types = {feed["name"]: type_of(feed) for feed in derived["feeds"]}
    for node in derived["nodes"]:
        types.update((output["tensor"], type_of(output)) for output in node["outputs"])
    for node in derived["nodes"]:
        if not trace.has(node["name"]):
            full_name = f"{node['plugin']['name']}.{node['op']}"
            if full_name not in functions:
                functions[full_name] = find_op(full_name)
            _adopt(trace, node, functions[full_name])
    outputs = derived["outputs"][-len(wrt):]
    return [Tensor(trace, output["tensor"], *types[output["tensor"]]) for output in outputs]


def _elements(described: dict[str, Any]) -> dict[str, Any]:
    """The elements of a tensor as a graph file has them."""
    convert = _yaml.texts if described.get("dtype") == "string" else _yaml.numbers
    return {key: convert(described[key]) for key in ("value", "fill") if key in described}


def _feed_of(described: dict[str, Any]) -> dict[str, Any]:
    """A constant as a graph file has it."""
    feed = _elements(described)
    if "fill" in feed:
        feed["shape"] = described["shape"]
    feed["dtype"] = described["dtype"]
    return feed


def _attr_of(kind: str, value: Any) -> Any:
    """The value of an attr as a graph file has it."""
    if kind in ("float", "list(float)"):
        return _yaml.numbers(value)
    if kind == "list(tensor)":
        return [_attr_of("tensor", item) for item in value]
    return {**value, **_elements(value)} if kind == "tensor" and isinstance(value, dict) else _yaml.texts(value)


def _adopt(trace: Trace, described: dict[str, Any], op: Any) -> None:
    inputs: dict[str, Any] = {arg.name: [] if arg.list else None for arg in op.op.inputs}
    for tensor in described["inputs"]:
        if isinstance(inputs[tensor["argument"]], list):
            inputs[tensor["argument"]].append(tensor["tensor"])
        else:
            inputs[tensor["argument"]] = tensor["tensor"]
    attrs = {name: _attr_of(op.op.attr_of[name].type, value) for name, value in described["attrs"].items()}
    counts = [(arg, len(inputs[arg.name]) if arg.list else 1) for arg in op.op.inputs]
    record = NodeRecord(op, counts, [type_of(each) for each in described["inputs"]], attrs,
                        [each["tensor"] for each in described["outputs"]],
                        [type_of(each) for each in described["outputs"]])
    trace.adopt_node(described["name"], record, inputs, described.get("gradient_of"))

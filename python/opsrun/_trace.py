"""Builds a graph from the ops that a function calls.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from opsrun import _values, _yaml
from opsrun._engine import engine
from opsrun._op_def import Arg, Handle, OpDef, no_object
from opsrun._refuse import ForeignTensorError, refuse, user_line
from opsrun._tensor import Tensor
from opsrun.errors import Error
from opsrun._values import NAMES, OPAQUE, Shape, number_of, shape_of

_KNOWN = 4096  # most elements of a constant whose values shape inference may use

# Ops passed to opsrun.NotDifferentiable: their nodes stop gradients, unless the plugin declares one.
not_differentiable: set[str] = set()


def type_of(described: dict[str, Any]) -> tuple[int, Shape]:
    """The type and shape of a tensor in the library's JSON description of a graph."""
    return number_of(described["dtype"]), shape_of(described["shape"])


def _feed(number: int, shape: Sequence[int | None] | None) -> dict[str, Any]:
    """A declared feed in the form of a graph file."""
    sizes = {} if shape is None else {"shape": [-1 if size is None else size for size in shape]}
    return {"dtype": NAMES[number], **sizes}


class NodeRecord(NamedTuple):
    """Facts about a node."""

    op: OpDef
    counts: list[tuple[Arg, int]]  # inputs, each with its number of tensors
    input_types: list[tuple[int, Shape]]
    attrs: dict[str, Any]
    refs: list[str]
    output_types: list[tuple[int, Shape]]


class Trace:
    """A graph under construction.

    Args:
        ops: The module opsrun.ops, used by operators of tensors; None if users never see the tensors.
        reserved: Names that must not be used.
        root: The function whose arguments are the first feeds.
    """

    def __init__(self, ops: Any, reserved: set[str] | None = None, root: Any = None) -> None:
        self.ops = ops
        self.partial = reserved is not None  # the graph of a registered gradient, which becomes part of a larger one
        self.root = root
        self.records: dict[str, NodeRecord] = {}
        self._reserved = reserved or set()
        self.feeds: dict[str, dict[str, Any]] = {}
        self.nodes: dict[str, dict[str, Any]] = {}
        self._values: dict[str, np.ndarray[Any, np.dtype[Any]]] = {}
        self._numbers: dict[str, int] = {}
        self._known: dict[str, tuple[int, Shape]] = {}  # of outputs of nodes
        self._op_names: dict[str, str] = {}
        self._handles: dict[Handle, Tensor] = {}
        self._last_user: str | None = None  # the last node that used a shared object

    def new_name(self, wish: str) -> str:
        name = wish = _yaml.clean_name(str(wish) or "node")
        while name in self.feeds or name in self.nodes or name in self._reserved:
            self._numbers[wish] = self._numbers.get(wish, 1) + 1
            name = f"{wish}_{self._numbers[wish]}"
        return name

    def add_feed(self, wish: str, number: int, shape: Sequence[int | None] | None) -> Tensor:
        name = self.new_name(wish)
        self.feeds[name] = _feed(number, shape)
        return Tensor(self, name, number, None if shape is None else tuple(shape))

    def add_outside(self, ref: str, number: int, shape: Shape) -> Tensor:
        """A tensor that is defined outside of this graph."""
        self._known[ref] = (number, shape)
        return Tensor(self, ref, number, shape)

    def add_constant(self, wish: str, array: np.ndarray[Any, np.dtype[Any]]) -> Tensor:
        array = np.asarray(array)  # which may be on a GPU
        if array.size > 2**20:
            raise refuse(f"a constant of {array.size} elements does not belong in a graph",
                          "make it an argument of the function")
        number = number_of(array.dtype)
        for name, known in self._values.items():
            if known.dtype == array.dtype and known.shape == array.shape and known.tobytes() == array.tobytes() and (
                    array.dtype.kind != "O" or known.tolist() == array.tolist()):
                return Tensor(self, name, number, array.shape)
        name = self.new_name(wish)
        self.feeds[name] = _yaml.tensor(array, number)
        self._values[name] = array
        return Tensor(self, name, number, array.shape)

    def ref_of(self, tensor: Tensor, what: str) -> str:
        """The reference to the tensor in the graph."""
        if tensor._trace is not self:
            raise refuse(f"{what} is a tensor of another traced function",
                          "pass it as an argument, or return it from the function that made it", ForeignTensorError)
        return tensor._ref

    def has_effects(self) -> bool:
        """True if a node uses a shared object."""
        return self._last_user is not None

    def has(self, name: str) -> bool:
        """True if there is a feed or a node of that name."""
        return name in self.feeds or name in self.nodes

    def adopt_node(self, name: str, record: NodeRecord, inputs: dict[str, Any], gradient_of: str | None) -> None:
        """Adds a node that was created elsewhere. inputs: references by argument."""
        node = self._node(record.op, inputs, record.attrs)
        self._add(name, node, record, {} if gradient_of is None else {"gradient_of": gradient_of})

    def drop_unused(self, first: int, used: Sequence[Tensor]) -> None:
        """Removes the nodes from number `first` on that no tensor of `used` depends on: a graph runs all that it has."""
        needed = {tensor._ref.partition(".")[0] for tensor in used}
        dropped: dict[str, str | None] = {}

        def need(ref: str) -> str:
            needed.add(ref.partition(".")[0])
            return ref

        for name in reversed(list(self.nodes)[first:]):
            if name in needed:
                _yaml.map_refs(self.nodes[name].get("in", []), need)
            else:
                dropped[name] = self.nodes.pop(name).get("gradient_of")
                del self.records[name]
        for name in list(self.nodes)[first:]:
            origin = self.nodes[name].pop("gradient_of", None)
            while origin in dropped:
                origin = dropped[origin]
            if origin is not None:
                self.nodes[name]["gradient_of"] = origin

    def add_node(self, op: OpDef, values: list[Any], attrs: dict[str, Any], wish: str | None) -> Any:
        """Adds a node of the op, with traced tensors and other values as inputs. Returns the result of the op's
        call."""
        inputs = self._inputs(op, values)
        node = self._node(op, inputs, op.written_attrs(attrs))
        name = self.new_name(wish or op.function_name)
        flat = [ref for given in inputs.values() for ref in (given if isinstance(given, list) else [given])]
        counts = [(arg, len(inputs[arg.name]) if arg.list else 1) for arg in op.inputs]
        try:
            refs, outputs = self._infer(name, {**node, "in": inputs})
        except Error as error:
            args = (arg for arg, count in counts for _ in range(count))
            raise error.in_call(op.call_title(((arg, *self._type_of(ref)) for arg, ref in zip(args, flat)), attrs), user_line()) from None
        more = {}
        if any(arg.is_resource for arg in op.inputs):  # keep the order of the calls, as in Python
            if self._last_user is not None:
                more["after"] = self._last_user
            self._last_user = name
        self._add(name, node, NodeRecord(op, counts, [self._type_of(ref) for ref in flat], attrs, refs, outputs), more)
        tensors = [Tensor(self, ref, number, shape) for ref, (number, shape) in zip(refs, outputs)]
        pack = op.pack_for([ref.partition(".")[2] or op.outputs[0].name for ref in refs])
        return tensors[0] if pack is None else pack(tensors)

    def _node(self, op: OpDef, inputs: dict[str, Any], attrs: dict[str, Any]) -> dict[str, Any]:
        """The node in the form of a graph file, without empty parts."""
        entries = {"op": self._op_name(op), "in": _yaml.inputs_of(op.inputs, inputs), "attrs": attrs}
        return {key: entry for key, entry in entries.items() if entry}

    def _add(self, name: str, node: dict[str, Any], record: NodeRecord, more: dict[str, Any]) -> None:
        if record.op.name in not_differentiable and not record.op.declares_gradient:
            node["stop_gradient"] = True
        self.nodes[name] = node | more
        self.records[name] = record
        self._known.update(zip(record.refs, record.output_types))

    def _type_of(self, ref: str) -> tuple[int, Shape]:
        feed = self.feeds.get(ref)
        if feed is None:
            return self._known[ref]
        if ref in self._values:
            return number_of(feed["dtype"]), self._values[ref].shape
        return number_of(feed["dtype"]), shape_of(np.shape(feed["value"]) if "value" in feed else feed.get("shape"))

    def _inputs(self, op: OpDef, values: list[Any]) -> dict[str, Any]:
        types: dict[str, int] = {}
        plain: list[tuple[Arg, Any, str]] = []
        flat = op.flat(values)
        for arg, item, what in flat:
            number = item._number if isinstance(item, Tensor) else 0
            if not number and _values.has_typed(item):
                number = number_of(_values.typed_array(item, what).dtype)
            if number and arg.type_attr is not None:
                types.setdefault(arg.type_attr, number)
            if not number and not isinstance(item, Handle):
                plain.append((arg, item, what))
        op.agree(plain, types)
        refs = op.grouped(values, (self._ref(op, *each, types) for each in flat))
        return {arg.name: given for arg, given in zip(op.inputs, refs)}

    def _ref(self, op: OpDef, arg: Arg, value: Any, what: str, types: dict[str, int]) -> str:
        if isinstance(value, Tensor):
            return self.ref_of(value, what)
        if isinstance(value, Handle):
            if value not in self._handles:
                self._handles[value] = self.add_node(value._op, [], value._attrs, None)
            return self._handles[value]._ref
        if arg.is_resource or arg.is_variant:
            raise no_object(what, arg, value)
        if _values.has_typed(value):
            array = _values.typed_array(value, what)
        else:
            array = _values.untyped_array(value, op.wanted(arg, types), op.allowed(arg), what)
        return self.add_constant(arg.name, array)._ref

    def _infer(self, name: str, node: dict[str, Any]) -> tuple[list[str], list[tuple[int, Shape]]]:
        """The references to the outputs, lists flattened, and their types and shapes.

        The library infers them in a graph of this node alone, and raises the errors in it, such as invalid list
        lengths.
        """
        feeds: dict[str, dict[str, Any]] = {}
        nodes: dict[str, dict[str, Any]] = {}
        inputs: dict[str, Any] = {}
        for arg, given in node["in"].items():
            inputs[arg] = ([self._alone(ref, feeds, nodes) for ref in given] if isinstance(given, list)
                           else self._alone(given, feeds, nodes))
        nodes[name] = {**node, "in": inputs}
        graph = engine().load_text(f"{user_line()}", self.text(feeds=feeds, nodes=nodes))
        described = next(each for each in json.loads(graph.to_json())["nodes"] if each["name"] == name)
        return [output["tensor"] for output in described["outputs"]], [type_of(output) for output in described["outputs"]]

    def _alone(self, ref: str, feeds: dict[str, dict[str, Any]], nodes: dict[str, dict[str, Any]]) -> str:
        if ref in self.feeds:
            feeds[ref] = self.feeds[ref]
            if ref in self._values and self._values[ref].size > _KNOWN:
                feeds[ref] = _feed(number_of(feeds[ref]["dtype"]), self._values[ref].shape)
            return ref
        if self._is_opaque(ref):  # such a tensor cannot be a feed
            self._add_givers(ref, feeds, nodes)
            return ref
        number, shape = self._known[ref]
        name = ref.replace(".", "_") + "_"
        feeds[name] = _feed(number, shape)
        return name

    def _is_opaque(self, ref: str) -> bool:
        return ref in self._known and self._known[ref][0] in OPAQUE

    def _add_givers(self, ref: str, feeds: dict[str, dict[str, Any]], nodes: dict[str, dict[str, Any]]) -> None:
        """Adds the node that returns an object, and recursively those for the objects that it uses."""
        waiting = [ref]

        def stand_in(ref: str) -> str:
            if not self._is_opaque(ref):
                return self._alone(ref, feeds, nodes)
            waiting.append(ref)
            return ref

        while waiting:
            name = waiting.pop().partition(".")[0]
            if name in nodes:
                continue
            node = self.nodes.get(name)
            if node is None:
                raise refuse(f"'{name}' is an object of another graph, which a registered gradient cannot use",
                             "use the other inputs and outputs of the node")
            nodes[name] = {key: node[key] for key in ("op", "attrs") if key in node}
            nodes[name]["in"] = _yaml.map_refs(node.get("in", []), stand_in)

    def _op_name(self, op: OpDef) -> str:
        """The op's name; with its plugin if another plugin has an op of that name."""
        if op.full_name not in self._op_names:
            owners = {plugin for plugin, _, _, state, _, _, ops in engine().plugins() if state == "ok" and op.name in ops}
            self._op_names[op.full_name] = str(op.name if owners == {op.plugin} else op.full_name)
        return self._op_names[op.full_name]

    def text(self, *, feeds: Any = None, nodes: Any = None, outputs: Any = (), section: str = "") -> str:
        """The text of the graph file. section: text of the outputs, if references are not sufficient."""
        named = dict(outputs)
        return ("opsrun: 1\n" + _yaml.section("feeds", self.feeds if feeds is None else feeds)
                + _yaml.section("nodes", self.nodes if nodes is None else nodes) + _yaml.section("outputs", named) + section)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """A context in which the ops that this thread calls become nodes of this graph."""
        before, _thread.trace = _thread.trace, self
        try:
            yield
        finally:
            _thread.trace = before


class _Thread(threading.local):
    trace: Trace | None = None


_thread = _Thread()


def active_trace() -> Trace | None:
    """The graph that this thread is tracing; None outside of a trace."""
    return _thread.trace


def is_traced(value: Any) -> bool:
    """True if the value is a traced tensor, or a list that contains one."""
    if isinstance(value, (list, tuple)):
        return any(is_traced(item) for item in value)
    return isinstance(value, Tensor)

"""Graphs of Python functions: a function is traced once for arguments of given types and shapes, and its graph is kept.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from opsrun import _values, _yaml
from opsrun._engine import engine
from opsrun._recent import Recent
from opsrun._refuse import TracingError, refuse
from opsrun._tensor import Tensor
from opsrun._trace import Trace
from opsrun._values import NAMES, OPAQUE, kind_of, number_of
from opsrun.graph import Graph, TensorSpec


# Trees: arguments and results that are lists, tuples and dicts of tensors.


def _is_container(tree: Any) -> bool:
    return isinstance(tree, (dict, list, tuple)) and not isinstance(tree, TensorSpec)


def structure_of(tree: Any) -> Any:
    """The containers and keys of a tree with their types. Equal for trees that differ only in leaves."""
    if not _is_container(tree):
        return None
    if isinstance(tree, dict):
        return (dict, *((type(key), key, structure_of(item)) for key, item in tree.items()))
    return (type(tree), *(structure_of(item) for item in tree))


def leaves_of(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The leaves, each with a name: "x", "params_0", "params_w"."""
    if not _is_container(tree):
        return [(name, tree)]
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in leaves_of(tree[key], f"{name}_{key}")]
    names = tree._fields if hasattr(tree, "_fields") else range(len(tree))
    return [leaf for key, item in zip(names, tree) for leaf in leaves_of(item, f"{name}_{key}")]


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with each leaf replaced by function(leaf), called in the order of leaves_of."""
    if not _is_container(tree):
        return function(tree)
    if isinstance(tree, dict):
        return {key: map_tree(function, item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_tree(function, item) for item in tree))
    return type(tree)(map_tree(function, item) for item in tree)


# Limits per function: the number of graphs, for arguments of different types and shapes, and characters of their text.
_MOST_GRAPHS, _MOST_TEXT = 64, 2**26


class Compiled:
    """A traced function for inputs of given types and shapes."""

    def __init__(self, graph: Graph, feeds: list[str], outputs: Any) -> None:
        self.graph = graph
        self.feeds = feeds  # one for each tensor among the arguments, in order
        self.outputs = outputs  # the result, with indices of the graph's outputs in place of tensors

    def run(self, arrays: list[Any]) -> Any:
        """Runs the graph on arrays and returns the function's result."""
        names = {spec.name for spec in self.graph.feeds}
        results = list(self.graph.run({name: array for name, array in zip(self.feeds, arrays) if name in names}).values())
        return map_tree(lambda leaf: results[leaf.index] if isinstance(leaf, Output) else _own(leaf), self.outputs)


class Output:
    def __init__(self, index: int) -> None:
        self.index = index


_traced: weakref.WeakSet[TracedFunction] = weakref.WeakSet()


def forget_graphs() -> None:
    """All traced functions trace again with their next call: an op of theirs has other code."""
    for each in list(_traced):
        each.forget()


class TracedFunction:
    """A Python function, and its graphs for arguments of given types and shapes.

    Args:
        specs: The types and shapes of arguments that are tensors.
        ops: The module opsrun.ops, used by operators in the function.
    """

    def __init__(self, function: Callable[..., Any], specs: dict[str, Any] | None = None, ops: Any = None) -> None:
        self.python_function = function
        self.__name__: str = getattr(function, "__name__", "function")
        self.specs = specs or {}
        self._ops = ops
        self._signature = inspect.signature(function)
        self._compiled: Recent[Compiled] = Recent(_MOST_GRAPHS, _MOST_TEXT)
        self._latest: Compiled | None = None
        _traced.add(self)
        self.of_floats: int | None = None  # the type of Python floats; None: it depends on the arrays of the call

    def forget(self) -> None:
        """Traces again with the next call."""
        self._compiled = Recent(_MOST_GRAPHS, _MOST_TEXT)
        self._latest = None

    def compile(self, arguments: dict[str, Any]) -> tuple[Compiled, list[Any]]:
        """The graph for these arguments, and the arrays in them."""
        arrays: list[Any] = []
        key: list[Any] = []
        numbers = [number_of(spec.dtype) for spec in self.specs.values()]
        floats = []  # their type follows from those of the arrays
        for name, value in arguments.items():
            if name in self.specs:
                arrays.append(_values.array_of(value, number_of(self.specs[name].dtype), f"argument '{name}'"))
                continue
            key.append((name, structure_of(value)))
            for leaf_name, leaf in leaves_of(value, name):
                if is_plain_float(leaf):
                    floats.append((len(arrays), len(key), leaf, leaf_name))
                    arrays.append(None)
                    key.append(None)
                elif _values.is_typed(leaf):
                    arrays.append(_values.typed_array(leaf, f"argument '{leaf_name}'"))
                    numbers.append(number_of(arrays[-1].dtype))
                    key.append((numbers[-1], arrays[-1].shape))
                else:
                    key.append((type(leaf), _hashable(leaf, leaf_name)))
        for at, key_at, leaf, leaf_name in floats:
            number = self.of_floats or _type_of_floats(numbers)
            arrays[at] = _values.untyped_array(leaf, number, None, f"argument '{leaf_name}'")
            key[key_at] = (number, ())
        device = _values.device_of(arrays)
        frozen = (device, *key)
        compiled = self._compiled.get(frozen)
        if compiled is None:
            compiled = self._trace({name: self.specs.get(name, value) for name, value in arguments.items()}, device)
            self._compiled.add(frozen, compiled, len(compiled.graph.to_yaml()))
        self._latest = compiled
        return compiled, arrays

    def _trace(self, arguments: dict[str, Any], device: str = "") -> Compiled:
        trace = Trace(self._ops, root=self.python_function)
        feeds: list[str] = []
        known = {id(leaf): type_ for name, value in arguments.items() for _, leaf in leaves_of(value, name)
                 if (type_ := _known_type(leaf)) is not None}
        of_floats = self.of_floats or _type_of_floats([number for number, _ in known.values()])

        def enter(name: str, leaf: Any) -> Any:
            if id(leaf) in known:
                tensor = trace.add_feed(name, *known[id(leaf)])
            elif is_plain_float(leaf):
                tensor = trace.add_feed(name, of_floats, ())
            else:
                return leaf
            feeds.append(tensor.name)
            return tensor

        entered = {}
        for name, value in arguments.items():
            names = iter([leaf_name for leaf_name, _ in leaves_of(value, name)])
            entered[name] = map_tree(lambda leaf: enter(next(names), leaf), value)
        bound: Any = inspect.BoundArguments(self._signature, entered)
        with trace.active():
            result = self.python_function(*bound.args, **bound.kwargs)
        return self._finish(trace, feeds, result, device)

    def _finish(self, trace: Trace, feeds: list[str], result: Any, device: str) -> Compiled:
        outputs: list[tuple[str, str]] = []
        names = iter([name for name, _ in leaves_of(result, "")])

        def leave(leaf: Any) -> Any:
            name = next(names).lstrip("_")
            if not isinstance(leaf, Tensor):
                return leaf
            ref = trace.ref_of(leaf, "the result")
            if leaf._number in OPAQUE:
                raise refuse(f"the result '{ref}' is a {NAMES[leaf._number]}, which exists only while the graph runs",
                             "return what an op reads from it")
            outputs.append((_yaml.output_name(ref if name[:1].isdigit() or not name else name, outputs), ref))
            return Output(len(outputs) - 1)

        left = map_tree(leave, result)
        if not outputs and not trace.has_effects():
            raise TracingError(f"{self.__name__} returns no traced tensor, so there is nothing to run; it must compute its "
                               "result from its arguments with ops")
        graph = Graph(engine().load_text(self.__name__, trace.text(outputs=outputs), False, device))
        return Compiled(graph, feeds, left)


def _own(leaf: Any) -> Any:
    """A constant of the result, copied so that calls do not share an array."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def is_plain_float(leaf: Any) -> bool:
    return isinstance(leaf, float) and not isinstance(leaf, np.generic)


def _known_type(leaf: Any) -> tuple[int, Any] | None:
    """The type and shape of a typed leaf."""
    if isinstance(leaf, TensorSpec):
        return number_of(leaf.dtype), leaf.shape
    if not _values.is_typed(leaf):
        return None
    array = _values.typed_array(leaf, "an argument")
    return number_of(array.dtype), array.shape


def _type_of_floats(numbers: list[int]) -> int:
    """The type of Python floats next to tensors of these types: their only float type, otherwise float32."""
    found = {number for number in numbers if kind_of(number) == 2}
    return found.pop() if len(found) == 1 else number_of("float32")


def type_of_floats(tree: Any) -> int:
    """The type of Python floats next to the arrays and specs of a tree."""
    known = [_known_type(leaf) for _, leaf in leaves_of(tree, "")]
    return _type_of_floats([each[0] for each in known if each is not None])


def _hashable(leaf: Any, name: str) -> Any:
    try:
        hash(leaf)
    except TypeError:
        raise TypeError(f"argument '{name}' is a {type(leaf).__name__}, which is neither a tensor nor a value that a graph can "
                        "be made for; use arrays, numbers, strings, lists, tuples or dicts") from None
    return repr(leaf) if isinstance(leaf, complex) else leaf

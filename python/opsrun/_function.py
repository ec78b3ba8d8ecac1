"""Python functions over ops, traced into graphs.

A traced function runs once with traced tensors in place of its arrays; the ops that it calls become nodes. After that,
each call with arrays of the same types and shapes runs the graph.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from opsrun import _trace, _trees, _values
from opsrun._engine import engine
from opsrun._recent import Recent
from opsrun._tensor import ForeignTensorError, Tensor, TracingError, refuse
from opsrun._trace import Trace, is_traced
from opsrun._values import NAMES, OPAQUE, kind_of, number_of
from opsrun.graph import Graph, TensorSpec

# Of a function, for arguments of other types and shapes: the graphs that are kept, and characters of their texts.
_MOST_GRAPHS, _MOST_TEXT = 64, 2**26

P = ParamSpec("P")
R = TypeVar("R")


class Compiled:
    """A traced function for inputs of certain types and shapes."""

    def __init__(self, graph: Graph, feeds: list[str], outputs: Any) -> None:
        self.graph = graph
        self.feeds = feeds  # of the leaves of the arguments that are tensors, in their order
        self.outputs = outputs  # the result, with indices of outputs of the graph in place of tensors

    def run(self, arrays: list[Any]) -> Any:
        """Calls the function on its arrays."""
        names = {spec.name for spec in self.graph.feeds}
        results = list(self.graph.run({name: array for name, array in zip(self.feeds, arrays) if name in names}).values())
        return _trees.map_tree(lambda leaf: results[leaf.index] if isinstance(leaf, Output) else _own(leaf), self.outputs)


class Output:
    def __init__(self, index: int) -> None:
        self.index = index


class Function(Generic[P, R]):
    """What opsrun.function makes of a Python function.

    Attributes:
        graph: The graph of the latest call, or of the specs that were given. It can be saved.
    """

    def __init__(self, function: Callable[P, R], specs: dict[str, Any] | None = None) -> None:
        self.python_function = function
        self.__name__: str = getattr(function, "__name__", "function")
        self._signature = inspect.signature(function)
        self.specs = specs or {}
        for name, spec in self.specs.items():
            self._check_spec(name, spec)
        self._compiled: Recent[Compiled] = Recent(_MOST_GRAPHS, _MOST_TEXT)
        self._latest: Compiled | None = None
        self.of_floats: int | None = None  # what Python's floats become; None: it depends on the arrays beside them
        functools.update_wrapper(self, function, updated=())

    def _check_spec(self, name: str, spec: Any) -> None:
        parameter = self._signature.parameters.get(name)
        if parameter is None:
            raise TypeError(f"{self.__name__} has no argument '{name}'; it has {', '.join(self._signature.parameters)}")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"argument '{parameter}' of {self.__name__} is any number of tensors, and a spec is of one")
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"the spec of argument '{name}' of {self.__name__} is no opsrun.TensorSpec: {spec!r}")
        number_of(spec.dtype)
        if spec.shape is not None and not (isinstance(spec.shape, (list, tuple)) and all(
                size is None or hasattr(size, "__index__") for size in spec.shape)):
            raise TypeError(f"the shape in the spec of argument '{name}' of {self.__name__} is no tuple of sizes: {spec.shape!r}")

    @property
    def graph(self) -> Graph:
        if self._latest is None and self.specs:
            bound = self._signature.bind_partial()
            bound.apply_defaults()
            known = {**bound.arguments, **self.specs}
            if all(name in known for name in self._signature.parameters):
                self._latest = self._trace({name: known[name] for name in self._signature.parameters})
        if self._latest is None:
            raise RuntimeError(f"{self.__name__} was not called yet, so it has no graph; call it, or give "
                               "opsrun.function the types and shapes of its arguments")
        return self._latest.graph

    def __repr__(self) -> str:
        return f"<opsrun.Function {self.__name__}{self._signature}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if any(is_traced(leaf) for name, value in bound.arguments.items() for _, leaf in _trees.leaves_of(value, name)):
            for name, spec in self.specs.items():
                _check_fit(bound.arguments[name], spec, name)
            return self.python_function(*args, **kwargs)
        try:
            compiled, arrays = self.compile(bound.arguments)
        except ForeignTensorError:
            if _trace.active_trace() is None:
                raise
            return self.python_function(*args, **kwargs)  # it uses tensors of the function that calls it
        return compiled.run(arrays)  # type: ignore[no-any-return]

    def compile(self, arguments: dict[str, Any]) -> tuple[Compiled, list[Any]]:
        """The graph for these arguments, and the arrays among them."""
        arrays: list[Any] = []
        key: list[Any] = []
        numbers = [number_of(spec.dtype) for spec in self.specs.values()]
        floats = []  # which wait for the types of the arrays
        for name, value in arguments.items():
            if name in self.specs:
                arrays.append(_array_of_spec(value, self.specs[name], name))
                continue
            key.append((name, _trees.structure_of(value)))
            for leaf_name, leaf in _trees.leaves_of(value, name):
                if _is_plain_float(leaf):
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
        frozen = tuple(key)
        compiled = self._compiled.get(frozen)
        if compiled is None:
            compiled = self._trace({name: self.specs.get(name, value) for name, value in arguments.items()})
            self._compiled.add(frozen, compiled, len(compiled.graph.to_yaml()))
        self._latest = compiled
        return compiled, arrays

    def _trace(self, arguments: dict[str, Any]) -> Compiled:
        trace = Trace(root=self.python_function)
        feeds: list[str] = []
        known = {id(leaf): type_ for name, value in arguments.items() for _, leaf in _trees.leaves_of(value, name)
                 if (type_ := _known_type(leaf)) is not None}
        of_floats = self.of_floats or _type_of_floats([number for number, _ in known.values()])

        def enter(name: str, leaf: Any) -> Any:
            if id(leaf) in known:
                tensor = trace.add_feed(name, *known[id(leaf)])
            elif _is_plain_float(leaf):
                tensor = trace.add_feed(name, of_floats, ())
            else:
                return leaf
            feeds.append(tensor.name)
            return tensor

        entered = {}
        for name, value in arguments.items():
            names = iter([leaf_name for leaf_name, _ in _trees.leaves_of(value, name)])
            entered[name] = _trees.map_tree(lambda leaf: enter(next(names), leaf), value)
        bound: Any = inspect.BoundArguments(self._signature, entered)
        before, _trace.active.trace = _trace.active.trace, trace
        try:
            result = self.python_function(*bound.args, **bound.kwargs)
        finally:
            _trace.active.trace = before
        return self._finish(trace, feeds, result)

    def _finish(self, trace: Trace, feeds: list[str], result: Any) -> Compiled:
        outputs: list[tuple[str, str]] = []
        names = iter([name for name, _ in _trees.leaves_of(result, "")])

        def leave(leaf: Any) -> Any:
            name = next(names).lstrip("_")
            if not isinstance(leaf, Tensor):
                return leaf
            ref = trace.ref_of(leaf, "the result")
            if leaf._number in OPAQUE:
                raise refuse(f"the result '{ref}' is a {NAMES[leaf._number]}, which exists only while the graph runs",
                             "return what an op reads from it")
            outputs.append((_trace.output_name(ref if name[:1].isdigit() or not name else name, outputs), ref))
            return Output(len(outputs) - 1)

        left = _trees.map_tree(leave, result)
        if not outputs and not trace.has_effects():
            raise TracingError(f"{self.__name__} returns no traced tensor, so there is nothing to run; it must compute its "
                               "result from its arguments with ops")
        graph = Graph(engine().load_text(self.__name__, trace.text(outputs=outputs)))
        return Compiled(graph, feeds, left)


def _own(leaf: Any) -> Any:
    """A constant of the result: no two calls give the same array."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _is_plain_float(leaf: Any) -> bool:
    return isinstance(leaf, float) and not isinstance(leaf, np.generic)


def _known_type(leaf: Any) -> tuple[int, Any] | None:
    """The type and shape of what has some of its own."""
    if isinstance(leaf, TensorSpec):
        return number_of(leaf.dtype), leaf.shape
    if not _values.is_typed(leaf):
        return None
    array = _values.typed_array(leaf, "an argument")
    return number_of(array.dtype), array.shape


def _type_of_floats(numbers: list[int]) -> int:
    """What Python's floats become beside tensors of these types: the only one of floats, or float32."""
    found = {number for number in numbers if kind_of(number) == 2}
    return found.pop() if len(found) == 1 else number_of("float32")


def type_of_floats(tree: Any) -> int:
    """What Python's floats become beside the arrays and specs of a tree."""
    known = [_known_type(leaf) for _, leaf in _trees.leaves_of(tree, "")]
    return _type_of_floats([each[0] for each in known if each is not None])


def _hashable(leaf: Any, name: str) -> Any:
    try:
        hash(leaf)
    except TypeError:
        raise TypeError(f"argument '{name}' is a {type(leaf).__name__}, which is neither a tensor nor a value that a graph can "
                        "be made for; use arrays, numbers, strings, lists, tuples or dicts") from None
    return repr(leaf) if isinstance(leaf, complex) else leaf


def _array_of_spec(value: Any, spec: TensorSpec, name: str) -> Any:
    """A plain value, also a list, gets the type of the spec."""
    what = f"argument '{name}'"
    return (_values.typed_array(value, what) if _values.has_typed(value)
            else _values.untyped_array(value, number_of(spec.dtype), None, what))


def _check_fit(value: Any, spec: TensorSpec, name: str) -> None:
    """A traced tensor that is no such tensor as the spec says is an exception."""
    if not isinstance(value, Tensor):
        return
    fits = spec.shape is None or value.shape is None or (len(spec.shape) == len(value.shape) and all(
        a is None or a == -1 or b is None or a == b for a, b in zip(spec.shape, value.shape)))
    if number_of(spec.dtype) != value._number or not fits:
        raise refuse(f"argument '{name}' is {NAMES[value._number]} {value.shape}, but its spec says "
                     f"{NAMES[number_of(spec.dtype)]} {spec.shape}", "use .astype(...) or .reshape(...), or change the spec")


def function(python_function: Callable[P, R] | None = None, /, **specs: Any) -> Any:
    """Makes a graph of a Python function over ops: @opsrun.function, or @opsrun.function(x=TensorSpec(...)).

    The function runs once for arguments of certain types and shapes, with traced tensors in place of arrays; then the
    graph runs. Arrays and floats are inputs of the graph, also in lists, tuples and dicts; other arguments, such as an int
    or a str, are parts of it. Floats have the type of the arrays of floats, or float32 if these have several or are none.

    Args:
        python_function: A function of arrays that returns arrays.
        specs: For each argument that is a tensor, its opsrun.TensorSpec, with None for sizes that vary: then there is one
            graph for all of them. Without a spec, the function has a graph for each shape; the 64 that were used last are
            kept.
    """
    if python_function is None:
        return lambda later: Function(later, specs)
    return Function(python_function, specs)

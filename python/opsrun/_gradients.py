"""Gradients of Python functions over ops.

A function is traced into a graph, and the graph is differentiated by what the plugins declare of their ops: the result
is another graph.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsrun import _trees, _values
from opsrun._function import Compiled, Function, Output
from opsrun._tensor import TracingError
from opsrun._trace import is_traced
from opsrun.errors import OpsrunWarning
from opsrun.graph import Graph


class Gradient:
    """What opsrun.grad and opsrun.value_and_grad make of a function."""

    def __init__(self, of: Any, argnums: int | Sequence[int], with_value: bool) -> None:
        self._of = of if hasattr(of, "compile") else Function(of)
        self._argnums = _checked_argnums(argnums)
        self._with_value = with_value
        self._signature = inspect.signature(of)
        self._compiled: dict[Any, tuple[Compiled, Compiled]] = {}
        self._latest: Compiled | None = None
        self.__name__: str = getattr(of, "__name__", "function")
        functools.update_wrapper(self, of, updated=())

    @property
    def graph(self) -> Graph:
        """The graph of the latest call. It can be saved."""
        if self._latest is None:
            raise RuntimeError(f"the gradient of {self.__name__} was not called yet, so it has no graph")
        return self._latest.graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if any(is_traced(leaf) for name, value in bound.arguments.items() for _, leaf in _trees.leaves_of(value, name)):
            raise TracingError(f"the gradient of {self.__name__} cannot be called in a traced function yet; differentiate "
                               "the whole function instead")
        compiled, arrays = self.compile(bound.arguments)
        return compiled.run(arrays)

    def compile(self, arguments: dict[str, Any]) -> tuple[Compiled, list[Any]]:
        """The graph for these arguments, and the arrays among them."""
        inner, arrays = self._of.compile(arguments)
        key = (id(inner), tuple(_trees.structure_of(value) for value in arguments.values()))
        known = self._compiled.get(key)
        if known is None:
            known = self._compiled[key] = (inner, self._differentiate(inner, arguments))
        self._latest = known[1]
        return known[1], arrays

    def _differentiate(self, inner: Compiled, arguments: dict[str, Any]) -> Compiled:
        _check_scalar(inner, self.__name__)
        names = list(arguments)
        numbers = [self._argnums] if isinstance(self._argnums, int) else list(self._argnums)
        for number in numbers:
            if not -len(names) <= number < len(names):
                raise ValueError(f"argnums is {number}, but {self.__name__} has {len(names)} arguments")
        places = feed_places(arguments)
        feeds = [inner.feeds[place] for number in numbers for place in places[names[number]] if place is not None]
        if not feeds:
            raise TypeError(f"argument '{names[numbers[0]]}' of {self.__name__} has no arrays of floating-point or complex "
                            "numbers to differentiate by")
        given = inner.given
        graph = _quietly(inner.graph, [(inner.refs[0], "")], feeds, given)
        n_before = len(inner.graph.outputs)
        at = {feed: n_before + i for i, feed in enumerate(feeds)}

        def tree_of(number: int) -> Any:
            places_of = iter(places[names[number]])

            def leave(leaf: Any) -> Any:
                place = next(places_of)
                return None if place is None else Output(at[inner.feeds[place]])

            return _trees.map_tree(leave, arguments[names[number]])

        trees = [tree_of(number) for number in numbers]
        gradients = trees[0] if isinstance(self._argnums, int) else tuple(trees)
        refs = [spec.name for spec in graph.outputs[n_before:]]
        if self._with_value:
            return Compiled(graph, inner.feeds, (inner.outputs, gradients), [*inner.refs, *refs], given=given)
        return Compiled(graph, inner.feeds, gradients, refs, given=given)


def _checked_argnums(argnums: int | Sequence[int]) -> int | tuple[int, ...]:
    if hasattr(argnums, "__index__"):
        return int(argnums.__index__())
    numbers = argnums if isinstance(argnums, (list, tuple)) else ()
    if not numbers or not all(hasattr(number, "__index__") for number in numbers):
        raise TypeError(f"argnums must be an int, or a list of ints, not {argnums!r}")
    return tuple(int(number) for number in numbers)


def feed_places(arguments: dict[str, Any]) -> dict[str, list[int | None]]:
    """For each leaf of each argument: its place among the arrays; None for what is no float, and has no gradient."""
    places: dict[str, list[int | None]] = {}
    at = 0
    for name, value in arguments.items():
        places[name] = []
        for _, leaf in _trees.leaves_of(value, name):
            tensor = isinstance(leaf, float) or _values.is_typed(leaf)
            real = isinstance(leaf, float) or (tensor and _values.typed_array(leaf, "argument").dtype.kind in "fcV")
            places[name].append(at if real else None)
            at += tensor
    return places


def _quietly(graph: Graph, of: list[tuple[str, str]], wrt: list[str], given: dict[str, str]) -> Graph:
    """A tensor on which nothing depends has a gradient of zeros, which is what a caller expects."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OpsrunWarning)
        return graph.differentiate(of, wrt, given)


def _check_scalar(compiled: Compiled, name: str) -> None:
    if len(compiled.refs) != 1:
        raise TypeError(f"{name} returns {len(compiled.refs)} tensors, and a gradient is of one scalar; use opsrun.vjp")
    spec = next(compiled.graph.outputs[leaf.index] for _, leaf in _trees.leaves_of(compiled.outputs, "")
                if hasattr(leaf, "index"))
    if spec.shape is not None and spec.shape != ():
        raise TypeError(f"{name} returns a tensor of shape {list(spec.shape)}, and a gradient is of a scalar; sum it, or use "
                        "opsrun.vjp")


def grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Gradient:
    """The gradient of a function that returns a scalar, as a function of the same arguments.

    Args:
        function: A function of arrays over ops. It is traced.
        argnums: By which argument, or by which ones: the result is then a tuple.

    Returns:
        A function whose result has the structure of the argument: an array for each array, None for what is no float. It
        can be differentiated again.
    """
    return Gradient(function, argnums, False)


def value_and_grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Gradient:
    """The same, for the pair of the function's value and its gradient."""
    return Gradient(function, argnums, True)


def vjp(function: Callable[..., Any], *args: Any) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
    """The value of a function, and the function of its vector-Jacobian products.

    Args:
        function: A function of arrays over ops. It is traced.
        args: Where it is evaluated.

    Returns:
        The value, and a function that takes tensors of the structure of the value and gives, for each argument, the
        gradient of their products with the value: for vectors, v transposed times the Jacobian.
    """
    traced = function if isinstance(function, Function) else Function(function)
    bound = inspect.signature(traced.python_function).bind(*args)
    bound.apply_defaults()
    arguments = bound.arguments
    compiled, arrays = traced.compile(arguments)
    arrays = [array.copy() for array in arrays]  # the caller may change them before there are products
    value = compiled.run(arrays)
    places = feed_places(arguments)
    feeds = [compiled.feeds[place] for of in places.values() for place in of if place is not None]
    seeded: list[tuple[Graph, list[str]]] = []

    def products(cotangents: Any) -> tuple[Any, ...]:
        seeds = [leaf for (_, leaf), (_, left) in zip(_trees.leaves_of(cotangents, ""), _trees.leaves_of(value, ""))
                 if isinstance(left, np.ndarray)]
        if len(seeds) != len(compiled.refs):
            raise TypeError(f"there must be a tensor for each of the {len(compiled.refs)} results, not {len(seeds)}")
        if not seeded:
            seeded.append(compiled.with_seeds(feeds))
        graph, names = seeded[0]
        given = {**dict(zip(compiled.feeds, arrays)), **dict(zip(names, seeds))}
        known = {spec.name for spec in graph.feeds}
        results = list(graph.run({name: array for name, array in given.items() if name in known}).values())
        gradients = dict(zip(feeds, results[len(compiled.refs):]))

        def tree_of(name: str) -> Any:
            places_of = iter(places[name])

            def leave(leaf: Any) -> Any:
                place = next(places_of)
                return None if place is None else gradients[compiled.feeds[place]]

            return _trees.map_tree(leave, arguments[name])

        return tuple(tree_of(name) for name in arguments)

    return value, products

"""Python functions over ops, traced into graphs.

A traced function runs once with traced tensors in place of arrays, and the ops that it calls become nodes. Later calls
with arrays of the same types and shapes run the graph.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from opsrun import ops
from opsrun._compile import TracedFunction, leaves_of
from opsrun._refuse import ForeignTensorError, refuse
from opsrun._tensor import Tensor
from opsrun._trace import active_trace, is_traced
from opsrun._values import NAMES, number_of
from opsrun.graph import Graph, TensorSpec

P = ParamSpec("P")
R = TypeVar("R")


class Function(TracedFunction, Generic[P, R]):
    """A traced Python function, as returned by opsrun.function.

    Attributes:
        graph: The graph of the latest call, or of the given specs. It can be saved.
    """

    python_function: Callable[P, R]

    def __init__(self, function: Callable[P, R], specs: dict[str, Any] | None = None) -> None:
        super().__init__(function, specs, ops)
        for name, spec in self.specs.items():
            self._check_spec(name, spec)
        self.pushing: Function[..., Any] | None = None  # see opsrun.jvp
        functools.update_wrapper(self, function, updated=())

    def __reduce__(self) -> str:
        """For pickle: by its name in its module, as Python's own functions."""
        return str(self.python_function.__qualname__)

    def _check_spec(self, name: str, spec: Any) -> None:
        parameter = self._signature.parameters.get(name)
        if parameter is None:
            raise TypeError(f"{self.__name__} has no argument '{name}'; it has {', '.join(self._signature.parameters)}")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"argument '{parameter}' of {self.__name__} takes any number of tensors, but a spec describes one")
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"the spec of argument '{name}' of {self.__name__} is not an opsrun.TensorSpec: {spec!r}")
        number_of(spec.dtype)
        if spec.shape is not None and not (isinstance(spec.shape, (list, tuple)) and all(
                size is None or hasattr(size, "__index__") for size in spec.shape)):
            raise TypeError(f"the shape in the spec of argument '{name}' of {self.__name__} is not a tuple of sizes: {spec.shape!r}")

    @property
    def graph(self) -> Graph:
        if self._latest is None and self.specs:
            bound = self._signature.bind_partial()
            bound.apply_defaults()
            known = {**bound.arguments, **self.specs}
            if all(name in known for name in self._signature.parameters):
                self._latest = self._trace({name: known[name] for name in self._signature.parameters})
        if self._latest is None:
            raise RuntimeError(f"{self.__name__} has not been called yet, so it has no graph; call it, or give "
                               "opsrun.function the types and shapes of its arguments")
        return self._latest.graph

    def __repr__(self) -> str:
        return f"<opsrun.Function {self.__name__}{self._signature}>"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if any(is_traced(leaf) for name, value in bound.arguments.items() for _, leaf in leaves_of(value, name)):
            for name, spec in self.specs.items():
                _check_fit(bound.arguments[name], spec, name)
            return self.python_function(*args, **kwargs)
        try:
            compiled, arrays = self.compile(bound.arguments)
        except ForeignTensorError:
            if active_trace() is None:
                raise
            return self.python_function(*args, **kwargs)  # it uses tensors of an enclosing traced function
        return compiled.run(arrays)  # type: ignore[no-any-return]


def _check_fit(value: Any, spec: TensorSpec, name: str) -> None:
    """Raises an exception if a traced tensor does not match the spec."""
    if not isinstance(value, Tensor):
        return
    if number_of(spec.dtype) != value._number or not may_be_equal(spec.shape, value.shape):
        raise refuse(f"argument '{name}' is {NAMES[value._number]} {value.shape}, but its spec says "
                     f"{NAMES[number_of(spec.dtype)]} {spec.shape}", "use .astype(...) or .reshape(...), or change the spec")


def may_be_equal(a: Any, b: Any) -> bool:
    """False if two shapes, of which sizes or all may be unknown, differ."""
    return a is None or b is None or (len(a) == len(b) and all(
        x is None or x == -1 or y is None or x == y for x, y in zip(a, b)))


def function(python_function: Callable[P, R] | None = None, /, **specs: Any) -> Any:
    """Turns a Python function over ops into a graph: @opsrun.function, or @opsrun.function(x=TensorSpec(...)).

    The function runs once for arguments of given types and shapes, with traced tensors in place of arrays; after that,
    the graph runs. Arrays and floats, also in lists, tuples and dicts, are inputs of the graph; other arguments, such
    as an int or a str, are constants in it. Floats get the float type of the arrays, or float32 if there is none or
    more than one.

    Args:
        python_function: A function of arrays that returns arrays.
        specs: For each tensor argument its opsrun.TensorSpec, with None for sizes that vary; one graph then serves all
            of them. Without a spec, the function has a graph for each shape, and keeps the 64 most recently used.
    """
    if python_function is None:
        return lambda later: Function(later, specs)
    return Function(python_function, specs)

"""Gradients of Python functions over ops.

A function is traced into a graph, to which nodes that compute gradients are added, as the plugins of its ops declare.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opsrun import _values, ops
from opsrun._compile import leaves_of, map_tree, type_of_floats
from opsrun._derive import derive
from opsrun._function import Function
from opsrun._refuse import TracingError, refuse
from opsrun._tensor import Tensor
from opsrun._trace import Trace, active_trace, is_traced
from opsrun._values import kind_of, number_of

_REAL = 2  # kind_of(number) >= _REAL: the data type has gradients


def gradients(ys: Any, xs: Any, grad_ys: Any = None) -> list[Tensor]:
    """The gradients of the sum of some traced tensors, for use in a function that is being traced.

    Args:
        ys: A tensor, or a list of tensors.
        xs: A tensor, or a list of tensors, to differentiate with respect to.
        grad_ys: The gradient of each of ys, of its type and shape: an array, a traced tensor, or None for ones.

    Returns:
        For each of xs its gradient, of its type and shape; zeros if ys do not depend on it. Gradients can be
        differentiated.
    """
    of, wrt = _listed(ys, "ys"), _listed(xs, "xs")
    one = isinstance(ys, Tensor) and not (isinstance(grad_ys, (list, tuple)) and len(grad_ys) == 1)
    seeds = [None] * len(of) if grad_ys is None else [grad_ys] if one else list(grad_ys)
    if len(seeds) != len(of):
        raise ValueError(f"there are {len(seeds)} grad_ys for {len(of)} ys; give one for each, or None")
    return _gradients(_active(), of, wrt, seeds)


def _listed(tensors: Any, what: str) -> list[Tensor]:
    listed = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    for tensor in listed:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{what} must be traced tensors, not {type(tensor).__name__}; opsrun.grad differentiates functions")
    return listed


def _gradients(trace: Trace, of: list[Tensor], wrt: list[Tensor], seeds: list[Any]) -> list[Tensor]:
    if trace.partial:
        raise TracingError("a registered gradient cannot use opsrun.gradients; it is differentiated itself if necessary")
    for y, seed in zip(of, seeds):
        if seed is None and y.dtype.kind == "c":
            raise refuse("a complex tensor needs an initial gradient", "pass it as grad_ys")
    begin = [(trace.ref_of(y, "ys"), "" if seed is None else trace.ref_of(_constant(trace, seed, y), "grad_ys"))
             for y, seed in zip(of, seeds)]
    return derive(trace, begin, [trace.ref_of(x, "xs") for x in wrt]) if wrt else []


def _constant(trace: Trace, value: Any, like: Tensor) -> Tensor:
    """The value as a tensor of the trace; a plain value gets the type of `like`."""
    if isinstance(value, Tensor):
        return value
    return trace.add_constant("seed", _values.array_of(value, number_of(like.dtype), "an initial gradient"))


def grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Function[..., Any]:
    """The gradient of a function that returns a scalar, as a function of the same arguments.

    Args:
        function: A function of arrays that calls ops. It is traced.
        argnums: The index of the argument to differentiate, or several; the result is then a tuple.

    Returns:
        A function whose result has the structure of the argument: an array for each float array, None for other leaves.
        It can be differentiated again, and called in traced functions.
    """
    return _differentiated(function, argnums, False)


def value_and_grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Function[..., Any]:
    """The same as grad, but the function returns a pair: the value and the gradient."""
    return _differentiated(function, argnums, True)


def _differentiated(function: Callable[..., Any], argnums: int | Sequence[int], with_value: bool) -> Function[..., Any]:
    numbers, is_one = _checked_argnums(argnums), hasattr(argnums, "__index__")
    signature = inspect.signature(function)
    name = getattr(function, "__name__", "function")

    @functools.wraps(function)
    def traced(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = list(bound.arguments)
        for number in numbers:
            if not -len(names) <= number < len(names):
                raise ValueError(f"argnums is {number}, but {name} has {len(names)} arguments")
        chosen = [names[number] for number in numbers]
        trace = _active()
        fresh = trace.root is traced
        trace.root = None
        for each in () if fresh else dict.fromkeys(chosen):
            bound.arguments[each] = map_tree(lambda leaf: _own(trace, leaf), bound.arguments[each])
        xs = [leaf for each in chosen for _, leaf in leaves_of(bound.arguments[each], each) if _is_real(leaf)]
        if not xs:
            raise TypeError(f"argument '{chosen[0]}' of {name} has no arrays of floating-point or complex numbers to "
                            "differentiate")
        value = function(*bound.args, **bound.kwargs)
        found = iter(_gradients(trace, [_scalar_of(value, name)], xs, [None]))
        trees = [map_tree(lambda leaf: next(found) if _is_real(leaf) else None, bound.arguments[each])
                 for each in chosen]
        result = trees[0] if is_one else tuple(trees)
        return (value, result) if with_value else result

    return Function(traced, function.specs if isinstance(function, Function) else None)


def _active() -> Trace:
    trace = active_trace()
    if trace is None:
        raise TracingError("this is for traced tensors; use it in a function of opsrun.function, or use opsrun.grad")
    return trace


def _own(trace: Trace, leaf: Any) -> Any:
    """A separate tensor: values that reach a function other than through its arguments count as constants."""
    if isinstance(leaf, Tensor):
        return ops.array_ops.identity(leaf) if _is_real(leaf) else leaf
    if isinstance(leaf, float) or _values.is_typed(leaf):
        array = (_values.typed_array(leaf, "an argument") if _values.is_typed(leaf)
                 else _values.untyped_array(leaf, 0, None, "an argument"))
        return _own(trace, trace.add_constant("argument", array))
    return leaf


def _is_real(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and kind_of(leaf._number) >= _REAL


def _scalar_of(value: Any, name: str) -> Tensor:
    tensors = [leaf for _, leaf in leaves_of(value, "") if isinstance(leaf, Tensor)]
    if not tensors:
        raise TypeError(f"{name} returns no traced tensor, so there is nothing to differentiate; it must compute its result from "
                        "its arguments with ops")
    if len(tensors) != 1:
        raise TypeError(f"{name} returns {len(tensors)} tensors, but a gradient needs one scalar; use opsrun.vjp")
    if tensors[0].shape is not None and tensors[0].shape != ():
        raise TypeError(f"{name} returns a tensor of shape {list(tensors[0].shape)}, but a gradient needs a scalar; sum it, or "
                        "use opsrun.vjp")
    if tensors[0].dtype.kind == "c":
        raise TypeError(f"{name} returns a complex number, but a gradient needs a real one; take its real part, or use opsrun.vjp")
    return tensors[0]


def _checked_argnums(argnums: int | Sequence[int]) -> tuple[int, ...]:
    numbers = argnums if isinstance(argnums, (list, tuple)) else (argnums,)
    if not numbers or not all(hasattr(number, "__index__") for number in numbers):
        raise TypeError(f"argnums must be an int, or a list of ints, not {argnums!r}")
    return tuple(int(number.__index__()) for number in numbers)


def vjp(function: Callable[..., Any], *args: Any) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
    """The value of a function, and the function of its vector-Jacobian products.

    Args:
        function: A function of arrays that calls ops. It is traced.
        args: The point at which to evaluate it.

    Returns:
        The value, and a function that takes cotangents with the structure of the value and returns the gradient of each
        argument: for vectors, v transposed times the Jacobian. Leaves of the value that are not floats accept anything,
        such as None. The function is evaluated again, so ops that read changing state, such as variables, or that draw
        random numbers may give different results than in the value.
    """
    traced = function if isinstance(function, Function) else Function(function)
    kept = args if _has_traced(args) else map_tree(_copied, args)  # the caller may change them later
    value = None if _has_traced(args) else traced(*kept)
    if _has_traced((args, value)):  # it may also use traced tensors that are not arguments
        trace = _active()
        own = map_tree(lambda leaf: _own(trace, leaf), args)
        result = traced.python_function(*own)
        return result, lambda cotangents: _pulled(trace, result, own, cotangents)

    def pull(arguments: Any, cotangents: Any) -> Any:
        return _pulled(_active(), traced.python_function(*arguments), arguments, cotangents)

    compiled = Function(pull)
    compiled.of_floats = type_of_floats((kept, tuple(traced.specs.values())))
    return value, lambda cotangents: compiled(kept, _typed(cotangents, value))


def _has_traced(tree: Any) -> bool:
    return any(is_traced(leaf) for _, leaf in leaves_of(tree, ""))


def _pulled(trace: Trace, value: Any, arguments: Any, cotangents: Any) -> tuple[Any, ...]:
    """The gradients of the arguments, given the cotangents of the value."""
    ys, seeds = [], []
    left = [leaf for _, leaf in leaves_of(value, "")]
    given = [leaf for _, leaf in leaves_of(cotangents, "")]
    _check_number(given, left)
    for leaf, seed in zip(left, given):
        if _is_real(leaf):
            if seed is None:
                raise TypeError("vjp needs a tensor for each result; use zeros instead of None")
            ys.append(leaf)
            seeds.append(seed)
    xs = [leaf for _, leaf in leaves_of(arguments, "") if _is_real(leaf)]
    if not xs:
        raise TypeError("the arguments have no arrays of floating-point or complex numbers to differentiate")
    found = iter(_gradients(trace, ys, xs, seeds))
    return tuple(map_tree(lambda leaf: next(found) if _is_real(leaf) else None, each) for each in arguments)


def _copied(leaf: Any) -> Any:
    return _values.typed_array(leaf, "an argument").copy() if _values.is_typed(leaf) else leaf


def _check_number(given: list[Any], left: list[Any]) -> None:
    if len(given) != len(left):
        raise TypeError(f"expected a tensor for each of the {len(left)} results, found {len(given)}")


def _typed(cotangents: Any, value: Any) -> Any:
    """Converts plain cotangents to arrays of the types of the corresponding leaves."""
    def typed(leaf: Any, like: Any) -> Any:
        if leaf is None or _values.is_typed(leaf) or not isinstance(like, np.ndarray):
            return leaf
        return _values.untyped_array(leaf, number_of(like.dtype), None, "a cotangent")

    if isinstance(value, np.ndarray) and not _values.has_typed(cotangents):
        return typed(cotangents, value)  # it may be a list
    likes = [leaf for _, leaf in leaves_of(value, "")]
    _check_number([leaf for _, leaf in leaves_of(cotangents, "")], likes)
    each = iter(likes)
    return map_tree(lambda leaf: typed(leaf, next(each)), cotangents)

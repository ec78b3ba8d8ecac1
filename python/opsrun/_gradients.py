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
from opsrun._compile import is_plain_float, leaves_of, map_tree, structure_of, type_of_floats
from opsrun._derive import derive
from opsrun._function import Function, may_be_equal
from opsrun._refuse import TracingError, refuse
from opsrun._tensor import Tensor
from opsrun._trace import Trace, active_trace, is_traced
from opsrun._values import NAMES, kind_of, number_of

_REAL = 2  # kind_of(number) >= _REAL: the data type has gradients
_NOTHING = "the arguments have no arrays of floating-point or complex numbers to differentiate"


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
        raise TypeError(_NOTHING)
    found = iter(_gradients(trace, ys, xs, seeds))
    return tuple(map_tree(lambda leaf: next(found) if _is_real(leaf) else None, each) for each in arguments)


def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of a function, and its derivative in a direction: for vectors, the Jacobian times the tangent.

    The derivative is computed by the gradients that plugins declare: a gradient is linear in what comes in, so its own
    gradient is the derivative. The ops of the gradients must therefore declare gradients, too.

    Args:
        function: A function of arrays that calls ops. It is traced; one of opsrun.function keeps its graphs.
        primals: A tuple or list of its arguments: the point.
        tangents: The direction: for each argument, a tree of the same structure, with arrays of the same types and
            shapes. Leaves for arguments that are not floats may be anything, such as None.

    Returns:
        The value, and its tangent: an array for each float array in the value, None for other leaves. In a traced
        function, both are traced tensors that can be differentiated.

    Raises:
        TypeError: The arguments have nothing to differentiate, or the tangents do not match them.
        opsrun.errors.Error: An op that must be differentiated declares no gradient.
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{name} must be a tuple or a list with an element for each argument, not {type(given).__name__}; for "
                            "a single argument, use (x,)")
    if len(primals) != len(tangents):
        raise TypeError(f"expected a tangent for each of the {len(primals)} arguments, found {len(tangents)}")
    specs = tuple(function.specs.values()) if isinstance(function, Function) else ()
    floats = type_of_floats((map_tree(lambda leaf: None if isinstance(leaf, Tensor) else leaf, tuple(primals)), specs))
    point = tuple(map_tree(lambda leaf: _array(leaf, floats), each) for each in primals)
    direction = tuple(_typed(tangent, primal, "arguments") for tangent, primal in zip(tangents, point))
    if structure_of(point) != structure_of(direction):
        raise TypeError("the tangents must have the lists, tuples, dicts and keys of the arguments, in the same order")
    found: tuple[Any, Any] = _pushing(function)(point, direction)
    return found


def _pushing(function: Callable[..., Any]) -> Function[..., Any]:
    """The function of a point and a direction; a function of opsrun.function keeps it."""
    known = function.pushing if isinstance(function, Function) else None
    if known is not None:
        return known

    def push(primals: Any, tangents: Any) -> Any:
        trace = _active()
        fresh, trace.root = trace.root is push, None
        own = primals if fresh else map_tree(lambda leaf: _own(trace, leaf), primals)
        value = function(*own)
        return value, _pushed(trace, value, own, tangents)

    push.__name__ = getattr(function, "__name__", "function")
    pushing: Function[..., Any] = Function(push)
    if isinstance(function, Function):
        function.pushing = pushing
    return pushing


def _pushed(trace: Trace, value: Any, primals: Any, tangents: Any) -> Any:
    """The tangents of the value, given those of the arguments."""
    pairs = [(leaf, _tangent(trace, name, leaf, tangent)) for (name, leaf), (_, tangent) in
             zip(leaves_of(primals, "primals"), leaves_of(tangents, "")) if _is_real(leaf)]
    if not pairs:
        raise TypeError(_NOTHING)
    ys = [leaf for _, leaf in leaves_of(value, "") if _is_real(leaf)]
    first = len(trace.nodes)
    cotangents = [_separate_zeros(trace, y) for y in ys]
    of_xs = _gradients(trace, ys, [x for x, _ in pairs], cotangents)
    found = _gradients(trace, of_xs, cotangents, [tangent for _, tangent in pairs])
    trace.drop_unused(first, found)
    each = iter(found)
    return map_tree(lambda leaf: next(each) if _is_real(leaf) else None, value)


def _tangent(trace: Trace, name: str, primal: Tensor, value: Any) -> Tensor:
    if value is None:
        raise TypeError(f"jvp needs a tangent for '{name}'; use zeros instead of None")
    tangent = _constant(trace, value, primal)
    if tangent._number != primal._number or not may_be_equal(tangent.shape, primal.shape):
        raise TypeError(f"the tangent of '{name}' is {NAMES[tangent._number]} {tangent.shape}, but must be "
                        f"{NAMES[primal._number]} {primal.shape}, as the argument")
    return tangent


def _separate_zeros(trace: Trace, like: Tensor) -> Tensor:
    """Zeros to differentiate with respect to: as a node that stops gradients, they are never merged with others."""
    zeros: Tensor = ops.array_ops.zeros_like(like)
    trace.nodes[zeros._ref]["stop_gradient"] = True
    return zeros


def _array(leaf: Any, of_floats: int) -> Any:
    if is_plain_float(leaf):
        return _values.untyped_array(leaf, of_floats, None, "an argument")
    return leaf if isinstance(leaf, Tensor) or not _values.is_typed(leaf) else _values.typed_array(leaf, "an argument")


def _copied(leaf: Any) -> Any:
    return _values.typed_array(leaf, "an argument").copy() if _values.is_typed(leaf) else leaf


def _check_number(given: list[Any], left: list[Any], what: str = "results") -> None:
    if len(given) != len(left):
        raise TypeError(f"expected a tensor for each of the {len(left)} {what}, found {len(given)}")


def _typed(given: Any, value: Any, what: str = "results") -> Any:
    """Converts plain cotangents, or tangents, to arrays of the types of the corresponding leaves. what: the leaves."""
    def typed(leaf: Any, like: Any) -> Any:
        if leaf is None or _values.is_typed(leaf) or not isinstance(like, np.ndarray):
            return leaf
        return _values.untyped_array(leaf, number_of(like.dtype), None, f"a tensor for the {what}")

    if isinstance(value, np.ndarray) and not _values.has_typed(given):
        return typed(given, value)  # it may be a list
    likes = [leaf for _, leaf in leaves_of(value, "")]
    _check_number([leaf for _, leaf in leaves_of(given, "")], likes, what)
    each = iter(likes)
    return map_tree(lambda leaf: typed(leaf, next(each)), given)

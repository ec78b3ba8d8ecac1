"""The derivative of an op in a direction, as a JAX primitive.

It is linear in the tangents, and its transpose is the gradient that the plugin declares. So reverse mode runs that
gradient alone, and forward mode differentiates it: a gradient is linear in what comes in, and the gradient of a linear
function is its transpose.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from opsrun.jax._arrays import varying, vary, widened
from opsrun.jax._gradient import Gradient, Run

_tangent_p: Any = Primitive("opsrun_tangent")  # its methods lack type annotations
_tangent_p.multiple_results = True


class Pullback:
    """The gradient of an op for inputs of fixed types and shapes.

    It is part of JAX's programs, which JAX may keep for long, so it does not own the kernel object.

    Args:
        gradient: The gradient, or the exception to raise when it is needed.
        results: The type and shape of each output.
        with_gradient: The indices of outputs that have gradients.
        constants: The elements of inputs that determine shapes, by their index.
        run: Runs the ops of the gradient.
    """

    def __init__(self, gradient: Gradient | Exception, results: list[jax.ShapeDtypeStruct], with_gradient: list[int],
                 constants: dict[int, np.ndarray[Any, Any]], run: Run) -> None:
        self._gradient = gradient
        self._dtypes: list[np.dtype[Any]] = [each.dtype for each in results]
        self._with_gradient = with_gradient
        self._constants = constants
        self._run = run

    def tangents(self, inputs: Sequence[Any], outputs: Sequence[Any], given: dict[int, Any]) -> dict[int, Any]:
        """The tangents of outputs, given those of inputs, by index."""
        kept = [] if isinstance(self._gradient, Exception) else [
            *(inputs[i] for i in self._gradient.inputs), *(outputs[i] for i in self._gradient.outputs)]
        types = tuple(jax.typeof(outputs[i]) for i in self._with_gradient)
        found = _tangent_p.bind(*kept, *given.values(), pullback=self, wrt=tuple(given), types=types)
        return dict(zip(self._with_gradient, found))

    def gradients(self, kept: Sequence[Any], cotangents: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
        """The gradients of the inputs of `wrt`, None for one that has none, from what `tangents` has kept."""
        gradient = self._gradient
        if isinstance(gradient, Exception):
            raise gradient
        inputs = dict(zip(gradient.inputs, kept))
        outputs = {i: widened(each, self._dtypes[i]) for i, each in zip(gradient.outputs, kept[len(inputs):])}
        seeds = {i: widened(each, self._dtypes[i]) for i, each in zip(self._with_gradient, cotangents)}
        found = gradient.compute(self._run, {**inputs, **self._constants}, outputs, seeds)
        axes = varying(cotangents)
        return [found[i] if found[i] is None else vary(found[i], axes) for i in wrt]

    def push(self, kept: Sequence[Any], tangents: Sequence[Any], wrt: tuple[int, ...], types: tuple[Any, ...]) -> list[Any]:
        """The tangents of outputs, which have these types."""

        def pull(*cotangents: Any) -> list[Any]:
            found = zip(self.gradients(kept, cotangents, wrt), tangents)
            return [jnp.zeros_like(tangent) if each is None else each for each, tangent in found]

        _, transposed = jax.vjp(pull, *(ad.zeros_like_aval(each) for each in types))
        return list(transposed(list(tangents)))


def _push(*args: Any, pullback: Pullback | _Batch, wrt: tuple[int, ...], types: tuple[Any, ...]) -> list[Any]:
    return pullback.push(*_split(args, wrt), wrt, types)


def _split(args: Sequence[Any], wrt: tuple[int, ...]) -> tuple[Sequence[Any], Sequence[Any]]:
    return args[:len(args) - len(wrt)], args[len(args) - len(wrt):]


def _differentiate(args: Sequence[Any], tangents: Sequence[Any], *, wrt: tuple[int, ...], **params: Any) -> Any:
    results = _tangent_p.bind(*args, wrt=wrt, **params)
    of_kept, of_tangents = _split(tangents, wrt)
    if all(type(each) is ad.Zero for each in of_kept):
        kept, _ = _split(args, wrt)
        return results, _tangent_p.bind(*kept, *map(ad.instantiate_zeros, of_tangents), wrt=wrt, **params)

    def push(*args: Any) -> list[Any]:
        return _push(*args, wrt=wrt, **params)

    return results, jax.jvp(push, tuple(args), tuple(map(ad.instantiate_zeros, tangents)))[1]


def _transpose(cotangents: Sequence[Any], *args: Any, pullback: Pullback | _Batch, wrt: tuple[int, ...],
               types: Any) -> list[Any]:
    kept, tangents = _split(args, wrt)
    found = pullback.gradients(kept, list(map(ad.instantiate_zeros, cotangents)), wrt)
    return [*(None for _ in kept),
            *(each if isinstance(tangent, ad.UndefinedPrimal) else None for each, tangent in zip(found, tangents))]


class _Batch:
    """The gradient for a batch: jax.vmap of that for one example, so each op of it treats batches as elsewhere.

    Args:
        of_one: The gradient for one example.
        axes: 0 for each of the kept inputs and outputs that has a leading dimension for the batch, None for others.
        types: Those of the tangents of one example's outputs.
    """

    def __init__(self, of_one: Pullback | _Batch, axes: list[int | None], types: tuple[Any, ...]) -> None:
        self._of_one = of_one
        self._axes = axes
        self._types = types

    def gradients(self, kept: Sequence[Any], cotangents: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
        return self._of_all(lambda own, given: self._of_one.gradients(own, given, wrt), kept, cotangents)

    def push(self, kept: Sequence[Any], tangents: Sequence[Any], wrt: tuple[int, ...], types: Any) -> list[Any]:
        return self._of_all(lambda own, given: self._of_one.push(own, given, wrt, self._types), kept, tangents)

    def _of_all(self, function: Callable[..., list[Any]], kept: Sequence[Any], linear: Sequence[Any]) -> list[Any]:
        return jax.vmap(function, (self._axes, 0))(list(kept), list(linear))


def _batch(args: Sequence[Any], axes: Sequence[int | None], *, pullback: Pullback | _Batch, wrt: tuple[int, ...],
           types: tuple[Any, ...]) -> Any:
    size = next(each.shape[axis] for each, axis in zip(args, axes) if axis is not None)
    kept, tangents = _split([each if axis is None else jnp.moveaxis(each, axis, 0) for each, axis in zip(args, axes)], wrt)
    kept_axes, tangent_axes = _split([None if axis is None else 0 for axis in axes], wrt)
    tangents = [jnp.broadcast_to(each, (size, *each.shape)) if axis is None else each
                for each, axis in zip(tangents, tangent_axes)]
    of_all = jax.make_jaxpr(lambda: [jax.lax.broadcast(ad.zeros_like_aval(each), (size,)) for each in types])().out_avals
    results = _tangent_p.bind(*kept, *tangents, pullback=_Batch(pullback, list(kept_axes), types), wrt=wrt, types=tuple(of_all))
    return results, [0] * len(results)


_tangent_p.def_impl(_push)
_tangent_p.def_abstract_eval(lambda *_, types, **__: list(types))
mlir.register_lowering(_tangent_p, mlir.lower_fun(_push, multiple_results=True))
ad.primitive_jvps[_tangent_p] = _differentiate
ad.primitive_transposes[_tangent_p] = _transpose
batching.primitive_batchers[_tangent_p] = _batch

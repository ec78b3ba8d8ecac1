"""One op for inputs of fixed types and shapes, as JAX functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from opsrun._values import dtype_of
from opsrun.errors import Error, InvalidArgumentError, UnimplementedError
from opsrun.jax import _native
from opsrun.jax._arrays import array_type, vary, varying, with_64_bits
from opsrun.jax._batch import batching
from opsrun.jax._gradient import Described, Gradient, Run, Shape
from opsrun.jax._tangent import Pullback

_NOT_DECLARED, _DECLARED, _NOT_NEEDED = range(3)  # OPSRUN_GRADIENT_*

_lock = threading.Lock()
_targets: set[str] = set()


def target(name: str) -> str:
    """Registers an op with XLA if necessary, and returns its name there."""
    known = f"opsrun.{name}"
    with _lock:
        if known not in _targets:
            jax.ffi.register_ffi_target(known, {"instantiate": _native.instantiate, "execute": _native.execute},
                                        platform="cpu")
            jax.ffi.register_ffi_target(known, {"instantiate": _native.instantiate_on_card,
                                                "execute": _native.execute_on_card}, platform="CUDA")
            _targets.add(known)
    return known


class Call:
    """An op for inputs of fixed types and shapes, as JAX functions.

    JAX's programs refer to this object, and JAX may keep them for long. So it does not refer to the op, which owns the
    kernel object.

    JAX caches what it makes of a function, such as a program with its gradient, until the function is destroyed. So
    this object must not refer to functions that are made from it: neither would ever be destroyed.

    Args:
        op: The op that the description names.
        shapes: The shape of each input.
        results: The type and shape of each output, lists flattened.
        constants: The elements of inputs that determine shapes, by their index.
        run: Runs the ops of the gradient.
        run_once: The same for results that are not differentiated.
    """

    def __init__(self, described: Described, op: _native.TypedOp, shapes: Sequence[Shape], results: list[jax.ShapeDtypeStruct],
                 constants: dict[int, np.ndarray[Any, Any]], run: Run, run_once: Run) -> None:
        self._described = described
        self._stateful, self._declared, self._batch = op.stateful, op.gradient, op.batch
        self._shapes = shapes
        self._results = results
        self._constants = constants
        self._with_gradient = [i for i, each in enumerate(results) if jnp.issubdtype(each.dtype, jnp.inexact)]
        self._run_op, self._run_once = run, run_once
        self._gradient: Gradient | Exception | None = None
        self._pullback: Pullback | None = None
        self._needs_values: bool | None = None
        self._function: weakref.ref[Any] | None = None

    def function(self) -> Callable[..., list[Any]]:
        """A compiled function of the inputs, with the gradient of the op."""
        # JAX does not allow side effects in functions with custom gradients.
        run = self._run if self._stateful else self._differentiable()

        def call(*inputs: Any) -> list[Any]:
            axes = varying(inputs)
            found: list[Any] = run(*(vary(each, axes) for each in inputs))
            return found

        call.__name__ = call.__qualname__ = self._described.op  # shown in JAX's errors
        return jax.jit(call, inline=True)

    def _differentiable(self) -> Any:
        """The same without compilation."""
        function = None if self._function is None else self._function()
        if function is None:
            run = self._run
            if self._batch is not None:
                run = batching(self._described, self._batch, run, self._run_once)
            if self._declared == _NOT_NEEDED:  # in JAX 0.6.0, rules that give zeros fail in nested calls of jax.vmap
                return lambda *inputs: run(*map(jax.lax.stop_gradient, inputs))
            function = jax.custom_jvp(run)
            function.defjvp(self._with_tangents, symbolic_zeros=True)
            self._function = weakref.ref(function)
        return function

    def _run(self, *inputs: Any) -> list[Any]:
        with with_64_bits():  # without it, JAX 0.8.3 narrows the types of results, but the kernel does not
            call = jax.ffi.ffi_call(target(self._described.op), self._results, has_side_effect=self._stateful,
                                    vmap_method="sequential")
        axes = varying(inputs)
        # The text identifies the op for XLA. Results are narrowed if JAX has disabled 64-bit types.
        return [vary(jax.lax.convert_element_type(each, jax.dtypes.canonicalize_dtype(each.dtype)), axes)
                for each in call(*inputs, op=self._described.text)]

    def _with_tangents(self, inputs: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        results = self._differentiable()(*inputs)
        zeros = [jax.custom_derivatives.SymbolicZero(jax.typeof(each).to_tangent_aval()) for each in results]
        given = {i: each for i, each in enumerate(tangents) if type(each) is not jax.custom_derivatives.SymbolicZero}
        if not given or not self._with_gradient:
            return results, zeros
        if self._pullback is None:
            self._pullback = Pullback(self.gradient(), self._results, self._with_gradient, self._constants, self._run_op)
        found = self._pullback.tangents(inputs, results, given)
        return results, [found.get(i, zero) for i, zero in enumerate(zeros)]

    def needs_values(self) -> bool:
        """True if the gradient has shapes that depend on the elements of inputs."""
        if self._needs_values is None:
            gradient = self.gradient() if self._declared == _DECLARED and not self._stateful else None
            self._needs_values = isinstance(gradient, Gradient) and self._has_open_shapes(gradient)
        return self._needs_values

    def _has_open_shapes(self, gradient: Gradient) -> bool:
        in_types = self._op().in_types
        inputs = {i: array_type(self._shapes[i], dtype_of(in_types[i])) for i in gradient.inputs}
        outputs = {i: self._results[i] for i in gradient.outputs}
        try:
            jax.eval_shape(lambda *args: gradient.compute(self._run_once, *args), inputs, outputs,
                           {i: self._results[i] for i in self._with_gradient})
            return False
        except InvalidArgumentError:
            return True

    def _op(self) -> _native.TypedOp:
        return _native.find_op(*self._described)

    def gradient(self) -> Gradient | Exception:
        """The gradient of the op, or the exception to raise when it is needed."""
        if self._gradient is None:
            try:
                if self._declared == _NOT_DECLARED:
                    raise UnimplementedError(f"{self._described.op} declares no gradient; jax.custom_vjp can give it one, and "
                                             "jax.lax.stop_gradient(inputs) makes it a constant")
                self._gradient = Gradient(self._op(), self._shapes)
            except Error as problem:
                self._gradient = problem
        return self._gradient

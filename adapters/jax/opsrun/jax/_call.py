"""One op for inputs of fixed types and shapes, as JAX functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from opsrun._values import dtype_of
from opsrun.errors import Error, InvalidArgumentError, UnimplementedError
from opsrun.jax import _native
from opsrun.jax._gradient import Gradient, Run, Shape

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
            _targets.add(known)
    return known


class Call:
    """An op for inputs of fixed types and shapes.

    JAX caches what it makes of a function, such as a program with its gradient, until the function is destroyed. So
    this object must not refer to functions that are made from it: neither would ever be destroyed.

    Attributes:
        op: The op. It owns the kernel object, and every program that XLA compiled with the op keeps it alive.
        results: The type and shape of each output, lists flattened.
        values: The elements of each output if they are known before the op runs, as for shapes; otherwise None.
        constants: The elements of inputs that determine shapes, by their index.
        shapes: The shape of each input.

    Args:
        text: The call as a graph file.
        run: Runs the ops of the gradient.
        run_once: The same for results that are not differentiated.
    """

    def __init__(self, text: str, op: _native.TypedOp, shapes: Sequence[Shape], results: list[jax.ShapeDtypeStruct],
                 values: list[np.ndarray[Any, Any] | None], constants: dict[int, np.ndarray[Any, Any]], run: Run,
                 run_once: Run) -> None:
        self.op = op
        self.results = results
        self.values = values
        self.constants = constants
        self.shapes = shapes
        self._text = text
        self._run_op, self._run_once = run, run_once
        self._gradient: Gradient | Exception | None = None
        self._needs_values: bool | None = None
        self._differentiable: weakref.ref[Any] | None = None

    def function(self) -> Callable[..., list[Any]]:
        """A compiled function of the inputs, with the gradient of the op."""
        # JAX does not allow side effects in functions with custom gradients.
        run = self._run if self.op.stateful else self.differentiable()

        def call(*inputs: Any) -> list[Any]:
            axes = _varying(inputs)
            found: list[Any] = run(*(_vary(each, axes) for each in inputs))
            return found

        call.__name__ = call.__qualname__ = self.op.name  # shown in JAX's errors
        return jax.jit(call, inline=True)

    def differentiable(self) -> Any:
        """The same without compilation."""
        function = None if self._differentiable is None else self._differentiable()
        if function is None:
            function = jax.custom_vjp(self._run)
            function.defvjp(self._forward, self._backward)
            self._differentiable = weakref.ref(function)
        return function

    def _run(self, *inputs: Any) -> list[Any]:
        call = jax.ffi.ffi_call(target(self.op.name), self.results, has_side_effect=self.op.stateful,
                                vmap_method="sequential")
        axes = _varying(inputs)
        # The text identifies the op for XLA. Results are narrowed if JAX has disabled 64-bit types.
        return [_vary(jax.lax.convert_element_type(each, jax.dtypes.canonicalize_dtype(each.dtype)), axes)
                for each in call(*inputs, op=self._text)]

    def _forward(self, *inputs: Any) -> tuple[list[Any], Any]:
        results = self.differentiable()(*inputs)
        gradient = self.gradient()
        if isinstance(gradient, Exception):
            return results, ({}, {})
        return results, ({i: inputs[i] for i in gradient.inputs}, {i: results[i] for i in gradient.outputs})

    def _backward(self, kept: Any, gradients: list[Any]) -> tuple[Any, ...]:
        if self.op.gradient == _NOT_NEEDED:
            return (None,) * len(self.shapes)
        gradient = self.gradient()
        if isinstance(gradient, Exception):
            raise gradient
        inputs, outputs = kept
        wide = {i: _widened(each, self.results[i].dtype) for i, each in outputs.items()}
        seeds = [_widened(each, result.dtype) for each, result in zip(gradients, self.results)]
        found = gradient.compute(self._run_op, {**inputs, **self.constants}, wide, seeds)
        axes = _varying(gradients)
        return tuple(each if each is None else _vary(each, axes) for each in found)

    def needs_values(self) -> bool:
        """True if the gradient has shapes that depend on the elements of inputs."""
        if self._needs_values is None:
            gradient = self.gradient() if self.op.gradient == _DECLARED and not self.op.stateful else None
            self._needs_values = isinstance(gradient, Gradient) and self._has_open_shapes(gradient)
        return self._needs_values

    def _has_open_shapes(self, gradient: Gradient) -> bool:
        inputs = {i: array_type(self.shapes[i], dtype_of(self.op.in_types[i])) for i in gradient.inputs}
        outputs = {i: self.results[i] for i in gradient.outputs}
        try:
            jax.eval_shape(lambda *args: gradient.compute(self._run_once, *args), inputs, outputs, self.results)
            return False
        except InvalidArgumentError:
            return True

    def gradient(self) -> Gradient | Exception:
        """The gradient of the op, or the exception to raise when it is needed."""
        if self._gradient is None:
            try:
                if self.op.gradient == _NOT_DECLARED:
                    raise UnimplementedError(f"{self.op.name} declares no gradient; jax.custom_vjp can give it one, and "
                                             "jax.lax.stop_gradient(inputs) makes it a constant")
                self._gradient = Gradient(self.op, self.shapes)
            except Error as problem:
                self._gradient = problem
        return self._gradient


def _varying(arrays: Sequence[Any]) -> frozenset[str]:
    """The mesh axes along which shards of a traced array differ: see jax.shard_map."""
    return frozenset().union(*(_axes_of(each) for each in arrays))


def _axes_of(array: Any) -> frozenset[str]:
    kind: Any = jax.typeof(array)
    axes: frozenset[str] = kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else kind.vma
    return axes


def _vary(array: Any, axes: frozenset[str]) -> Any:
    """Marks an array as differing along these axes. Where all shards are equal, its gradient is the sum of theirs."""
    more = tuple(sorted(axes - _axes_of(array)))
    return jax.lax.pcast(array, more, to="varying") if more else array


def _widened(array: Any, dtype: np.dtype[Any]) -> Any:
    """A result, or its gradient, in the op's data type: with 64 bits even if JAX has disabled them."""
    if array.dtype == dtype or array.dtype == jax.dtypes.float0:
        return array
    with jax.enable_x64(True):
        return jax.lax.convert_element_type(array, dtype)


def array_type(shape: Shape, dtype: np.dtype[Any]) -> jax.ShapeDtypeStruct:
    struct: Any = jax.ShapeDtypeStruct  # it lacks type annotations
    made: jax.ShapeDtypeStruct = struct(shape, dtype)
    return made

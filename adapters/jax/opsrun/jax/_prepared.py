"""Calls of ops, with everything found out that needs to be known before XLA compiles them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from opsrun._types import dtype_of
from opsrun.errors import Error, InvalidArgumentError, UnimplementedError
from opsrun.jax import _native
from opsrun.jax._gradient import Gradient
from opsrun.jax._shapes import Shape, is_open, output_shapes, refuse_open

_KEPT = 1024  # prepared calls
_LARGEST_VALUE = 4096  # bytes of an array whose elements may determine a shape

_NOT_DECLARED, _DECLARED, _NOT_NEEDED = range(3)  # OPSRUN_GRADIENT_*

_lock = threading.RLock()
_targets: set[str] = set()


def target(name: str) -> str:
    """The name under which XLA knows an op, from then on."""
    known = f"opsrun.{name}"
    with _lock:
        if known not in _targets:
            jax.ffi.register_ffi_target(known, {"instantiate": _native.instantiate, "execute": _native.execute},
                                        platform="cpu")
            _targets.add(known)
    return known


class Call:
    """An op for inputs of certain types and shapes.

    What JAX keeps of a function, such as a program with its gradient, it keeps for as long as the function; so nothing here
    refers to the functions that are made of a call. Otherwise neither would ever end.

    Attributes:
        op: The op; it keeps the kernel object, as every program does that XLA has compiled of it.
        results: The type and shape of each output, lists flattened.
        values: The elements of each output, or None: those of a shape are known before the op runs.
        constants: The elements of inputs that determine shapes, by their index.
        shapes: The shape of each input.
    """

    def __init__(self, text: str, op: _native.TypedOp, shapes: Sequence[Shape], results: list[jax.ShapeDtypeStruct],
                 values: list[np.ndarray[Any, Any] | None], constants: dict[int, np.ndarray[Any, Any]]) -> None:
        self.op = op
        self.results = results
        self.values = values
        self.constants = constants
        self.shapes = shapes
        self._text = text
        self._gradient: Gradient | Exception | None = None
        self._needs_values: bool | None = None
        self._differentiable: weakref.ref[Any] | None = None

    def function(self) -> Callable[..., list[Any]]:
        """A function of the inputs, compiled, with the gradient of the op."""
        # JAX wants no effects in functions with gradients of their own.
        run = self._run if self.op.stateful else self.differentiable()

        def call(*inputs: Any) -> list[Any]:
            found: list[Any] = run(*_varied(inputs))
            return found

        call.__name__ = call.__qualname__ = self.op.name  # in JAX's errors
        return jax.jit(call, inline=True)

    def differentiable(self) -> Any:
        """The same, not compiled."""
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
        # XLA knows what the op does by this text alone. JAX cannot live with 64 bits where it has turned them off.
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
        found = gradient.compute(_run, {**inputs, **self.constants}, wide, seeds)
        return tuple(each if each is None else _vary(each, _varying(gradients)) for each in found)

    def needs_values(self) -> bool:
        """Whether the gradient has shapes that depend on the elements of inputs."""
        if self._needs_values is None:
            gradient = self.gradient() if self.op.gradient == _DECLARED and not self.op.stateful else None
            self._needs_values = isinstance(gradient, Gradient) and _has_open_shapes(gradient, self)
        return self._needs_values

    def gradient(self) -> Gradient | Exception:
        """The gradient of the op, or what is raised if it is needed."""
        if self._gradient is None:
            try:
                if self.op.gradient == _NOT_DECLARED:
                    raise UnimplementedError(f"{self.op.name} declares no gradient; jax.custom_vjp can give it one, and "
                                             "jax.lax.stop_gradient(inputs) makes it a constant")
                self._gradient = Gradient(self.op, self.shapes)
            except Error as problem:
                self._gradient = problem
        return self._gradient


class Prepared(NamedTuple):
    call: Call
    function: Callable[..., list[Any]]


def _varying(arrays: Sequence[Any]) -> frozenset[str]:
    """The axes of a mesh along which shards of a traced array differ: see jax.shard_map."""
    return frozenset().union(*(_axes_of(each) for each in arrays))


def _axes_of(array: Any) -> frozenset[str]:
    kind: Any = jax.typeof(array)
    axes: frozenset[str] = kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else kind.vma
    return axes


def _vary(array: Any, axes: frozenset[str]) -> Any:
    """So that the gradient of what is the same in all shards is the sum over them."""
    more = tuple(sorted(axes - _axes_of(array)))
    return jax.lax.pcast(array, more, to="varying") if more else array


def _varied(arrays: Sequence[Any]) -> list[Any]:
    axes = _varying(arrays)
    return [_vary(each, axes) for each in arrays]


def _widened(array: Any, dtype: np.dtype[Any]) -> Any:
    """A result, or its gradient, as the op has it: with 64 bits, also where JAX has turned them off."""
    if array.dtype == dtype or array.dtype == jax.dtypes.float0:
        return array
    with jax.enable_x64(True):
        return jax.lax.convert_element_type(array, dtype)


def _has_open_shapes(gradient: Gradient, of: Call) -> bool:
    inputs = {i: _result(of.shapes[i], dtype_of(of.op.in_types[i])) for i in gradient.inputs}
    outputs = {i: of.results[i] for i in gradient.outputs}
    try:
        jax.eval_shape(lambda *args: gradient.compute(_run_once, *args), inputs, outputs, of.results)
        return False
    except InvalidArgumentError:
        return True


def _run(text: str, inputs: list[Any], out_shapes: Sequence[Shape | None]) -> Sequence[Any]:
    """The results of an op: an array of NumPy for what is known before it runs."""
    return _results(prepare(text, inputs, out_shapes)[0], inputs)


def _run_once(text: str, inputs: list[Any], out_shapes: Sequence[Shape | None]) -> Sequence[Any]:
    """The same, but not to be differentiated."""
    return _results(prepare(text, inputs, out_shapes, differentiable=False)[0], inputs)


def _results(prepared: Prepared, inputs: list[Any]) -> Sequence[Any]:
    call, function = prepared
    if all(value is not None for value in call.values):
        return call.values
    if not call.op.stateful and all(isinstance(each, np.ndarray) for each in inputs):
        with jax.ensure_compile_time_eval():  # another op may want to know it: the shape of a sum
            return [np.asarray(result) for result in function(*inputs)]
    return [result if value is None else value for value, result in zip(call.values, function(*inputs))]


# By description, shapes and out_shapes: a call, or the inputs whose elements determine shapes; then there is a call for each
# of their values.
_prepared: OrderedDict[Any, Prepared | tuple[int, ...]] = OrderedDict()


def prepare(text: str, inputs: Sequence[Any], out_shapes: Sequence[Shape | None] | None,
            differentiable: bool = True) -> tuple[Prepared, bool]:
    """A call of the op that a description describes.

    Args:
        inputs: All inputs, lists flattened; traced ones too.
        out_shapes: The shapes of outputs, where the op does not know them. None: no shape is given.
        differentiable: Whether the shapes in the gradient must be known, too.

    Returns:
        The call, and whether it serves all inputs of these types and shapes. If not, a shape depends on their elements, in
        the call or in its gradient.

    Raises:
        opsrun.errors.Error: The op does not take the inputs or attrs, or a shape is not known.
    """
    shapes = tuple(tuple(np.shape(each)) for each in inputs)
    if not all(isinstance(size, int) for shape in shapes for size in shape):
        name, _, _ = text.partition("\n")
        raise UnimplementedError(f"{name}: the sizes of inputs must be numbers, but jax.export gives symbols; export the "
                                 "function for shapes without them")
    key = (text, shapes, None if out_shapes is None else tuple(out_shapes))
    found = _known(key)
    if found is None:
        found = _prepare(text, shapes, [None] * len(inputs), out_shapes) or _inputs_that_count(text, inputs, out_shapes)
        _keep(key, found)
    if not isinstance(found, Prepared):
        return _prepare_for(found, key, inputs), False
    if differentiable and _is_traced_in_part(inputs) and found.call.needs_values():
        integers = tuple(i for i, each in enumerate(inputs) if jnp.issubdtype(each.dtype, jnp.integer))
        return _prepare_for(integers, key, inputs), False
    return found, True


def _prepare_for(indices: tuple[int, ...], key: Any, inputs: Sequence[Any]) -> Prepared:
    """The call for these values of some inputs."""
    text, shapes, out_shapes = key
    values = [_value(each) if i in indices else None for i, each in enumerate(inputs)]
    found = _known((key, *values))
    if found is None:
        found = _prepare(text, shapes, values, out_shapes)
        if found is None:  # others count for these values
            counting = _inputs_that_count(text, inputs, out_shapes)
            _keep(key, counting)
            return _prepare_for(counting, key, inputs)
        _keep((key, *values), found)
    assert isinstance(found, Prepared)
    return found


def _inputs_that_count(text: str, inputs: Sequence[Any], out_shapes: Sequence[Shape | None] | None) -> tuple[int, ...]:
    """The inputs whose elements determine shapes; raises if that is not enough."""
    op = _native.find_op(text)
    shapes = [tuple(np.shape(each)) for each in inputs]
    values = [_value(each) for each in inputs]
    refuse_open(op, output_shapes(op, shapes, values, out_shapes), values)
    for i in range(len(values)):
        without = [*values[:i], None, *values[i + 1:]]
        if not any(is_open(shape) for shape, _ in output_shapes(op, shapes, without, out_shapes)):
            values = without
    return tuple(i for i, value in enumerate(values) if value is not None)


def _known(key: Any) -> Prepared | tuple[int, ...] | None:
    with _lock:
        found = _prepared.get(key)
        if found is not None:
            _prepared.move_to_end(key)  # the one that was used longest ago goes first
        return found


def _is_traced_in_part(inputs: Sequence[Any]) -> bool:
    """As when a function of some inputs is differentiated, and others are constants."""
    traced = [isinstance(each, jax.core.Tracer) for each in inputs]
    return any(traced) and not all(traced)


def _keep(key: Any, prepared: Prepared | tuple[int, ...]) -> None:
    with _lock:
        _prepared[key] = prepared
        while len(_prepared) > _KEPT:
            _prepared.popitem(last=False)


def _prepare(text: str, shapes: Sequence[Shape], values: Sequence[bytes | None],
             out_shapes: Sequence[Shape | None] | None) -> Prepared | None:
    """values: what is known of the elements of the inputs. Returns None if that is not enough to know the shapes."""
    op = _native.find_op(text)
    op.make_kernel()  # finds what is wrong with attrs now, not when XLA compiles
    known = output_shapes(op, shapes, values, out_shapes)
    if any(is_open(shape) for shape, _ in known):
        return None
    outputs = [dtype_of(number) for number in op.out_types]
    results = [_result(tuple(shape or ()), dtype) for (shape, _), dtype in zip(known, outputs)]
    elements = [None if is_open(value) else np.array(value, dtype) for (_, value), dtype in zip(known, outputs)]
    constants = {i: np.frombuffer(value, dtype_of(op.in_types[i])).reshape(shapes[i])
                 for i, value in enumerate(values) if value is not None}
    call = Call(text, op, shapes, results, elements, constants)
    return Prepared(call, call.function())


def _result(shape: Shape, dtype: np.dtype[Any]) -> jax.ShapeDtypeStruct:
    struct: Any = jax.ShapeDtypeStruct  # it has no types
    made: jax.ShapeDtypeStruct = struct(shape, dtype)
    return made


def _value(array: Any) -> bytes | None:
    """The elements of an array that is small and not traced."""
    if isinstance(array, jax.core.Tracer) or array.size * array.dtype.itemsize > _LARGEST_VALUE:
        return None
    return np.asarray(array).tobytes()

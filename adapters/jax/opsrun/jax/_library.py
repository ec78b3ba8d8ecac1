"""Plugins as libraries of JAX functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from opsrun import _adapters, _values
from opsrun._op_def import Arg, OpDef, describe_function
from opsrun._values import NUMBERS, STRING, number_of
from opsrun.jax import _native
from opsrun.jax._arrays import with_64_bits
from opsrun.jax._call import target
from opsrun.jax._gradient import Described, Shape
from opsrun.jax._prepared import Prepared, output_names, prepare

_KEPT = 256  # prepared kinds of calls per op
_PLAIN = (int, bool, str, bytes)
_Key = tuple[Any, ...]


class JaxOp:
    """Calls of an op: finds the arrays, prepares the call, and runs it or adds it to a trace."""

    def __init__(self, op: OpDef) -> None:
        self._op = op
        target(op.full_name)  # stored programs refer to this name
        self._takes_shapes = "out_shapes" not in op.python_attrs
        self._is_list = [arg.list for arg in op.inputs]
        self._known: dict[_Key, tuple[Prepared, Any]] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """A function with the given name and the op's signature and documentation."""

        def function(*args: Any, **kwargs: Any) -> Any:
            return self(*args, **kwargs)

        last = ("out_shapes", "the shape of the output, or a list with one for each output, if the op does not know them") \
            if self._takes_shapes else None
        describe_function(function, self._op, "opsrun.jax", last)
        function.__name__ = function.__qualname__ = name
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        key = self._key_of(args, kwargs)
        known = self._known.get(key) if key is not None else None
        if known is None:
            return self._call(args, kwargs, key)
        return _results(known[0], _flat(args), known[1])

    def _key_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Key | None:
        """A key that is equal for calls with the same preparation; None if it cannot be determined quickly."""
        key: list[Any] = []
        for value, is_list in zip(args, self._is_list):
            if isinstance(value, jax.Array):
                key.append(_kind_of(value))
            elif is_list and isinstance(value, (list, tuple)) and all(isinstance(item, jax.Array) for item in value):
                key.append(tuple(_kind_of(item) for item in value))
            else:
                return None
        if len(args) != len(self._is_list):
            return None
        for name, value in kwargs.items():
            if type(value) not in _PLAIN:
                return None
            key.append((name, type(value), value))
        return tuple(key)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], key: _Key | None) -> Any:
        rest = dict(kwargs)
        said = rest.pop("out_shapes", None) if self._takes_shapes else None
        values, attrs = self._op.bind(args, rest)
        for name, value in attrs.items():
            if _has(jax.core.Tracer, value):
                raise TypeError(f"attr '{name}' of {self._op.function_name}() is traced by JAX, but an attr is a constant of "
                                "the program: give it a number, a list or an array of NumPy, or make it a static argument")
        given = self._op.arrays(values, _typed, _untyped)
        inputs = [array for _, array in given]
        described = Described(self._op.full_name, self._op.call_text(given, attrs))
        prepared, serves_all = prepare(described, inputs, None if said is None else _shapes(said))
        pack = self._op.pack_for(output_names(prepared.op))
        if key is not None and serves_all:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = prepared, pack
        return _results(prepared, inputs, pack)


def _kind_of(array: jax.Array) -> tuple[Any, ...]:
    return array.shape, array.dtype, isinstance(array, jax.core.Tracer)


def _results(prepared: Prepared, inputs: list[Any], pack: Any) -> Any:
    _, _, function, values = prepared
    results = function(*inputs)
    if any(value is not None for value in values) and any(isinstance(each, jax.core.Tracer) for each in inputs):
        results = [result if value is None else value for value, result in zip(values, results)]
    return results[0] if pack is None else pack(results)


def _has(kind: type, value: Any) -> bool:
    return isinstance(value, kind) or (isinstance(value, (list, tuple)) and any(_has(kind, item) for item in value))


def _typed(_: Arg, value: Any, what: str) -> Any:
    """The value as an array if it has a data type, otherwise None."""
    if _has(jax.Array, value):
        return jnp.asarray(value)
    if not _values.has_typed(value):
        return None
    array = _no_strings(_values.typed_array(value, what), what)
    return array.astype(jax.dtypes.canonicalize_dtype(array.dtype), copy=False)


def _untyped(value: Any, wanted: int, allowed: list[int] | None, what: str) -> Any:
    array = _no_strings(_values.untyped_array(value, wanted, allowed, what), what)
    if jax.dtypes.canonicalize_dtype(array.dtype) == array.dtype:
        return array
    with with_64_bits():  # the op requires 64 bits, whatever the program's default
        return jnp.asarray(array)


def _no_strings(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    if number_of(array.dtype) == STRING:
        raise TypeError(f"{what} contains strings, but JAX has no arrays of strings")
    return array


def _shapes(said: Any) -> tuple[Shape | None, ...]:
    """out_shapes: a tuple of sizes for a single output, or a list with a shape or None (inferred) for each output."""
    if isinstance(said, list):
        return tuple(None if shape is None else _sizes(shape) for shape in said)
    return (_sizes(said),)


def _sizes(shape: Any) -> Shape:
    try:
        return tuple(size.__index__() for size in getattr(shape, "shape", shape))
    except (AttributeError, TypeError):
        raise TypeError(f"out_shapes is a tuple of sizes, or a list of such tuples, not {shape!r}") from None


def _flat(args: tuple[Any, ...]) -> list[Any]:
    return [item for value in args for item in (value if isinstance(value, (list, tuple)) else (value,))]


class OpLibrary(_adapters.Library):
    """The ops of one plugin as functions, under the op's name, ZeroOut, and that of opsrun's Python package, zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: By name, the ops that JAX does not support, and why.
        LIB_PATH: The path of the plugin's file.
    """

    WITHOUT = "JAX, which has no arrays of type {} for opsrun"

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, path)
        self._add(_plugins.engine, ops)

    def _lacks(self, dtype: str) -> bool:
        return super()._lacks(dtype) or dtype not in NUMBERS

    def _define(self, op: OpDef, name: str) -> Callable[..., Any]:
        return JaxOp(op).function(name)


_plugins = _adapters.Plugins(_native.engine, OpLibrary)


def load_op_library(path: str | os.PathLike[str], *, attach: str | os.PathLike[str] | None = None) -> OpLibrary:
    """Opens a plugin file. The same file gives the same library.

    Ops that JAX does not support, such as ops on strings, are left out; OpLibrary.UNSUPPORTED has the reasons.

    Args:
        path: The file.
        attach: The file that completes its ops, if that is not beside it; see opsrun.attach.

    Raises:
        opsrun.errors.Error: The plugin or the attached file is refused, or a file does not exist. The message says
            why and how to fix it.
    """
    return _plugins.load(path, attach)

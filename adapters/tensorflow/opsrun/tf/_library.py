"""Plugins as libraries of ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import inspect
import json
import os
import threading
import types
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from opsrun import _adapters
from opsrun._op_def import Names, snake_case
from opsrun.tf import _native
from opsrun.tf._definition import definition
from opsrun.tf._errors import raised
from opsrun.tf._function import make_function
from opsrun.tf._gradient import Gradient
from opsrun.tf._tensor_attrs import is_tensor

_lock = threading.RLock()
_engine: _native.Engine | None = None


def engine() -> _native.Engine:
    """The adapter's own engine, with the plugins that are installed when it is first asked for."""
    global _engine
    with _lock:
        if _engine is None:
            _engine = _native.Engine(_adapters.plugin_directories())
        return _engine


class RegisteredOp:
    """An op of a plugin that TensorFlow has. Throws tf.errors.AlreadyExistsError if it has another op of that name."""

    def __init__(self, plugin: str, name: str) -> None:
        spec = json.loads(engine().describe(f"{plugin}.{name}"))
        self.name = snake_case(name)
        self.definition = definition(spec)
        self._function: Callable[..., Any] | None = None
        native = _native.register_op(engine(), f"{plugin}.{name}", self.definition.SerializeToString())
        if spec["not_differentiable"]:
            tf.no_gradient(self.definition.name)
        elif spec["gradient"]:
            tf.RegisterGradient(self.definition.name)(Gradient(self.definition, native, registered_op))

    @property
    def function(self) -> Callable[..., Any]:
        """Made when it is first asked for: that takes some milliseconds."""
        if self._function is None:
            function = make_function(self.definition)
            function.__name__ = function.__qualname__ = self.name
            self._function = function
        return self._function

    def call(self, inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
        """The outputs, lists flattened. attrs: what follows from the inputs is ignored; None is the default."""
        names = list(inspect.signature(self.function).parameters)[len(inputs):]
        given = {name: attrs[name.rstrip("_")] for name in names if name != "name"}
        for attr in self.definition.attr:
            if is_tensor(attr) and attr.name in attrs:
                given[attr.name] = _tensors(attrs[attr.name])
        return tf.nest.flatten(self.function(*inputs, **given))


def _tensors(texts: Any) -> Any:
    """An attr, or a list, as the extension module says it."""
    return [_tensors(each) for each in texts] if isinstance(texts, list) else tensor_pb2.TensorProto.FromString(texts)


class OpLibrary(types.ModuleType):
    """The ops of one plugin as functions: ZeroOut is zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    LIB_PATH: str

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, f"Ops of plugin {plugin}, {path}.")
        self.OP_LIST = tuple(op for op in ops if not op.startswith("_"))
        self.LIB_PATH = path
        names = Names()
        self._ops = {names.take(snake_case(op)): registered_op(plugin, op) for op in self.OP_LIST}
        self.__all__ = sorted(self._ops)

    def __getattr__(self, name: str) -> Any:
        op = self.__dict__.get("_ops", {}).get(name)
        if op is None:
            raise AttributeError(f"plugin '{self.__name__}' has no op '{name}'; it has "
                                 f"{', '.join(self.__dict__.get('__all__', []))}")
        setattr(self, name, op.function)
        return op.function

    def __dir__(self) -> list[str]:
        return [*self.__all__, "OP_LIST", "LIB_PATH"]


_ops: dict[tuple[str, str], RegisteredOp] = {}
_libraries: dict[str, OpLibrary] = {}


def registered_op(plugin: str, name: str) -> RegisteredOp:
    """The op of a plugin that the engine knows; it is registered when it is first asked for."""
    with _lock, raised():
        if (plugin, name) not in _ops:
            _ops[plugin, name] = RegisteredOp(plugin, name)
        return _ops[plugin, name]


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Opens a plugin file and registers its ops with TensorFlow. The same file gives the same library.

    Raises:
        tf.errors.FailedPreconditionError: The plugin is refused, or there is no such file; the text says why, and what to do.
        tf.errors.AlreadyExistsError: TensorFlow has an op of such a name already.
    """
    with _lock, raised():
        plugin, file, ops = _adapters.add_plugin(engine(), path)
        if plugin not in _libraries:
            _libraries[plugin] = OpLibrary(plugin, file, ops)
        return _libraries[plugin]

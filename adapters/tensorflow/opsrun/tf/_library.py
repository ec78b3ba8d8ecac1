"""Plugins as libraries of TensorFlow ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from opsrun import _adapters
from opsrun._library import OpModule
from opsrun._op_def import snake_case
from opsrun.tf import _native
from opsrun.tf._definition import definition
from opsrun.tf._function import make_function
from opsrun.tf._gradient import Gradient
from opsrun.tf._tensor_attrs import is_tensor

class RegisteredOp:
    """An op registered with TensorFlow. Raises tf.errors.AlreadyExistsError if the name is taken by another op."""

    def __init__(self, plugin: str, name: str) -> None:
        spec = json.loads(_plugins.engine.describe(f"{plugin}.{name}"))
        self.name = snake_case(name)
        self.definition = definition(spec)
        self._function: Callable[..., Any] | None = None
        self._native = _native.register_op(_plugins.engine, f"{plugin}.{name}", self.definition.SerializeToString())
        if spec["not_differentiable"]:
            tf.no_gradient(self.definition.name)
        elif spec["gradient"]:
            tf.RegisterGradient(self.definition.name)(Gradient(self.definition, self._native, registered_op))

    @property
    def function(self) -> Callable[..., Any]:
        """The Python function; created on first use, which takes some milliseconds."""
        if self._function is None:
            function = make_function(self.definition, self._native)
            function.__name__ = function.__qualname__ = self.name
            self._function = function
        return self._function

    def call(self, inputs: list[Any], attrs: dict[str, Any]) -> list[Any]:
        """The outputs, lists flattened. attrs: inferred ones are ignored; None is the default."""
        names = list(inspect.signature(self.function).parameters)[len(inputs):]
        given = {name: attrs[name.rstrip("_")] for name in names if name != "name"}
        for attr in self.definition.attr:
            if is_tensor(attr) and attr.name in attrs:
                given[attr.name] = _tensors(attrs[attr.name])
        return tf.nest.flatten(self.function(*inputs, **given))


def _tensors(texts: Any) -> Any:
    """Converts the extension module's form of an attr, or of a list of attrs."""
    return [_tensors(each) for each in texts] if isinstance(texts, list) else tensor_pb2.TensorProto.FromString(texts)


class OpLibrary(OpModule):
    """The ops of one plugin as functions: ZeroOut becomes zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        LIB_PATH: The path of the plugin's file.
    """

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, plugin, path, tuple(ops))
        for op in self.OP_LIST:  # graphs that are loaded later may contain it
            registered_op(plugin, op)

    def _make(self, op: str) -> Callable[..., Any]:
        return registered_op(self._plugin, op).function


_plugins = _adapters.Plugins(_native.Engine, OpLibrary)
_ops: dict[tuple[str, str], RegisteredOp] = {}


def registered_op(plugin: str, name: str) -> RegisteredOp:
    """The op of a plugin that the engine knows; registered on first use."""
    with _plugins.lock:
        if (plugin, name) not in _ops:
            _ops[plugin, name] = RegisteredOp(plugin, name)
        return _ops[plugin, name]


def load_op_library(path: str | os.PathLike[str], *, attach: str | os.PathLike[str] | None = None) -> OpLibrary:
    """Opens a plugin file and registers its ops with TensorFlow. The same file gives the same library.

    Args:
        path: The file.
        attach: The file that completes its ops, if that is not beside it; see opsrun.attach.

    Raises:
        tf.errors.FailedPreconditionError: The plugin or the attached file is refused, or a file does not exist; the
            message says why.
        tf.errors.AlreadyExistsError: TensorFlow already has an op of that name.
    """
    return _plugins.load(path, attach)

"""Gradients that plugins declare, as TensorFlow's.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, op_def_pb2

from opsrun.tf import _native
from opsrun.tf._definition import attr_value
from opsrun.tf._errors import raised

_NONE, _INPUT, _OUTPUT, _GRADIENT, _CONSTANT, _CALL = range(6)  # OPSRUN_OPERAND_*

FindFunction = Callable[[str, str], Callable[..., Any]]


class Gradient:
    """The gradient function of an op.

    Args:
        find: The function of an op, by its plugin and its name, and the attrs that it takes.
    """

    def __init__(self, definition: op_def_pb2.OpDef, op: _native.Op, find: Callable[[str, str], Any]) -> None:
        self._definition = definition
        self._op = op
        self._find = find
        self._known: dict[str, Any] = {}  # by attrs

    def __call__(self, op: Any, *gradients: Any) -> list[Any]:
        calls, constants, of_inputs = self._calls_of(op)
        results: list[list[Any]] = []

        def tensor(operand: tuple[int, int, int]) -> Any:
            kind, index, output = operand
            if kind == _INPUT:
                return op.inputs[index]
            if kind == _OUTPUT:
                return op.outputs[index]
            if kind == _GRADIENT:
                gradient = gradients[index]
                return tf.zeros_like(op.outputs[index]) if gradient is None else tf.convert_to_tensor(gradient)
            if kind == _CONSTANT:
                return _constant(*constants[index])
            return results[index][output] if kind == _CALL else None

        for plugin, name, arguments, attrs in calls:
            given = [[tensor(each) for each in operand] if isinstance(operand, list) else tensor(operand)
                     for operand in arguments]
            results.append(self._find(plugin, name).call(given, attrs))
        return [tensor(operand) for operand in of_inputs]

    def _calls_of(self, op: Any) -> Any:
        node = node_def_pb2.NodeDef(op=self._definition.name)
        if isinstance(op, tf.Operation):
            node = op.node_def
        else:  # a call that was not in a graph
            given = dict(zip(op.attrs[::2], op.attrs[1::2], strict=True))
            for attr in self._definition.attr:
                if attr.name in given:
                    node.attr[attr.name].CopyFrom(attr_value(attr.type, given[attr.name]))
        key = repr([(attr.name, node.attr[attr.name].SerializeToString(deterministic=True))
                    for attr in self._definition.attr])
        if key not in self._known:
            with raised():
                self._known[key] = self._op.gradient(node.SerializeToString())
        return self._known[key]


def _constant(dtype: int, shape: tuple[int, ...], data: bytes) -> tf.Tensor:
    kind = tf.as_dtype(dtype)
    return tf.constant(np.frombuffer(data, kind.as_numpy_dtype).reshape(shape), kind)

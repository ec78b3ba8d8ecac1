"""Gradients that plugins declare, as TensorFlow's.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, op_def_pb2

from opsrun.tf import _native
from opsrun.tf._definition import attr_value

_NONE, _INPUT, _OUTPUT, _GRADIENT, _CONSTANT, _CALL = range(6)  # OPSRUN_OPERAND_*

_KEPT = 64
_MOST_DERIVED = 64  # it takes a millisecond

_Shapes = tuple[tuple[int, ...] | None, ...]
FindFunction = Callable[[str, str], Callable[..., Any]]


class Gradient:
    """The gradient function of an op.

    A gradient for certain shapes may need fewer calls than one for all: it does not sum where nothing was broadcast. Outside of
    graphs there is one for shapes that come again.

    Args:
        find: The function of an op, by its plugin and its name, and the attrs that it takes.
    """

    def __init__(self, definition: op_def_pb2.OpDef, op: _native.Op, find: Callable[[str, str], Any]) -> None:
        self._definition = definition
        self._op = op
        self._find = find
        self._lock = threading.Lock()
        # By attrs and shapes, None for all shapes. None: calls outside of graphs came with these once.
        self._known: OrderedDict[tuple[str, _Shapes | None], Any] = OrderedDict()
        self._derived = 0  # for such calls

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
        attrs = repr([(attr.name, node.attr[attr.name].SerializeToString(deterministic=True))
                      for attr in self._definition.attr if attr.name in node.attr])
        shapes = tuple(_sizes(each.shape) for each in op.inputs)
        came, found = self._look_up(attrs, shapes)
        if found is not None:
            return found
        if not tf.executing_eagerly():  # a graph is made once, however often it runs
            return self._derive(node, attrs, shapes)
        if came and self._derived < _MOST_DERIVED:
            self._derived += 1
            return self._derive(node, attrs, shapes)
        self._keep(attrs, shapes, None)
        try:
            return self._look_up(attrs, None)[1] or self._derive(node, attrs, None)
        except tf.errors.OpError:  # some shape functions refuse what they do not know
            return self._derive(node, attrs, shapes)

    def _look_up(self, attrs: str, shapes: _Shapes | None) -> tuple[bool, Any]:
        with self._lock:
            if (attrs, shapes) not in self._known:
                return False, None
            self._known.move_to_end((attrs, shapes))
            return True, self._known[attrs, shapes]

    def _derive(self, node: node_def_pb2.NodeDef, attrs: str, shapes: _Shapes | None) -> Any:
        try:
            made = self._op.gradient(node.SerializeToString(), shapes)
        except tf.errors.OpError:
            made = self._look_up(attrs, None)[1]
            if made is None:
                raise
            # what served these shapes once still does
        self._keep(attrs, shapes, made)
        return made

    def _keep(self, attrs: str, shapes: _Shapes | None, made: Any) -> None:
        with self._lock:
            self._known[attrs, shapes] = made
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)


def _sizes(shape: tf.TensorShape) -> tuple[int, ...] | None:
    return None if shape.rank is None else tuple(-1 if size is None else size for size in shape)


def _constant(dtype: int, shape: tuple[int, ...], data: bytes) -> tf.Tensor:
    kind = tf.as_dtype(dtype)
    return tf.constant(np.frombuffer(data, kind.as_numpy_dtype).reshape(shape), kind)

"""Gradients that plugins declare, as TensorFlow's.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, op_def_pb2

from opsrun.tf import _native
from opsrun.tf._backward import Backward
from opsrun.tf._definition import attr_value

_KEPT = 64
_MOST_DERIVED = 64  # it takes a millisecond

_Shapes = tuple[tuple[int, ...] | None, ...]


class Gradient:
    """The gradient function of an op.

    A gradient for certain shapes may need fewer calls than one for all: it does not sum where nothing was broadcast. Outside of
    graphs there is one for shapes that come again.

    Args:
        find: The op of a plugin, by its plugin and its name.
    """

    def __init__(self, definition: op_def_pb2.OpDef, op: _native.Op, find: Callable[[str, str], Any]) -> None:
        self._definition = definition
        self._op = op
        self._find = find
        self._lock = threading.Lock()
        # By attrs and shapes, None for all shapes. None: calls outside of graphs came with these once.
        self._known: OrderedDict[tuple[str, _Shapes | None], Backward | None] = OrderedDict()
        self._derived = 0  # for such calls

    def __call__(self, op: Any, *gradients: Any) -> list[Any]:
        return self._backward_of(op).compute(op, gradients)

    def _backward_of(self, op: Any) -> Backward:
        node = node_def_pb2.NodeDef(op=self._definition.name)
        if isinstance(op, tf.Operation):
            node = op.node_def
        else:  # a call that was not in a graph
            attrs_of_call = op.attrs or ()  # None: the op has none
            given = dict(zip(attrs_of_call[::2], attrs_of_call[1::2], strict=True))
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

    def _look_up(self, attrs: str, shapes: _Shapes | None) -> tuple[bool, Backward | None]:
        with self._lock:
            if (attrs, shapes) not in self._known:
                return False, None
            self._known.move_to_end((attrs, shapes))
            return True, self._known[attrs, shapes]

    def _derive(self, node: node_def_pb2.NodeDef, attrs: str, shapes: _Shapes | None) -> Backward:
        try:
            made = Backward(self._op.gradient(node.SerializeToString(), shapes), self._find)
        except tf.errors.OpError:
            general = self._look_up(attrs, None)[1]
            if general is None:
                raise
            made = general  # what served these shapes once still does
        self._keep(attrs, shapes, made)
        return made

    def _keep(self, attrs: str, shapes: _Shapes | None, made: Backward | None) -> None:
        with self._lock:
            self._known[attrs, shapes] = made
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)


def _sizes(shape: tf.TensorShape) -> tuple[int, ...] | None:
    return None if shape.rank is None else tuple(-1 if size is None else size for size in shape)


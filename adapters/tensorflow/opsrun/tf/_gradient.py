"""Gradients that plugins declare, as gradients of TensorFlow.

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
_MOST_DERIVED = 64  # deriving takes a millisecond

_Shapes = tuple[tuple[int, ...] | None, ...]


class Gradient:
    """The gradient function of an op.

    A gradient for specific shapes may need fewer calls than one for all, since it does not sum where nothing was
    broadcast. Outside of graphs, specific ones are derived for shapes that occur again.

    Args:
        find: Returns an op, given its plugin and its name.
    """

    def __init__(self, definition: op_def_pb2.OpDef, op: _native.Op, find: Callable[[str, str], Any]) -> None:
        self._definition = definition
        self._op = op
        self._find = find
        self._lock = threading.Lock()
        # By attrs and shapes (None: for all shapes). A value of None: eager calls occurred with these once.
        self._known: OrderedDict[tuple[str, _Shapes | None], Backward | None] = OrderedDict()
        self._derived = 0  # for eager calls

    def __call__(self, op: Any, *gradients: Any) -> list[Any]:
        return self._backward_of(op).compute(op, gradients)

    def _backward_of(self, op: Any) -> Backward:
        node = node_def_pb2.NodeDef(op=self._definition.name)
        if isinstance(op, tf.Operation):
            node = op.node_def
        else:  # an eager call
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
        if not tf.executing_eagerly():  # a graph is built once but runs often
            return self._derive(node, attrs, shapes)
        if came and self._derived < _MOST_DERIVED:
            self._derived += 1
            return self._derive(node, attrs, shapes)
        self._keep(attrs, shapes, None)
        try:
            return self._look_up(attrs, None)[1] or self._derive(node, attrs, None)
        except tf.errors.OpError:  # some shape functions reject unknown shapes
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
            made = general  # a gradient for all shapes also serves these
        self._keep(attrs, shapes, made)
        return made

    def _keep(self, attrs: str, shapes: _Shapes | None, made: Backward | None) -> None:
        with self._lock:
            self._known[attrs, shapes] = made
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)


def _sizes(shape: tf.TensorShape) -> tuple[int, ...] | None:
    return None if shape.rank is None else tuple(-1 if size is None else size for size in shape)


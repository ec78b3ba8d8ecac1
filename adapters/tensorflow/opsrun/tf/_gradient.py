"""Gradients that plugins declare, as gradients of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, op_def_pb2

from opsrun._recent import Recent
from opsrun.tf import _native
from opsrun.tf._backward import Backward
from opsrun.tf._definition import attr_value

_KEPT = 64
_ONCE = "once"  # stands for a gradient of shapes that occurred in one eager call
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
        self._known: Recent[Backward | str] = Recent(_KEPT)  # by attrs and shapes (None: for all shapes)
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
        found = self._known.get((attrs, shapes))
        if isinstance(found, Backward):
            return found
        if not tf.executing_eagerly():  # a graph is built once but runs often
            return self._derive(node, attrs, shapes)
        if found == _ONCE and self._derived < _MOST_DERIVED:
            self._derived += 1
            return self._derive(node, attrs, shapes)
        self._known.add((attrs, shapes), _ONCE)
        general = self._known.get((attrs, None))
        if isinstance(general, Backward):
            return general
        try:
            return self._derive(node, attrs, None)
        except tf.errors.OpError:  # some shape functions reject unknown shapes
            return self._derive(node, attrs, shapes)

    def _derive(self, node: node_def_pb2.NodeDef, attrs: str, shapes: _Shapes | None) -> Backward:
        try:
            made = Backward(self._op.gradient(node.SerializeToString(), shapes), self._find)
        except tf.errors.OpError:
            general = self._known.get((attrs, None))
            if not isinstance(general, Backward):
                raise
            made = general  # a gradient for all shapes also serves these
        self._known.add((attrs, shapes), made)
        return made


def _sizes(shape: tf.TensorShape) -> tuple[int, ...] | None:
    return None if shape.rank is None else tuple(-1 if size is None else size for size in shape)


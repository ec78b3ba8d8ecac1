"""Gradients that plugins declare, as gradients of TensorFlow: calls of other ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, op_def_pb2

from opsrun._recent import Recent
from opsrun.tf import _native
from opsrun.tf._definition import attr_value

_NONE, _INPUT, _OUTPUT, _GRADIENT, _CONSTANT, _CALL = range(6)  # OPSRUN_OPERAND_*

Operand = tuple[int, int, int]


class Backward:
    """The gradient that `_native.Op.gradient` describes.

    Args:
        find: Returns an op, given its plugin and its name.
    """

    def __init__(self, made: Any, find: Callable[[str, str], Any]) -> None:
        self._calls, self._constants, self._of_inputs, self._slices = made
        self._find = find

    def compute(self, op: Any, gradients: Sequence[Any]) -> list[Any]:
        """The gradient of each input; None for an input that has none.

        Args:
            op: The call, with its inputs and outputs.
            gradients: Those of its outputs; None for one that does not influence the result.
        """
        tensors = _Tensors(op, gradients, self._constants)
        found = [slices and _indexed_slices(tensor, slices, tensors)
                 for tensor, slices in zip(op.inputs, self._slices, strict=True)]
        self._run(tensors, [operand for operand, slices in zip(self._of_inputs, found, strict=True) if slices is None])
        return [tensors.gradient(operand, of) if slices is None else slices
                for of, operand, slices in zip(op.inputs, self._of_inputs, found, strict=True)]

    def _run(self, tensors: _Tensors, wanted: Sequence[Operand]) -> None:
        """Runs the calls that these operands depend on."""
        needed = self._needed(wanted)
        for i, (plugin, name, arguments, attrs) in enumerate(self._calls):
            if i in needed:
                given = [[tensors[each] for each in argument] if isinstance(argument, list) else tensors[argument]
                         for argument in arguments]
                tensors.results[i] = self._find(plugin, name).call(given, attrs)

    def _needed(self, wanted: Sequence[Operand]) -> set[int]:
        needed = {index for kind, index, _ in wanted if kind == _CALL}
        for i in reversed(range(len(self._calls))):
            if i in needed:
                for argument in self._calls[i][2]:
                    operands = argument if isinstance(argument, list) else [argument]
                    needed.update(index for kind, index, _ in operands if kind == _CALL)
        return needed


class _Tensors:
    """The tensors of operands in the gradient of one call."""

    def __init__(self, op: Any, gradients: Sequence[Any], constants: Sequence[Any]) -> None:
        self._op, self._gradients, self._constants = op, gradients, constants
        self.results: dict[int, list[Any]] = {}  # of calls

    def __getitem__(self, operand: Operand) -> Any:
        kind, index, output = operand
        if kind == _INPUT:
            return self._op.inputs[index]
        if kind == _OUTPUT:
            return self._op.outputs[index]
        if kind == _GRADIENT:
            gradient = self._gradients[index]
            return tf.zeros_like(self._op.outputs[index]) if gradient is None else tf.convert_to_tensor(gradient)
        if kind == _CONSTANT:
            return _constant(*self._constants[index])
        return self.results[index][output] if kind == _CALL else None

    def gradient(self, operand: Operand, of: Any) -> Any:
        """The gradient of an input."""
        if operand[0] == _GRADIENT:  # unchanged, even if it is None or slices
            return self._gradients[operand[1]]
        found = self[operand]
        if found is not None and not tf.executing_eagerly():
            found.set_shape(of.shape)
        return found


def _indexed_slices(of: Any, slices: Any, tensors: _Tensors) -> tf.IndexedSlices | None:
    """The gradient of an input as IndexedSlices; None unless the slices are along the first dimension."""
    values, indices, axis, vectors, batch_dims = slices
    at = tensors[indices]
    if batch_dims != 0 or (axis[0] != _NONE and tf.get_static_value(tensors[axis]) != 0):
        return None
    if vectors and (not at.shape.rank or at.shape[-1] != 1):
        return None
    shape = tf.shape(of, at.dtype)
    rows = tf.reshape(tensors[values], tf.concat([[tf.size(at, at.dtype)], shape[1:]], 0))
    return tf.IndexedSlices(rows, tf.reshape(at, [-1]), shape)


def _constant(dtype: int, shape: tuple[int, ...], data: bytes) -> tf.Tensor:
    kind = tf.as_dtype(dtype)
    return tf.constant(np.frombuffer(data, kind.as_numpy_dtype).reshape(shape), kind)


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

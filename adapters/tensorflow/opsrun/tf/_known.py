"""Infers output shapes of a new node from input values that Python knows in part.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import tensor_util

from opsrun.tf import _native

_INTEGERS = (tf.int32, tf.int64)
_MOST_ELEMENTS = 32  # OPSRUN_MAX_RANK
_NOTHING = -2**63  # opsrun_known_sizes: an unknown element

# The attribute of a graph's tensor that stores its elements, as in opsrun_known_sizes, if a plugin's op infers them.
_ELEMENTS = "_opsrun_elements"


def refine(native: _native.Op, node: tf.Operation) -> None:
    """Sets the shapes of a node's outputs, as far as they are known.

    Raises:
        ValueError: The op rejects what is known; TensorFlow's own inference raises the same exception.
    """
    if all(output.shape.is_fully_defined() and not _is_list(output) for output in node.outputs):
        return
    known = [(_sizes(each.shape), _elements(each)) for each in node.inputs]
    try:
        outputs = native.infer(node.node_def.SerializeToString(), known, lambda i: _value(node.inputs[i]))
    except tf.errors.InvalidArgumentError as problem:
        raise ValueError(problem.message) from None
    for output, (shape, elements) in zip(node.outputs, outputs, strict=True):
        if shape is not None:
            output.set_shape([None if size < 0 else size for size in shape])
        if elements is not None:
            setattr(output, _ELEMENTS, elements)


def _is_list(tensor: Any) -> bool:
    """True if a shape function may infer or request its elements."""
    return tensor.dtype in _INTEGERS and (tensor.shape.num_elements() or 0) <= _MOST_ELEMENTS


def _sizes(shape: tf.TensorShape) -> Sequence[int] | None:
    """The sizes, -1 if unknown."""
    return None if shape.rank is None else [-1 if size is None else size for size in shape]


def _elements(tensor: Any) -> Sequence[int] | None:
    if not _is_list(tensor):
        return None
    if (stated := getattr(tensor, _ELEMENTS, None)) is not None:
        return stated
    value = tf.get_static_value(tensor, partial=True)
    if value is None and tensor.shape.rank == 1:
        value = _as_shape(tensor)
    return None if value is None else [_element(each) for each in np.ravel(value)]


def _as_shape(tensor: Any) -> Sequence[int | None] | None:
    """The elements as sizes of a shape, if known; None also for elements that are not valid sizes."""
    try:
        shape = tensor_util.constant_value_as_shape(tensor)
    except ValueError:  # a number is below -1
        return None
    return None if shape.rank is None else shape.as_list()


def _element(number: Any) -> int:
    if number is None:
        return _NOTHING
    return int(number) if number >= 0 else int(number) - 1


def _value(tensor: Any) -> bytes | None:
    value = tf.get_static_value(tensor)
    return None if value is None else tf.make_tensor_proto(value, tensor.dtype).SerializeToString()

"""Python functions that call TensorFlow ops, and set the shapes of new nodes from values that are known in part.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import keyword
import re
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.autograph.impl import api
from tensorflow.python.framework import _pywrap_python_op_gen, tensor_util

from opsrun.tf import _native, _tensor_attrs

_OF_THE_GENERATOR = ("name", "ctx", "tld")  # names that generated code uses itself


def make_function(definition: op_def_pb2.OpDef, native: _native.Op) -> Callable[..., Any]:
    """The function for a registered op."""
    if any(_tensor_attrs.is_tensor(attr) for attr in definition.attr):
        return _tensor_attrs.make_function(definition, lambda each: _refined(_generated(each), native))
    return _refined(_generated(definition), native)


def _refined(function: Callable[..., Any], native: _native.Op) -> Callable[..., Any]:
    """Wraps the function to set shapes in graphs."""
    @api.autograph_artifact  # AutoGraph skips it; do_not_convert would cost a microsecond per call
    @functools.wraps(function)
    def refined(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if not tf.executing_eagerly():
            outputs = tf.nest.flatten(result)
            if outputs and isinstance(outputs[0], tf.Tensor):
                _refine(native, outputs[0].op)
        return result

    return refined


def _generated(definition: op_def_pb2.OpDef) -> Callable[..., Any]:
    """The function that TensorFlow's own generator writes."""
    source = _source(definition)
    module = types.ModuleType("opsrun.tf." + definition.name)
    module.__dict__["_IS_TENSORFLOW_PLUGIN"] = True  # AutoGraph skips it
    exec(source, module.__dict__)  # as tf.load_op_library does
    sys.modules[module.__name__] = module
    name = re.search(r"^def (\w+)\(", source, re.MULTILINE)
    assert name is not None
    return module.__dict__[name[1]]


def _source(definition: op_def_pb2.OpDef) -> str:
    """The generator's code, extended for what it does not support: attrs named like Python keywords or its own
    variables, defaults with unknown sizes, and texts with triple quotes."""
    renamed = op_def_pb2.OpDef()
    renamed.CopyFrom(definition)
    for attr in renamed.attr:
        if keyword.iskeyword(attr.name) or attr.name in _OF_THE_GENERATOR:
            attr.name += "_"
    for texts in ([renamed], renamed.input_arg, renamed.output_arg, renamed.attr):
        for text in texts:
            text.description = text.description.replace('"""', "'''")
    renamed.summary = renamed.summary.replace('"""', "'''")
    ops = op_def_pb2.OpList(op=[renamed])
    source = _pywrap_python_op_gen.GetPythonWrappers(ops.SerializeToString()).decode()
    for attr, old in zip(renamed.attr, definition.attr, strict=True):
        if attr.name != old.name:  # the parameter "is_" for the attr "is"
            source = source.replace(f'"{attr.name}"', f'"{old.name}"')
        if attr.type in ("shape", "list(shape)"):  # shape=[2, -1]
            source = re.sub(rf"\b({attr.name} ?= ?)(\[[-\d, \[\]]*\])",
                            lambda found: found[1] + found[2].replace("-1", "None"), source)
    return source


_INTEGERS = (tf.int32, tf.int64)
_MOST_ELEMENTS = 64  # OPSRUN_MAX_RANK
_NOTHING = -2**63  # opsrun_known_sizes: an unknown element

# The attribute of a graph's tensor that stores its elements, as in opsrun_known_sizes, if a plugin's op infers them.
_ELEMENTS = "_opsrun_elements"


def _refine(native: _native.Op, node: tf.Operation) -> None:
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

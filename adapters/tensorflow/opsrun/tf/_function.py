"""Python functions that call TensorFlow ops.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import keyword
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.autograph.impl import api
from tensorflow.python.framework import _pywrap_python_op_gen

from opsrun.tf import _native, _tensor_attrs
from opsrun.tf._known import refine

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
                refine(native, outputs[0].op)
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

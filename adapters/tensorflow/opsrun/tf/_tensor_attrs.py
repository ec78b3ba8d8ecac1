"""Attrs that are tensors.

TensorFlow supports them only in graphs, so an eager call with one runs a graph of one node. Only opsrun knows the
elements of a default, so in a TensorFlow node the default is represented by a tensor without a type.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, op_def_pb2, tensor_pb2

from opsrun._recent import Recent

_KINDS = ("tensor", "list(tensor)")

Function = Callable[..., Any]


def is_tensor(attr: op_def_pb2.OpDef.AttrDef) -> bool:
    return attr.type in _KINDS


def default_of_the_op(kind: str) -> attr_value_pb2.AttrValue:
    """The value that represents the default in a node; native/values.cc recognizes it too."""
    made = attr_value_pb2.AttrValue()
    if kind == "tensor":
        made.tensor.SetInParent()
    else:
        made.list.tensor.add()
    return made


def make_function(definition: op_def_pb2.OpDef, make: Callable[[op_def_pb2.OpDef], Function]) -> Function:
    """The function of an op with such attrs. make: creates a function with TensorFlow's generator."""
    in_graphs = make(definition)
    without: Function | None = None
    if all(attr.HasField("default_value") for attr in definition.attr if is_tensor(attr)):
        shorter = op_def_pb2.OpDef()
        shorter.CopyFrom(definition)
        del shorter.attr[:]
        shorter.attr.extend(attr for attr in definition.attr if not is_tensor(attr))
        without = make(shorter)
    call = _Call(definition, in_graphs, without)

    @functools.wraps(in_graphs)
    def function(*args: Any, **kwargs: Any) -> Any:
        return call(shown.__name__, args, kwargs)

    parameters = call.signature.parameters.values()
    shown: Any = tf.autograph.experimental.do_not_convert(function)
    shown.__signature__ = call.signature.replace(parameters=[
        each.replace(default=None) if isinstance(each.default, (tensor_pb2.TensorProto, list)) else each for each in parameters])
    made: Function = shown
    return made


class _Call:
    def __init__(self, definition: op_def_pb2.OpDef, in_graphs: Function, without: Function | None) -> None:
        self._in_graphs = in_graphs
        self._without = without  # for calls without such attrs; works everywhere
        self.signature = inspect.signature(in_graphs)
        self._inputs = list(self.signature.parameters)[:len(definition.input_arg)]
        self._tensors = {attr.name + "_" * keyword.iskeyword(attr.name): attr.type for attr in definition.attr
                         if is_tensor(attr)}
        self._graphs: Recent[Function] = Recent(64)  # by attrs

    def __call__(self, function_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            given = self.signature.bind(*args, **kwargs).arguments
        except TypeError as problem:
            raise TypeError(f"{function_name}(): {problem}") from None
        tensors = {name: given.pop(name) for name in self._tensors if name in given}
        protos = {name: self._protos(f"attr '{name}' of {function_name}()", self._tensors[name], value)
                  for name, value in tensors.items() if value is not None}
        if not tf.executing_eagerly():
            return self._in_graphs(**given, **protos)
        if not protos and self._without is not None:
            return self._without(**given)
        inputs = [given.pop(name) for name in self._inputs]
        given.pop("name", None)
        return self._graph(function_name, inputs, given, protos)(*inputs)

    def _protos(self, what: str, kind: str, value: Any) -> Any:
        if kind == "tensor":
            return self._proto(what, value)
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{what} must be a list of tensors, not {type(value).__name__}")
        return [self._proto(f"{what}[{i}]", each) for i, each in enumerate(value)]

    def _proto(self, what: str, value: Any) -> tensor_pb2.TensorProto:
        if isinstance(value, tensor_pb2.TensorProto):
            return value
        if tf.is_symbolic_tensor(value):
            raise TypeError(f"{what} is a tensor of a graph, but an attr is a constant: give it an array of NumPy, a list or a "
                            "number")
        try:
            return tf.make_tensor_proto(value)
        except (TypeError, ValueError) as problem:
            raise TypeError(f"{what} must be an array or a number, not {value!r}: {problem}") from problem

    def _graph(self, function_name: str, inputs: list[Any], attrs: dict[str, Any], protos: dict[str, Any]) -> Function:
        """A function that calls the op with these attrs."""
        def call(*given: Any) -> Any:
            return self._in_graphs(*given, **attrs, **protos)

        call.__name__ = function_name
        made = tf.function(call, autograph=False, reduce_retracing=True)
        made._omit_frequent_tracing_warning = True  # as Keras does: each new constant is a new graph
        # tf.function keeps a graph for each plain value of an argument.
        if not all(isinstance(each, (tf.Tensor, np.ndarray)) for each in tf.nest.flatten(inputs)):
            return made
        key = repr(sorted(attrs.items())), tuple((name, _text(value)) for name, value in sorted(protos.items()))
        return self._graphs.get(key) or self._graphs.add(key, made)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_text(each) for each in value)
    return value.SerializeToString(deterministic=True)

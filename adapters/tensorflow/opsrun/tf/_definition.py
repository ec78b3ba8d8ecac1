"""The TensorFlow definition of an op: its name and its OpDef.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, op_def_pb2, tensor_pb2

from opsrun._values import NUMBERS
from opsrun.tf._tensor_attrs import default_of_the_op, is_tensor


def op_name(plugin: str, op: str) -> str:
    """The op Warp of plugin acme.images becomes Opsrun_acme_images>Warp, which cannot collide with TensorFlow's own
    ops."""
    return f"Opsrun_{re.sub(r'[^A-Za-z0-9_]', '_', plugin)}>{op}"


def definition(spec: dict[str, Any]) -> op_def_pb2.OpDef:
    """The OpDef of an op, from the output of `opsrun explain --json`."""
    made = op_def_pb2.OpDef(name=op_name(spec["plugin"]["name"], spec["name"]), summary=spec["summary"],
                            description=spec["description"], is_stateful=spec["stateful"])
    for args, specs in ((made.input_arg, spec["inputs"]), (made.output_arg, spec["outputs"])):
        for arg in specs:
            args.add(name=arg["name"], description=arg["doc"], type=_number(arg["dtype"]) if arg["dtype"] else 0,
                     type_attr=arg["type_attr"] or "", number_attr=arg["number_attr"] or "",
                     type_list_attr=arg["type_list_attr"] or "")
    for attr in spec["attrs"]:
        _add_attr(made, attr)
    return made


def _add_attr(made: op_def_pb2.OpDef, spec: dict[str, Any]) -> None:
    attr = made.attr.add(name=spec["name"], type=spec["type"], description=spec["doc"])
    if spec["minimum"] is not None:
        attr.has_minimum = True
        attr.minimum = spec["minimum"]
    if spec["allowed"] is not None:
        element = re.sub(r"list\((\w+)\)", r"\1", spec["type"])
        attr.allowed_values.CopyFrom(attr_value(f"list({element})", spec["allowed"]))
    if spec["has_default"] and is_tensor(attr):
        attr.default_value.CopyFrom(default_of_the_op(attr.type))
    elif spec["has_default"]:
        attr.default_value.CopyFrom(attr_value(spec["type"], spec["default"]))


def _number(dtype: Any) -> int:
    return NUMBERS.get(dtype) or tf.as_dtype(dtype).as_datatype_enum


def _shape(value: Any) -> tf.TensorShape:
    """Converts a shape from JSON, where -1 is an unknown size and None an unknown rank."""
    return tf.TensorShape([None if size == -1 else size for size in value] if isinstance(value, list) else value)


def attr_value(kind: str, value: Any) -> attr_value_pb2.AttrValue:
    """Converts a value from JSON or from a call in Python to an AttrValue of a type such as "list(int)"."""
    made = attr_value_pb2.AttrValue()
    if listed := re.fullmatch(r"list\((\w+)\)", kind):
        made.list.SetInParent()
        for each in value:
            _add(made.list, listed[1], each)
        return made
    one = attr_value_pb2.AttrValue.ListValue()
    _add(one, kind, value)
    (field, values), = one.ListFields()
    if hasattr(values[0], "CopyFrom"):
        getattr(made, field.name).CopyFrom(values[0])
    else:
        setattr(made, field.name, values[0])
    return made


def _add(into: attr_value_pb2.AttrValue.ListValue, kind: str, value: Any) -> None:
    if kind == "string":
        into.s.append(value.encode() if isinstance(value, str) else value)
    elif kind == "int":
        into.i.append(value)
    elif kind == "float":
        into.f.append(float(value.replace(".", "", 1) if isinstance(value, str) else value))  # ".inf"
    elif kind == "bool":
        into.b.append(value)
    elif kind == "type":
        into.type.append(_number(value))
    elif kind == "shape":
        into.shape.append(_shape(value).as_proto())
    elif kind == "tensor":
        into.tensor.append(value if isinstance(value, tensor_pb2.TensorProto) else tf.make_tensor_proto(value))
    else:
        into.func.add(name=value)

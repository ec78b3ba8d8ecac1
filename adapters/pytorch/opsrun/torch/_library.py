"""Plugins as libraries of PyTorch operators.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import torch

from opsrun import _adapters
from opsrun._op_def import Names, OpDef
from opsrun.torch import _native
from opsrun.torch._autograd import Autograd
from opsrun.torch._batch import Batched
from opsrun.torch._fake import Fake
from opsrun.torch._op import Op

_TYPES = {"int": "int", "float": "float", "bool": "bool", "string": "str", "func": "str", "type": "ScalarType",
          "shape": "int[]", "tensor": "Tensor"}


def _namespace(plugin: str) -> str:
    """The namespace of a plugin in torch.ops: acme.images becomes opsrun_acme_images."""
    return "opsrun_" + re.sub(r"\W", "_", plugin)


def _name_of(op: str) -> str:
    """The name of an op in the namespace: Ns>Op becomes Ns_Op."""
    return op.replace(">", "_")


class _Schema:
    """An op's arguments: inputs, then attrs by keyword.

    Attributes:
        arguments: As in a schema: "(Tensor to_zero, *, int? preserve_index=0)".
        results: As in a schema: "Tensor".
        inputs: For each input, its name in the op and whether it is a list.
        outputs: The same for outputs.
        attrs: For each attr, its name, its type in the spec, and whether it is optional.
        keywords: For each attr, the name of the argument.
    """

    def __init__(self, op: OpDef) -> None:
        self.inputs = [(arg.name, arg.list) for arg in op.inputs]
        self.outputs = [(arg.name, arg.list) for arg in op.outputs]
        self.attrs: list[tuple[str, str, bool]] = []
        self.keywords: list[str] = []
        names = Names("self")
        arguments = [f"Tensor{'[]' if arg.list else ''} {names.take(arg.name)}" for arg in op.inputs]
        words_of_attrs = []
        for attr in op.given_attrs:
            word = _argument_type(attr.type)
            self.attrs.append((attr.name, attr.type, attr.has_default))
            self.keywords.append(names.take(attr.name))
            words_of_attrs.append(_keyword(word, self.keywords[-1], attr.type, attr.default, attr.has_default))
        if words_of_attrs:
            arguments += ["*", *words_of_attrs]
        self.arguments = f"({', '.join(arguments)})"
        self.results = _results([f"Tensor{'[]' if arg.list else ''}" for arg in op.outputs])


def _argument_type(attr_type: str) -> str:
    listed = re.fullmatch(r"list\((\w+)\)", attr_type)
    return _TYPES[listed[1]] + "[]" if listed else _TYPES[attr_type]


# None stands for the op's default; schemas can only express simple values.
def _keyword(word: str, name: str, attr_type: str, default: Any, has_default: bool) -> str:
    if not has_default:
        return f"{word} {name}"
    if attr_type in ("int", "float", "bool", "string") and (text := _literal(attr_type, default)) is not None:
        return f"{word}? {name}={text}"
    return f"{word}? {name}=None"


def _literal(attr_type: str, value: Any) -> str | None:
    if attr_type == "string":
        return json.dumps(value) if isinstance(value, str) and value.isascii() and value.isprintable() else None
    if attr_type == "bool":
        return str(bool(value))
    if attr_type == "int":
        return str(int(value))
    number = float(value) if isinstance(value, (int, float)) else float("nan")
    return repr(number) if abs(number) < float("inf") else None


def _results(types: list[str]) -> str:
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


class OpLibrary(_adapters.Library):
    """The operators of one plugin, under the op's name, ZeroOut, and as functions, zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: By name, the ops that PyTorch does not support, and why.
        LIB_PATH: The path of the plugin's file.
        NAMESPACE: The operators are in torch.ops.NAMESPACE.
    """

    NAMESPACE: str
    WITHOUT = "PyTorch, which has no tensors of type {}"

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, path)
        self.NAMESPACE = _namespace(plugin)
        if (other := _namespaces.setdefault(self.NAMESPACE, plugin)) != plugin:
            raise RuntimeError(f"plugins '{other}' and '{plugin}' have the same name in PyTorch, {self.NAMESPACE}: only one of "
                               "them can be loaded")
        self._library = torch.library.Library(self.NAMESPACE, "DEF")  # the operators live as long as this object
        self._add(_plugins.engine, ops)

    def _define(self, op: OpDef, name: str) -> Any:
        return _define(self._library, op)


_namespaces: dict[str, str] = {}  # the plugin of each namespace
_ops: dict[Any, Op] = {}  # by operator


def _start(directories: list[str]) -> Any:
    _native.start(directories)
    return _native


_plugins = _adapters.Plugins(_start, OpLibrary)


def _define(library: torch.library.Library, op: OpDef) -> Any:
    """Registers an op and returns its operator in torch.ops."""
    schema = _Schema(op)
    name = _name_of(op.name)
    full = f"{library.ns}::{name}"
    library.define(f"{name}{schema.arguments} -> {schema.results}")
    library.define(f"_{name}_autograd{schema.arguments} -> {_results(['Tensor[]'] * len(op.outputs))}")
    made = Op(full, op.full_name, schema.inputs, schema.attrs, schema.outputs, schema.keywords)
    library.impl(f"_{name}_autograd", Autograd(made, _find), "Autograd", with_keyset=True)
    torch.library.register_fake(full, Fake(made), lib=library)
    operator = getattr(getattr(torch.ops, library.ns), name)
    has_tensor_attrs = any(kind in ("tensor", "list(tensor)") for _, kind, _ in schema.attrs)
    batch = None if op.stateful else op.batch
    lists = any(listed for _, listed in schema.inputs + schema.outputs)
    if (lists or batch is not None) and not has_tensor_attrs:  # PyTorch's rule
        torch.library.register_vmap(full, Batched(operator, batch), lib=library)
    if op.stateful:
        torch.fx.has_side_effect(operator.default)  # prevents merging or removing calls
    _ops[operator] = made
    return operator


def _find(plugin: str, op: str) -> Op:
    """An op that a gradient uses. Its plugin may not be loaded yet."""
    library = _plugins.library(*next(each for each in _plugins.engine.plugins() if each[0] == plugin))
    if op in library.UNSUPPORTED:
        raise NotImplementedError(f"a gradient uses an op that PyTorch cannot have: {library.UNSUPPORTED[op]}")
    return _ops[getattr(getattr(torch.ops, library.NAMESPACE), _name_of(op))]


def load_op_library(path: str | os.PathLike[str], *, attach: str | os.PathLike[str] | None = None) -> OpLibrary:
    """Opens a plugin file and registers its ops with PyTorch.

    The same file gives the same library. Ops that PyTorch does not support, such as ops on strings, are left out;
    OpLibrary.UNSUPPORTED has the reasons.

    Args:
        path: The file.
        attach: The file that completes its ops, if that is not beside it; see opsrun.attach.

    Raises:
        RuntimeError: The plugin or the attached file is refused, or a file does not exist. The message says
            why and how to fix it.
    """
    return _plugins.load(path, attach)

"""Plugins as libraries of PyTorch operators.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from typing import Any

import torch

from opsrun import _adapters
from opsrun._op_def import OpDef
from opsrun.torch import _native
from opsrun.torch._fake import Fake
from opsrun.torch._schema import Schema, namespace, operator_name
from opsrun.torch._vmap import Batched


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
        self.NAMESPACE = namespace(plugin)
        if (other := _namespaces.setdefault(self.NAMESPACE, plugin)) != plugin:
            raise RuntimeError(f"plugins '{other}' and '{plugin}' have the same name in PyTorch, {self.NAMESPACE}: only one of "
                               "them can be loaded")
        self._library = torch.library.Library(self.NAMESPACE, "DEF")  # the operators live as long as this object
        self._add(_plugins.engine, ops)

    def _define(self, op: OpDef, name: str) -> Any:
        return _define(self._library, op)


_namespaces: dict[str, str] = {}  # the plugin of each namespace
_plugins = _adapters.Plugins(_native.Engine, OpLibrary)


def _define(library: torch.library.Library, op: OpDef) -> Any:
    """Registers an op and returns its operator in torch.ops."""
    schema = Schema(op)
    name = operator_name(op.name)
    library.define(name + schema.text)
    native = _plugins.engine.make_op(op.full_name, f"{library.ns}::{name}", schema.inputs, schema.attrs)
    native.implement(_operator_name)
    torch.library.register_fake(f"{library.ns}::{name}", Fake(
        native, f"{library.ns}::{name}", [listed for _, listed in schema.inputs], schema.keywords,
        [listed for _, listed in schema.outputs]),
                                lib=library)
    operator = getattr(getattr(torch.ops, library.ns), name)
    has_tensor_attrs = any(kind in ("tensor", "list(tensor)") for _, kind in schema.attrs)
    if any(listed for _, listed in schema.inputs + schema.outputs) and not has_tensor_attrs:  # PyTorch's rule
        torch.library.register_vmap(f"{library.ns}::{name}", Batched(operator), lib=library)
    if op.stateful:
        torch.fx.has_side_effect(operator.default)  # prevents merging or removing calls
    return operator


def _operator_name(plugin: str, op: str) -> str:
    """The name of the operator for an op that a gradient uses. Its plugin may not be loaded yet."""
    library = _plugins.library(*next(each for each in _plugins.engine.plugins() if each[0] == plugin))
    if op in library.UNSUPPORTED:
        raise NotImplementedError(f"a gradient uses an op that PyTorch cannot have: {library.UNSUPPORTED[op]}")
    return f"{library.NAMESPACE}::{operator_name(op)}"


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Opens a plugin file and registers its ops with PyTorch.

    The same file gives the same library. Ops that PyTorch does not support, such as ops on strings, are left out;
    OpLibrary.UNSUPPORTED has the reasons.

    Raises:
        RuntimeError: The plugin is refused, or the file does not exist. The message says why and how to fix it.
    """
    return _plugins.load(path)

"""Plugins as libraries of operators.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import threading
import types
from typing import Any

import torch

from opsrun import _adapters
from opsrun._op_def import Names, OpDef, snake_case
from opsrun.torch import _native
from opsrun.torch._fake import Fake
from opsrun.torch._schema import Schema, Unsupported, namespace, operator_name
from opsrun.torch._vmap import Batched

_lock = threading.RLock()
_engine: _native.Engine | None = None


def engine() -> _native.Engine:
    """The adapter's own engine, with the plugins that are installed when it is first asked for."""
    global _engine
    with _lock:
        if _engine is None:
            _engine = _native.Engine(_adapters.plugin_directories())
        return _engine


class OpLibrary(types.ModuleType):
    """The operators of one plugin: by the name of the op, ZeroOut, and as functions, zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: Why PyTorch cannot have an op, by its name.
        LIB_PATH: The path of the plugin's file.
        NAMESPACE: The operators are those of torch.ops.NAMESPACE.
    """

    OP_LIST: tuple[str, ...]
    UNSUPPORTED: dict[str, str]
    LIB_PATH: str
    NAMESPACE: str

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, f"Ops of plugin {plugin}, {path}.")
        self.NAMESPACE = namespace(plugin)
        self.LIB_PATH = path
        self.UNSUPPORTED = {}
        library = torch.library.Library(self.NAMESPACE, "DEF")
        self._library = library  # the operators live as long as it
        names, defined = Names(), []
        for op in ops:
            if op.startswith("_"):
                continue
            try:
                operator = _define(library, f"{plugin}.{op}")
            except Unsupported as why:
                self.UNSUPPORTED[op] = str(why)
                continue
            defined.append(op)
            setattr(self, op, operator)
            setattr(self, names.take(snake_case(op)), operator)
        self.OP_LIST = tuple(defined)

    def __getattr__(self, name: str) -> Any:
        why = {word: text for op, text in self.__dict__.get("UNSUPPORTED", {}).items() for word in (op, snake_case(op))}
        raise AttributeError(why.get(name, f"plugin '{self.__name__}' has no op '{name}'"))


def _define(library: torch.library.Library, full_name: str) -> Any:
    """Registers an op and returns it as torch.ops has it."""
    spec = json.loads(engine().describe(full_name))
    op = OpDef(spec)
    schema = Schema(op, spec)
    name = operator_name(op.name)
    library.define(name + schema.text)
    native = engine().make_op(full_name, f"{library.ns}::{name}", schema.inputs, schema.outputs, schema.attrs)
    native.implement(_operator_name)
    torch.library.register_fake(f"{library.ns}::{name}", Fake(
        native, f"{library.ns}::{name}", [listed for _, listed in schema.inputs], schema.keywords,
        [listed for _, listed in schema.outputs]),
                                lib=library)
    operator = getattr(getattr(torch.ops, library.ns), name)
    has_tensor_attrs = any(kind in ("tensor", "list(tensor)") for _, kind in schema.attrs)
    if any(listed for _, listed in schema.inputs + schema.outputs) and not has_tensor_attrs:  # as PyTorch demands
        torch.library.register_vmap(f"{library.ns}::{name}", Batched(operator), lib=library)
    if op.stateful:
        torch.fx.has_side_effect(operator.default)  # two calls are not one, and one that nobody reads is a call
    return operator


def _operator_name(plugin: str, op: str) -> str:
    """The operator of an op that a gradient uses, whose plugin may not be loaded yet."""
    path, ops = next((path, ops) for name, path, ops in engine().plugins() if name == plugin)
    library = library_of(plugin, path, ops)
    if op in library.UNSUPPORTED:
        raise NotImplementedError(f"a gradient uses an op that PyTorch cannot have: {library.UNSUPPORTED[op]}")
    return f"{library.NAMESPACE}::{operator_name(op)}"


_libraries: dict[str, OpLibrary] = {}


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Opens a plugin file and registers its ops with PyTorch.

    The same file gives the same library. Ops that PyTorch cannot have, such as those of strings, are left out:
    OpLibrary.UNSUPPORTED says why.

    Raises:
        RuntimeError: The plugin is refused, or there is no such file; the text says why, and what to do.
    """
    with _lock:
        return library_of(*_adapters.add_plugin(engine(), path))


def library_of(plugin: str, path: str, ops: list[str]) -> OpLibrary:
    """The library of a plugin that the engine knows; it is made when it is first asked for."""
    with _lock:
        if plugin not in _libraries:
            _libraries[plugin] = OpLibrary(plugin, path, ops)
        return _libraries[plugin]

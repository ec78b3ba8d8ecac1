"""Plugins as libraries of functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import threading
import types
from typing import Any

from opsrun import _adapters
from opsrun._op_def import Names, OpDef, snake_case
from opsrun._types import NUMBERS
from opsrun.jax import _native
from opsrun.jax._op import JaxOp

# JAX has no arrays of these.
_NOT_IN_JAX = {"string", "resource", "variant"}

_lock = threading.RLock()
_started = False


def _start() -> None:
    """Makes the adapter's own engine, with the plugins that are installed when it is first asked for."""
    global _started
    if not _started:
        _native.start(_adapters.plugin_directories())
        _started = True


class OpLibrary(types.ModuleType):
    """The ops of one plugin, as functions: by the name of the op, ZeroOut, and as in opsrun's Python package, zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: Why JAX cannot have an op, by its name.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    UNSUPPORTED: dict[str, str]
    LIB_PATH: str

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, f"Ops of plugin {plugin}, {path}.")
        self.LIB_PATH = path
        self.UNSUPPORTED = {}
        names, defined = Names(), []
        for name in ops:
            if name.startswith("_"):
                continue
            spec = json.loads(_native.describe(f"{plugin}.{name}"))
            op = OpDef(spec)
            if why := _unsupported(op, spec):
                self.UNSUPPORTED[name] = why
                continue
            defined.append(name)
            function = JaxOp(op).function(names.take(snake_case(name)))
            setattr(self, name, function)
            setattr(self, function.__name__, function)
        self.OP_LIST = tuple(defined)

    def __getattr__(self, name: str) -> Any:
        why = {word: text for op, text in self.__dict__.get("UNSUPPORTED", {}).items() for word in (op, snake_case(op))}
        raise AttributeError(why.get(name, f"plugin '{self.__name__}' has no op '{name}'"))


def _unsupported(op: OpDef, spec: dict[str, Any]) -> str | None:
    """Why JAX cannot have the op, in one sentence."""
    for what in ("input", "output"):
        for arg in spec[what + "s"]:
            word = arg["dtype"]
            if word in _NOT_IN_JAX or (word and word not in NUMBERS):
                return (f"op {op.full_name} is not available in JAX, which has no arrays of type {word} for opsrun "
                        f"({what} '{arg['name']}')")
    return None


_libraries: dict[str, OpLibrary] = {}


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Opens a plugin file. The same file gives the same library.

    Ops that JAX cannot have, such as those of strings, are left out: OpLibrary.UNSUPPORTED says why.

    Raises:
        opsrun.errors.Error: The plugin is refused, or there is no such file; the text says why, and what to do.
    """
    with _lock:
        _start()
        name, file, ops = _adapters.add_plugin(_native, path)
        if name not in _libraries:
            _libraries[name] = OpLibrary(name, file, ops)
        return _libraries[name]

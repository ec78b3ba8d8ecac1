"""Libraries of ops as modules of functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import threading
import types
from typing import Any

from opsrun._engine import engine, path_text
from opsrun._op_def import Names, OpDef, snake_case
from opsrun._op_function import OpFunction
from opsrun._op_help import make_function


class OpModule(types.ModuleType):
    """The ops of one plugin as functions, which are made when they are asked for.

    Attributes:
        OP_LIST: The names of the ops.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    LIB_PATH: str

    def __init__(self, name: str, plugin: str, path: str, ops: tuple[str, ...]) -> None:
        super().__init__(name, f"Ops of plugin {plugin}, {path}.")
        self._plugin = plugin
        self.OP_LIST = tuple(op for op in ops if not op.startswith("_"))
        self.LIB_PATH = path
        names = Names()
        self._names = {names.take(snake_case(op)): op for op in self.OP_LIST}
        self.__all__ = sorted(self._names)

    def __getattr__(self, name: str) -> Any:
        op = self.__dict__.get("_names", {}).get(name)
        if op is None:
            raise AttributeError(f"plugin '{self.__dict__.get('_plugin')}' has no op '{name}'; it has "
                                 f"{', '.join(self.__dict__.get('__all__', []))}")
        function = self._make(op)
        setattr(self, name, function)
        return function

    def _make(self, op: str) -> Any:
        return make_function(OpDef(json.loads(engine().describe(f"{self._plugin}.{op}"))), self.__name__)

    def __dir__(self) -> list[str]:
        return [*self.__all__, "OP_LIST", "LIB_PATH"]


def find_op(full_name: str) -> OpFunction:
    """The op PLUGIN.NAME."""
    return OpFunction(OpDef(json.loads(engine().describe(full_name))))


_modules: dict[str, OpModule] = {}
_lock = threading.Lock()


def module_of(plugin: str, path: str, ops: tuple[str, ...], name: str) -> OpModule:
    """The module of a plugin; the same one for the same file."""
    real = os.path.realpath(path)
    with _lock:
        if real not in _modules:
            _modules[real] = OpModule(name, plugin, path, ops)
        return _modules[real]


def load_op_library(path: str | os.PathLike[str]) -> OpModule:
    """Opens a plugin file and returns a module with one function for each of its ops.

    The same file gives the same module. A plugin of that name that is installed is hidden by it, unless it is in use.

    Raises:
        opsrun.errors.FailedPreconditionError: The plugin is refused, there is no such file, or it has changed since it was
            loaded; the text says why, and what to do.
    """
    file = os.path.abspath(path_text(path))
    engine().add_plugin(file)
    real = os.path.realpath(file)
    for name, _, found, state, _, _, ops in engine().plugins():
        if state == "ok" and os.path.realpath(found) == real:
            return module_of(name, found, ops, name)
    raise RuntimeError(f"{file} was opened, but it is not among the plugins")

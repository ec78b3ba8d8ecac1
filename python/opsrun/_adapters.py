"""Code shared by the adapters for other frameworks (opsrun.torch, opsrun.tf, opsrun.jax, opsrun.onnx).

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import threading
import types
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from opsrun._engine import path_text
from opsrun._op_def import Names, OpDef, snake_case
from opsrun._program import plugin_path as plugin_path


class Engine(Protocol):
    """The engine of an adapter's native part."""

    def add_plugin(self, path: str, ops_file: str, /) -> str:
        """Opens a plugin, with the file that completes its ops; "": the one beside it, if there is one. Its name."""

    def plugins(self) -> list[tuple[str, str, list[str]]]:
        """(name, path, ops) of all plugins in use."""

    def describe(self, op: str, /) -> str:
        """The output of `opsrun explain --json`."""


def plugin_files(path: str | os.PathLike[str], attach: str | os.PathLike[str] | None) -> tuple[str, str]:
    """The arguments of Engine.add_plugin."""
    return os.path.abspath(path_text(path)), "" if attach is None else os.path.abspath(path_text(attach))


_Engine = TypeVar("_Engine", bound=Engine)
_Library = TypeVar("_Library")


class Plugins(Generic[_Engine, _Library]):
    """An adapter's engine, and a library for each plugin. Any thread.

    Args:
        make_engine: Creates the engine on first use, given the directories to search for plugins.
        make_library: Creates a library, given the plugin's name, its path, and its ops.
    """

    def __init__(self, make_engine: Callable[[list[str]], _Engine],
                 make_library: Callable[[str, str, list[str]], _Library]) -> None:
        self.lock = threading.RLock()
        self._make_engine, self._make_library = make_engine, make_library
        self._engine: _Engine | None = None
        self._libraries: dict[str, _Library] = {}

    @property
    def engine(self) -> _Engine:
        with self.lock:
            if self._engine is None:
                self._engine = self._make_engine(plugin_path())
            return self._engine

    def load(self, path: str | os.PathLike[str], attach: str | os.PathLike[str] | None) -> _Library:
        """Opens a plugin file. The same file gives the same library."""
        with self.lock:
            plugin = self.engine.add_plugin(*plugin_files(path, attach))
            return next(self.library(name, found, ops) for name, found, ops in self.engine.plugins() if name == plugin)

    def library(self, plugin: str, path: str, ops: list[str]) -> _Library:
        """The library of a plugin that the engine knows; created on first use."""
        with self.lock:
            if plugin not in self._libraries:
                self._libraries[plugin] = self._make_library(plugin, path, ops)
            return self._libraries[plugin]


class Library(types.ModuleType):
    """The ops of one plugin, for a framework that does not support all of them.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: By name, the ops that the framework does not support, and why.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    UNSUPPORTED: dict[str, str]
    LIB_PATH: str
    WITHOUT: str  # "PyTorch, which has no tensors of type {}"

    def __init__(self, plugin: str, path: str) -> None:
        super().__init__(plugin, f"Ops of plugin {plugin}, {path}.")
        self.LIB_PATH = path
        self.UNSUPPORTED = {}

    def _add(self, engine: Engine, ops: list[str]) -> None:
        """Defines each op under its own name, ZeroOut, and as a function, zero_out."""
        names, defined = Names(), []
        for op in ops:
            if op.startswith("_"):
                continue
            spec = json.loads(engine.describe(f"{self.__name__}.{op}"))
            if why := self._why_not(spec):
                self.UNSUPPORTED[op] = f"op {self.__name__}.{op} is not available in {why}"
                continue
            defined.append(op)
            name = names.take(snake_case(op))
            function = self._define(OpDef(spec), name)
            setattr(self, op, function)
            setattr(self, name, function)
        self.OP_LIST = tuple(defined)

    def _define(self, op: OpDef, name: str) -> Any:
        raise NotImplementedError

    def _lacks(self, dtype: str) -> bool:
        """True if the framework has no tensors of the type."""
        return dtype in ("string", "resource", "variant")

    def _why_not(self, spec: dict[str, Any]) -> str | None:
        for what in ("input", "output"):
            for arg in spec[what + "s"]:
                if arg["dtype"] and self._lacks(arg["dtype"]):
                    return f"{self.WITHOUT.format(arg['dtype'])} ({what} '{arg['name']}')"
        return None

    def __getattr__(self, name: str) -> Any:
        why = {word: text for op, text in self.__dict__.get("UNSUPPORTED", {}).items() for word in (op, snake_case(op))}
        raise AttributeError(why.get(name, f"plugin '{self.__name__}' has no op '{name}'"))

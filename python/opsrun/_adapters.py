"""What the adapters for other frameworks (opsrun.torch, opsrun.tf, opsrun.jax) share.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from typing import Protocol

from opsrun import _plugins
from opsrun._paths import path_text


class Engine(Protocol):
    """The engine of an adapter's native part."""

    def add_plugin(self, path: str, /) -> None: ...

    def plugins(self) -> list[tuple[str, str, list[str]]]:
        """(name, path, ops) of all plugins that are in use."""


def plugin_directories() -> list[str]:
    """Where an adapter's engine searches for plugins: the user's directories, then those that packages bring."""
    packaged = _plugins.directories()
    of_user = [path for path in os.environ.get("OPSRUN_PLUGIN_PATH", "").split(":") if os.path.isdir(path)]
    return of_user + packaged if packaged else []


def add_plugin(engine: Engine, path: str | os.PathLike[str]) -> tuple[str, str, list[str]]:
    """Opens a plugin file: its name, its path and its ops."""
    file = os.path.abspath(path_text(path))
    engine.add_plugin(file)
    real = os.path.realpath(file)
    for name, found, ops in engine.plugins():
        if os.path.realpath(found) == real:
            return name, found, ops
    raise RuntimeError(f"{file} was opened, but it is not among the plugins")

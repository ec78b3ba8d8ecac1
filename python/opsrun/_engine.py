"""The engine that all of the package uses: the installed plugins, their threads, and what ops share; and texts for it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable

from opsrun import _native
from opsrun._program import plugin_path

_lock = threading.Lock()
_engine: _native.Engine | None = None


def engine() -> _native.Engine:
    """The engine, which is made when it is first asked for, with the plugins that are installed then."""
    global _engine
    if _engine is None:
        with _lock:
            if _engine is None:
                _engine = _native.Engine(plugin_path(), True, 0, 0, 0, True, "cpu", False, True)
    return _engine


def configure(plugins: Iterable[str | os.PathLike[str]] = (), *, default_plugins: bool = True, threads: int = 0,
              callers: int = 0, memory_limit: int = 0, probe: bool = True, device: str = "cpu",
              strict_placement: bool = False, cuda_graphs: bool = True) -> None:
    """Chooses how ops and graphs run. It must come before the first op, graph or library.

    Args:
        plugins: Directories of plugins, which are searched before OPSRUN_PLUGIN_PATH and the default ones.
        default_plugins: Whether to search the other ones at all.
        threads: How many threads run ops, those that call included; 0 means one for each processor.
        callers: How many threads of Python run graphs at the same time; 0 means 1.
        memory_limit: In bytes of CPU memory, for all runs together; 0 means no limit.
        probe: Whether each plugin is tried in a process of its own before it is opened.
        device: Where ops run: "cpu", "gpu", "gpu:1", or "auto", the first GPU if there is one. An op that has no kernel
            for that device runs on the CPU. Arrays are copied there and back.
        strict_placement: Whether an op without a kernel for that device is an error instead.
        cuda_graphs: Whether nodes of a graph that a GPU could be given as one CUDA graph are, from the second run on.
    """
    global _engine
    with _lock:
        if _engine is not None:
            raise RuntimeError("opsrun.configure must be called before the first op, graph or library is used")
        # OPSRUN_PLUGIN_PATH comes before what packages bring, and the engine ranks it after the directories that it is given.
        directories = [os.fspath(path) for path in plugins] + (plugin_path() if default_plugins else [])
        _engine = _native.Engine(directories, default_plugins, threads, callers, memory_limit, probe, device,
                                 strict_placement, cuda_graphs)


def path_text(path: str | bytes | os.PathLike[str]) -> str:
    """The path as a text. Raises TypeError for what is no path, and ValueError for one that is not UTF-8."""
    return checked_text(os.fsdecode(path), "a path")


def checked_text(text: str, what: str) -> str:
    """The text itself. Raises TypeError for what is no str, and ValueError for one that cannot be written as UTF-8."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"{what} cannot be written as UTF-8: {text!r}") from problem
    return text

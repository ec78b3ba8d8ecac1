"""The engine of the whole package, with the installed plugins, threads and shared objects; and text arguments for it.

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
    """The engine; created on first use, with the plugins that are installed then."""
    global _engine
    if _engine is None:
        with _lock:
            if _engine is None:
                _engine = _native.Engine(plugin_path(), True, 0, 0, 0, 0, True, "cpu", False, True, False, "", [], 0, 0, False)
    return _engine


def configure(plugins: Iterable[str | os.PathLike[str]] = (), *, default_plugins: bool = True, threads: int = 0,
              callers: int = 0, memory_limit: int = 0, gpu_memory_limit: int = 0, probe: bool = True,
              device: str = "cpu", strict_placement: bool = False, cuda_graphs: bool = True,
              allow_writable: bool = False, repro_dir: str | os.PathLike[str] = "",
              isolate: Iterable[str] = (), node_timeout: float = 0, child_memory: int = 0,
              sandbox: bool = False) -> None:
    """Configures how ops and graphs run. Call it before using the first op, graph or library.

    Args:
        plugins: Directories of plugins to search before OPSRUN_PLUGIN_PATH and the default ones.
        default_plugins: Whether to search the other directories too.
        threads: How many threads run ops, including the callers; 0 means one per processor.
        callers: How many Python threads run graphs at the same time; 0 means 1.
        memory_limit: Limit for the memory of all runs together on the CPU and on each GPU, in bytes; 0 means no limit.
        gpu_memory_limit: Another limit for the memory of each GPU, in bytes; 0 means memory_limit.
        probe: Whether to try each plugin in a separate process before opening it.
        device: Default device for ops: "cpu", "gpu", "gpu:1", or "auto", the first GPU if there is one. Ops without a
            kernel for it run on the CPU. Arrays are copied as needed.
        strict_placement: Whether an op without a kernel for that device is an error instead.
        cuda_graphs: Whether a GPU runs groups of nodes as one CUDA graph where possible, from the second run on.
        allow_writable: Whether to accept plugins that other users can change or replace, which are refused otherwise.
        repro_dir: A new folder for the first node that fails, with its inputs, which 'opsrun run' runs alone. Slower,
            since inputs are copied before each kernel.
        isolate: Plugins, and nodes whose plugins, run in processes of their own, by name; "all" means every plugin,
            "none" no plugin, even if a graph asks for it. If such a process crashes, hangs or ends, only its nodes fail.
        node_timeout: How long isolated nodes that follow each other may take, in seconds; 0 means no limit.
        child_memory: How much memory such a process may have for itself, in bytes; 0 means no limit.
        sandbox: Whether such processes get no network, no new processes and no files but the plugin's own.
    """
    global _engine
    with _lock:
        if _engine is not None:
            raise RuntimeError("opsrun.configure must be called before the first op, graph or library is used")
        # The engine searches its directories before OPSRUN_PLUGIN_PATH, which must come before packages: so it is
        # included here.
        directories = [os.fspath(path) for path in plugins] + (plugin_path() if default_plugins else [])
        _engine = _native.Engine(directories, default_plugins, threads, callers, memory_limit, gpu_memory_limit, probe,
                                 device, strict_placement, cuda_graphs, allow_writable, path_text(repro_dir),
                                 [isolate] if isinstance(isolate, str) else list(isolate),
                                 round(node_timeout * 1000), child_memory, sandbox)


def path_text(path: str | bytes | os.PathLike[str]) -> str:
    """The path as str. Raises TypeError if it is not a path, and ValueError if it is not valid UTF-8."""
    return checked_text(os.fsdecode(path), "a path")


def checked_text(text: str, what: str) -> str:
    """The text itself. Raises TypeError if it is not a str, and ValueError if it cannot be encoded as UTF-8."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"{what} cannot be written as UTF-8: {text!r}") from problem
    return text

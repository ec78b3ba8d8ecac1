"""Plugins as domains of custom operators.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from typing import Any

import onnxruntime  # type: ignore[import-untyped]

from opsrun import _adapters
from opsrun.onnx import _native


class Domain:
    """The ops of a plugin in ONNX Runtime.

    Attributes:
        name: The domain of their nodes, such as "opsrun.zero_out". A model imports its version 1.
        OP_LIST: The names of the ops.
        UNSUPPORTED: By name, the ops that ONNX Runtime cannot have, and why.
        LIB_PATH: The path of the plugin's file.
    """

    def __init__(self, plugin: str, path: str, ops: list[str], unsupported: dict[str, str]) -> None:
        self.name = f"opsrun.{plugin}"
        self.OP_LIST = tuple(ops)
        self.UNSUPPORTED = unsupported
        self.LIB_PATH = path

    def __repr__(self) -> str:
        return f"<domain {self.name} of {len(self.OP_LIST)} ops from {self.LIB_PATH}>"


_domains: dict[str, Domain] = {}


def register(session_options: onnxruntime.SessionOptions, plugins: Any, *,
             attach: str | os.PathLike[str] | None = None) -> list[Domain]:
    """Makes the ops of plugins custom operators of the sessions that are created with these options.

    Args:
        session_options: The options of ONNX Runtime; register each plugin once with them.
        plugins: A plugin's file, or several of them. A library of opsrun, such as opsrun.ops.math_ops, is one, too.
        attach: The file that completes the ops of a single plugin, if that is not beside it; see opsrun.attach.

    Returns:
        For each plugin, its domain.

    Raises:
        opsrun.errors.Error: A file is not a plugin, or the plugin or the attached file is refused.
        TypeError: An argument has another type.
    """
    if not isinstance(session_options, onnxruntime.SessionOptions):
        raise TypeError(f"session_options must be onnxruntime.SessionOptions, not {type(session_options).__name__}")
    is_one = isinstance(plugins, (str, os.PathLike)) or hasattr(plugins, "LIB_PATH")
    if attach is not None and not is_one:
        raise TypeError("a file can be attached to a single plugin, not to a list")
    domains = [_domain(each, attach) for each in ([plugins] if is_one else plugins)]
    if domains:
        _native.choose([domain.name.removeprefix("opsrun.") for domain in domains])
        try:
            session_options.register_custom_ops_library(_native.PATH)
        finally:
            _native.choose([])
    return domains


def _domain(plugin: Any, attach: str | os.PathLike[str] | None) -> Domain:
    files = _adapters.plugin_files(getattr(plugin, "LIB_PATH", plugin), attach)
    if not _domains:
        _native.start(_adapters.plugin_path())
    name, path, ops, unsupported = _native.add_plugin(*files)
    return _domains.setdefault(name, Domain(name, path, ops, unsupported))

"""The library that ONNX Runtime loads, and its functions for Python.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any

from opsrun import errors

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libopsrun_onnx.so")

try:
    _library = ctypes.CDLL(PATH)
except OSError as problem:
    raise ImportError(str(problem)) from problem
_Say = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_library.opsrun_onnx_version.restype = ctypes.c_char_p
OPSRUN_VERSION: str = _library.opsrun_onnx_version().decode()


def start(directories: Sequence[str]) -> None:
    """Creates the engine. directories: where to search for plugins; none: where opsrun does."""
    _ask(lambda say: _library.opsrun_onnx_start(*_texts(directories), say))


def add_plugin(path: str, ops_file: str) -> tuple[str, str, list[str], dict[str, str]]:
    """Opens a plugin file: its name, path, ops, and why others are not supported. Raises opsrun.errors.Error."""
    name, path, *rest = _ask(lambda say: _library.opsrun_onnx_add_plugin(os.fsencode(path), os.fsencode(ops_file), say))
    unsupported = {}
    while rest[:1] == [""]:
        unsupported[rest[1]] = rest[2]
        rest = rest[3:]
    return name, path, rest, unsupported


def choose(plugins: Sequence[str]) -> None:
    """The next registration on this thread is for these plugins; none: for all that opsrun finds."""
    _library.opsrun_onnx_choose(*_texts(plugins))


def _texts(texts: Sequence[str]) -> tuple[ctypes.Array[ctypes.c_char_p], ctypes.c_uint32]:
    encoded = [os.fsencode(each) for each in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded), ctypes.c_uint32(len(encoded))


def _ask(call: Callable[[Any], int]) -> list[str]:
    """What the library says. Raises what it says as an error if it fails."""
    said: list[str] = []
    code = call(_Say(lambda text: said.append(os.fsdecode(text))))
    if code != 0:
        raise errors.make_error(code, "\n".join(said), [])
    return said

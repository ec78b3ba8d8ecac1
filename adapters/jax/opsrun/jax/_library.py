"""Plugins as libraries of functions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from opsrun import _adapters
from opsrun._op_def import OpDef
from opsrun._values import NUMBERS
from opsrun.jax import _native
from opsrun.jax._op import JaxOp


class OpLibrary(_adapters.Library):
    """The ops of one plugin as functions, under the op's name, ZeroOut, and that of opsrun's Python package, zero_out.

    Attributes:
        OP_LIST: The names of the ops.
        UNSUPPORTED: By name, the ops that JAX does not support, and why.
        LIB_PATH: The path of the plugin's file.
    """

    WITHOUT = "JAX, which has no arrays of type {} for opsrun"

    def __init__(self, plugin: str, path: str, ops: list[str]) -> None:
        super().__init__(plugin, path)
        self._add(_plugins.engine, ops)

    def _lacks(self, dtype: str) -> bool:
        return super()._lacks(dtype) or dtype not in NUMBERS

    def _define(self, op: OpDef, name: str) -> Callable[..., Any]:
        return JaxOp(op).function(name)


_plugins = _adapters.Plugins(_native.engine, OpLibrary)


def load_op_library(path: str | os.PathLike[str]) -> OpLibrary:
    """Opens a plugin file. The same file gives the same library.

    Ops that JAX does not support, such as ops on strings, are left out; OpLibrary.UNSUPPORTED has the reasons.

    Raises:
        opsrun.errors.Error: The plugin is refused, or the file does not exist. The message says why and how to fix it.
    """
    return _plugins.load(path)

"""opsrun: ops from plugins as Python functions, graphs of them, and their gradients.

    lib = opsrun.load_op_library("my_op.so")      # the ops of a file
    lib.my_op(array)                              # arrays in, arrays out
    opsrun.ops.pad.pad(array, [[1, 1]])           # the ops of installed plugins
    opsrun.Graph.load("graph.yaml").run(x=array)  # a graph file
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsrun import errors as errors, numpy as numpy, ops as ops, sysconfig as sysconfig, test as test, typing as typing
    from opsrun._batch import BatchResult as BatchResult, batch as batch
    from opsrun._derive import NoGradient as NoGradient, NotDifferentiable as NotDifferentiable
    from opsrun._derive import Operation as Operation, RegisterGradient as RegisterGradient
    from opsrun._device import DeviceArray as DeviceArray, asarray as asarray
    from opsrun._engine import configure as configure
    from opsrun._function import Function as Function, function as function
    from opsrun._gradients import grad as grad, gradients as gradients, jvp as jvp
    from opsrun._gradients import value_and_grad as value_and_grad, vjp as vjp
    from opsrun._library import attach as attach, load_op_library as load_op_library, reload as reload
    from opsrun._native import version as __version__
    from opsrun._op_def import Handle as Handle
    from opsrun._tensor import Tensor as Tensor
    from opsrun.graph import Graph as Graph, Plan as Plan, TensorSpec as TensorSpec

# The module of each name. Imported on first use, since the command opsrun needs none of them.
_PLACES = {
    "_batch": ("BatchResult", "batch"),
    "_derive": ("NoGradient", "NotDifferentiable", "Operation", "RegisterGradient"),
    "_device": ("DeviceArray", "asarray"),
    "_engine": ("configure",),
    "_function": ("Function", "function"),
    "_gradients": ("grad", "gradients", "jvp", "value_and_grad", "vjp"),
    "_library": ("attach", "load_op_library", "reload"),
    "_op_def": ("Handle",),
    "_tensor": ("Tensor",),
    "graph": ("Graph", "Plan", "TensorSpec"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}
_MODULES = ("errors", "numpy", "ops", "sysconfig", "test", "typing")

__all__ = sorted(["__version__", *_MODULE_OF, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = importlib.import_module(f"opsrun.{name}")
    elif name == "__version__":
        value = importlib.import_module("opsrun._native").version
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(f"opsrun.{_MODULE_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'opsrun' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

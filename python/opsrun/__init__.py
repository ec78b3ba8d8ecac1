"""opsrun: ops from plugins as Python functions, graphs of them, and their gradients.

    lib = opsrun.load_op_library("my_op.so")      # the ops of a file
    lib.my_op(array)                              # arrays in, arrays out
    opsrun.ops.pad.pad(array, [[1, 1]])           # the ops of installed plugins
    opsrun.Graph.load("graph.yaml").run(x=array)  # a graph file

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsrun import errors as errors
    from opsrun import ops as ops
    from opsrun import sysconfig as sysconfig
    from opsrun import test as test
    from opsrun import typing as typing
    from opsrun._engine import configure as configure
    from opsrun._function import Function as Function
    from opsrun._function import function as function
    from opsrun._gradients import grad as grad
    from opsrun._gradients import gradients as gradients
    from opsrun._gradients import value_and_grad as value_and_grad
    from opsrun._gradients import vjp as vjp
    from opsrun._handle import Handle as Handle
    from opsrun._library import load_op_library as load_op_library
    from opsrun._native import version as __version__
    from opsrun._registered import Operation as Operation
    from opsrun._registry import NoGradient as NoGradient
    from opsrun._registry import NotDifferentiable as NotDifferentiable
    from opsrun._registry import RegisterGradient as RegisterGradient
    from opsrun._tensor import Tensor as Tensor
    from opsrun.graph import Graph as Graph
    from opsrun.graph import Plan as Plan
    from opsrun.graph import TensorSpec as TensorSpec

# Where each name is. Nothing is imported before it is used: the command opsrun needs none of it.
_NAMES = {
    "__version__": ("opsrun._native", "version"),
    "configure": ("opsrun._engine", "configure"),
    "load_op_library": ("opsrun._library", "load_op_library"),
    "Function": ("opsrun._function", "Function"),
    "Graph": ("opsrun.graph", "Graph"),
    "Handle": ("opsrun._handle", "Handle"),
    "NoGradient": ("opsrun._registry", "NotDifferentiable"),
    "NotDifferentiable": ("opsrun._registry", "NotDifferentiable"),
    "Operation": ("opsrun._registered", "Operation"),
    "Plan": ("opsrun.graph", "Plan"),
    "RegisterGradient": ("opsrun._registry", "RegisterGradient"),
    "Tensor": ("opsrun._tensor", "Tensor"),
    "TensorSpec": ("opsrun.graph", "TensorSpec"),
    "function": ("opsrun._function", "function"),
    "errors": ("opsrun.errors", None),
    "grad": ("opsrun._gradients", "grad"),
    "gradients": ("opsrun._gradients", "gradients"),
    "value_and_grad": ("opsrun._gradients", "value_and_grad"),
    "vjp": ("opsrun._gradients", "vjp"),
    "ops": ("opsrun.ops", None),
    "sysconfig": ("opsrun.sysconfig", None),
    "test": ("opsrun.test", None),
    "typing": ("opsrun.typing", None),
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    found = _NAMES.get(name)
    if found is None:
        raise AttributeError(f"module 'opsrun' has no attribute '{name}'")
    module = importlib.import_module(found[0])
    value = module if found[1] is None else getattr(module, found[1])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

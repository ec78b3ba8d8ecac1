"""The extension module of opsrun.jax, implemented in adapters/jax/native/module.cc.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from typing import Any, Final

# "0.1.0", the version it was built with.
OPSRUN_VERSION: str

# Capsules with the functions that XLA calls.
instantiate: Any
execute: Any
instantiate_on_card: Any
execute_on_card: Any

_Operand = tuple[int, int, int]

_Shape = list[int] | None
# Op, its call as a text, inputs, shapes of the outputs.
_Call = tuple[str, str, list[_Operand], list[_Shape]]
# Data type, shape, elements.
_Constant = tuple[int, list[int], bytes]

class TypedOp:
    name: Final[str]
    stateful: Final[bool]
    has_shape_function: Final[bool]
    gradient: Final[int]
    in_types: Final[list[int]]
    out_types: Final[list[int]]
    # Dimensions that the op works on, of inputs and of outputs, and whether those of a batch are broadcast.
    batch: Final[tuple[list[int], list[int], bool] | None]
    outputs: Final[list[tuple[str, bool, int]]]
    def check_kernel(self) -> None: ...
    def infer(self, inputs: Sequence[tuple[Sequence[int], bytes | None]]) -> list[tuple[_Shape, _Shape]]: ...
    def differentiate(self, shapes: Sequence[Sequence[int]]) -> tuple[list[_Call], list[_Constant], list[_Operand]]: ...

class Engine:
    def add_plugin(self, path: str, ops_file: str, /) -> str: ...
    def plugins(self) -> list[tuple[str, str, list[str]]]: ...
    def describe(self, op: str, /) -> str: ...

def engine(directories: list[str], /) -> Engine: ...
def find_op(name: str, call: str) -> TypedOp: ...

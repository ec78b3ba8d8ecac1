"""The extension module of opsrun.tf, implemented in adapters/tensorflow/native/module.cc. There is one for each version of
TensorFlow, such as _native_2_21; opsrun.tf imports the one that fits under this name.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Sequence
from typing import Any

OPSRUN_VERSION: str

class Engine:
    def __init__(self, directories: Sequence[str], /) -> None: ...
    def add_plugin(self, path: str, ops_file: str, /) -> str: ...
    def plugins(self) -> list[tuple[str, str, list[str]]]: ...
    def describe(self, op: str, /) -> str: ...

_Operand = tuple[int, int, int]
_Call = tuple[str, str, list[_Operand | list[_Operand]], dict[str, Any]]
_Slices = tuple[_Operand, _Operand, _Operand, bool, int]

# The sizes of a shape, -1 if unknown, or elements as in opsrun_known_sizes of embed_host.h.
_Sizes = Sequence[int] | None

class Op:
    def infer(self, node_def: bytes, inputs: Sequence[tuple[_Sizes, _Sizes]], value_of: Callable[[int], bytes | None],
              /) -> list[tuple[list[int] | None, list[int] | None]]: ...
    def gradient(self, node_def: bytes, shapes: Sequence[tuple[int, ...] | None] | None,
                 /) -> tuple[list[_Call], list[tuple[int, tuple[int, ...], bytes]], list[_Operand], list[_Slices | None]]: ...

def register_op(engine: Engine, name: str, op_def: bytes, /) -> Op: ...

"""Types of what ops take and return, for annotations. The stubs that `opsrun wrap --stubs` writes use them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, Union

import numpy as np

from opsrun._op_def import Handle as _Handle
from opsrun._tensor import Tensor


class HasArray(Protocol):
    """What NumPy makes an array of."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class HasDLPack(Protocol):
    """A tensor of another package."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


# What a call returns. Inside of a traced function it is an opsrun.Tensor, which has operators and indexing, too.
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

# What an input takes: an array, a number, a text, or nested lists of them.
Value: TypeAlias = Union[HasArray, HasDLPack, Tensor, memoryview, bytearray, complex, str, bytes, Sequence["Value"]]

# A shared object, such as a table: what hash_table() gives, and what lookup_table_find() takes.
Handle: TypeAlias = Union[_Handle, Tensor]

# A value of a type of the plugin's own. There are none outside of traced functions.
Variant: TypeAlias = Tensor

# A data type: "float32", np.float32, np.dtype("float32"), float.
DType: TypeAlias = Union[str, type[Any], np.dtype[Any]]

# A shape: sizes, with None or -1 for unknown ones; None if the rank is unknown.
Shape: TypeAlias = Union[Sequence[Union[SupportsIndex, None]], None]

"""Types of the arguments and results of ops, for annotations. The stubs of `opsrun wrap --stubs` use them.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, Union

import numpy as np

from opsrun._op_def import Handle as _Handle
from opsrun._tensor import Tensor


class HasArray(Protocol):
    """An object that NumPy can convert to an array."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class HasDLPack(Protocol):
    """A tensor of another package that supports DLPack."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


# The result of a call. In a traced function it is an opsrun.Tensor, which has operators and indexing too.
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

# The value of an input: an array, a number, a text, or nested lists of these.
Value: TypeAlias = Union[HasArray, HasDLPack, Tensor, memoryview, bytearray, complex, str, bytes, Sequence["Value"]]

# A shared object, such as a table: returned by hash_table(), passed to lookup_table_find().
Handle: TypeAlias = Union[_Handle, Tensor]

# A value of a type defined by a plugin. Exists only in traced functions.
Variant: TypeAlias = Tensor

# A data type: "float32", np.float32, np.dtype("float32"), float.
DType: TypeAlias = Union[str, type[Any], np.dtype[Any]]

# A shape: sizes, with None or -1 for unknown ones; None if the rank is unknown.
Shape: TypeAlias = Union[Sequence[Union[SupportsIndex, None]], None]

"""Arrays in the memory of a GPU, which ops and graphs read and write in place.

Work of Python on a GPU is ordered by one stream, which the arrays know; calls return when it is enqueued.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import math
import re
from typing import Any

import numpy as np

from opsrun import _native, ops
from opsrun._engine import engine
from opsrun._tensor import Operators
from opsrun._values import NAMES, array_of

_CUDA = 2  # DLPack's number
_LEGACY = 1  # CUDA's default stream, which DLPack means if a consumer does not name one


class DeviceArray(Operators):
    """An array in the memory of a GPU: a result of an op or a graph there, or what opsrun.asarray has made.

    It has NumPy's operators and methods, which run on that GPU, and DLPack, so that PyTorch, JAX and CuPy use it without
    a copy. `numpy()`, and NumPy's functions, copy it to the memory of the CPU.

    Attributes:
        shape: The sizes.
        dtype: NumPy's dtype.
        device: The GPU, such as "gpu:0".
    """

    __slots__ = ("_native", "_number", "shape")
    _what = "an array on a GPU"
    _ops = ops

    def __init__(self, native: _native.DeviceArray) -> None:
        self._native = native
        self._number = native.dtype
        self.shape = native.shape

    @property
    def device(self) -> str:
        return f"gpu:{self._native.device[1]}"

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def view(self) -> DeviceArray:
        """The array itself, which is immutable."""
        return self

    def numpy(self) -> Any:
        """A copy in the memory of the CPU. Waits for the work that makes the array."""
        return _copy(self, "cpu")

    def to_device(self, device: str) -> Any:
        """A copy on a device: an array of NumPy for "cpu". The array itself if it is there already."""
        return self if device_name(device) == self.device else _copy(self, device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("an array on a GPU can only be copied to the memory of the CPU")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """For consumers of DLPack. stream: the one that will use the array; None: CUDA's default stream; -1: any, once the
        array is complete for the stream of opsrun."""
        if copy or dl_device not in (None, self._native.device):
            raise BufferError("an array on a GPU is exported as it is: use .to_device() to copy it")
        if stream == 0:
            raise ValueError("stream 0 is ambiguous: give 1 for CUDA's default stream, 2 for that of each thread, or None")
        consumer = _LEGACY if stream is None else 0 if stream == -1 else stream
        return self._native.capsule(consumer, max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._native.device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For Numba and CuPy, version 3: they wait for the stream."""
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._native.pointer, False), "strides": None,
                "stream": self._native.stream, "version": 3}

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __index__(self) -> int:
        return int(self.numpy().__index__())

    def item(self) -> Any:
        """The only element, as a number of Python."""
        return self.numpy().item()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        text = re.sub(r"^array\(|\)$", "", np.array_repr(self.numpy())) if self.size <= 1000 else f"shape={self.shape}, dtype={self.dtype}"
        return f"DeviceArray({text}, device={self.device!r})"


def asarray(value: Any, device: str | None = None) -> Any:
    """The value as an array, on a device.

    Args:
        value: An array of any package, a number or a list.
        device: "cpu", "gpu" or "gpu:1"; None: where it is. What is there already is not copied.
    """
    array = array_of(value, 0, "the value")
    if isinstance(array, DeviceArray):
        return array if device is None else array.to_device(device)
    return array if device in (None, "cpu") else _copy(array, str(device))


def device_name(device: str) -> str:
    """"gpu:0" for "gpu". Raises ValueError if it is not the name of a device."""
    if not isinstance(device, str) or not re.fullmatch(r"cpu|gpu(:\d+)?", device):
        raise ValueError(f"{device!r} is not the name of a device: use 'cpu', 'gpu' or 'gpu:1'")
    return "gpu:0" if device == "gpu" else device


def _copy(array: Any, device: str) -> Any:
    name = device_name(device)
    place = (1, 0) if name == "cpu" else (_CUDA, int(name[4:]))
    number = array._number if isinstance(array, DeviceArray) else _native.dtype_number(array.dtype)
    return _copier(number).run([array], place)[0]


@functools.cache
def _copier(number: int) -> _native.Graph:
    """A graph whose output is its feed: the engine copies it to where the output is wanted."""
    text = f"opsrun: 1\nfeeds: {{x: {{dtype: {NAMES[number]}}}}}\nnodes: {{}}\noutputs: {{y: x}}\n"
    return engine().load_text("copy of an array", text)

"""Data types: their names, opsrun's numbers, and NumPy's dtypes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opsrun import _native

# Names as in graph files, and the numbers of c_api.h.
NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8,
    "int64": 9, "bool": 10, "qint8": 11, "quint8": 12, "qint32": 13, "bfloat16": 14, "qint16": 15, "quint16": 16,
    "uint16": 17, "complex128": 18, "float16": 19, "resource": 20, "variant": 21, "uint32": 22, "uint64": 23,
    "float8_e5m2": 24, "float8_e4m3fn": 25, "float8_e4m3fnuz": 26, "float8_e4m3b11fnuz": 27, "float8_e5m2fnuz": 28,
}
NAMES = {number: name for name, number in NUMBERS.items()}
_OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "str": "string"}

# What quantized numbers are to NumPy.
QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
STRING = NUMBERS["string"]

# Types whose elements are objects of a plugin. There are no arrays of them, and no feeds.
OPAQUE = frozenset((NUMBERS["resource"], NUMBERS["variant"]))

# What a number may become without a loss of meaning: bool, integer, float, complex.
_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}


def number_of(dtype: Any) -> int:
    """The number of a data type: a name such as "float32", a NumPy dtype or type, or Python's bool, int and float.

    Raises TypeError for anything else.
    """
    if dtype is None or dtype is type:
        raise TypeError(f"{dtype!r} is not a data type of opsrun; use a NumPy dtype, or a name such as 'float32'")
    if isinstance(dtype, str):
        name = dtype.removeprefix("DT_").lower() if dtype.startswith("DT_") else dtype
        number = NUMBERS.get(_OTHER_NAMES.get(name, name))
        if number is not None:
            return number
    elif dtype is str or dtype is bytes:
        return STRING
    elif dtype is float:
        return NUMBERS["float32"]
    elif dtype is int:
        return NUMBERS["int32"]
    try:
        number = _native.dtype_number(np.dtype(dtype))
    except TypeError:
        number = 0
    if number == 0:
        raise TypeError(f"{dtype!r} is not a data type of opsrun; use a NumPy dtype, or a name such as 'float32'")
    return number


def dtype_of(number: int) -> np.dtype[Any]:
    """NumPy's dtype. Raises ImportError if it needs the package ml_dtypes, and TypeError if there is none."""
    if number == STRING:
        return np.dtype(object)
    return _native.numpy_dtype(number)


def kind_of(number: int) -> int:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex numbers, -1 for what is no number."""
    if number == STRING or number not in NAMES or number in OPAQUE:
        return -1
    return _KINDS.get(dtype_of(number).kind, -1)

"""Conversion of Python values to attr values.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from opsrun._values import Array, array_of, number_of


def attr_value(kind: str, value: Any, what: str) -> Any:
    """Converts the value of an attr for the extension module. kind: as in a spec, "int" or "list(shape)"."""
    if kind.startswith("list("):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"{what} must be a list, not {type(value).__name__}")
        return [attr_value(kind[5:-1], item, f"{what}[{i}]") for i, item in enumerate(elements_of(value, what))]
    try:
        return _SCALARS[kind](value)
    except (TypeError, ValueError, OverflowError) as problem:
        if kind == "type":
            raise TypeError(f"{what}: {problem}") from None
        if isinstance(problem, OverflowError):
            raise OverflowError(f"{what} does not fit {'int64' if kind in ('int', 'shape') else kind}: {value!r}") from None
        raise TypeError(f"{what} must be {_WORDS[kind]}, not {value!r}") from None


_MOST_ELEMENTS = 2**20  # as for constants in a graph


def elements_of(value: Any, what: str) -> list[Any]:
    """The elements of an iterable for a list attr. Raises ValueError if there are too many."""
    elements = list(itertools.islice(value, _MOST_ELEMENTS + 1))
    if len(elements) > _MOST_ELEMENTS:
        raise ValueError(f"{what} has more than {_MOST_ELEMENTS} elements")
    return elements


def _int(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError
    number = value.__index__()
    if not -(2**63) <= number < 2**63:
        raise OverflowError
    return int(number)


def _float(value: Any) -> float:
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError
    return float(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        raise TypeError
    return value


def _shape(value: Any) -> list[int] | None:
    if value is None:
        return None
    if hasattr(value, "__index__") or isinstance(value, (str, bytes)):
        raise TypeError
    return [-1 if size is None else _int(size) for size in itertools.islice(value, 256)]  # more than the library accepts


def _tensor(value: Any) -> Array:
    return array_of(value, 0, "the tensor")


_SCALARS = {"int": _int, "float": _float, "bool": _bool, "string": _bytes, "type": number_of, "shape": _shape,
            "tensor": _tensor, "func": _bytes}
_WORDS = {"int": "an int", "float": "a float", "bool": "True or False", "string": "a str or bytes", "type": "a data type",
          "shape": "a list of sizes, with None for unknown ones", "tensor": "an array or a number",
          "func": "the name of a function"}

"""The text of a graph file, from parts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import ctypes
import json
import math
import re
import struct
from decimal import Decimal
from typing import Any

import numpy as np

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off"}


class Plain(str):
    """A text that is no string in the graph file, such as .inf or 1+2j."""


def numbers(value: Any) -> Any:
    """Numbers of a JSON document, where those that JSON does not have are strings."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return Plain(value) if isinstance(value, str) else value


def texts(value: Any) -> Any:
    """Strings of a JSON document, where those that are not UTF-8 are {"base64": ...}. Numbers stay."""
    if isinstance(value, list):
        return [texts(item) for item in value]
    if isinstance(value, dict):
        encoded = value.get("base64")
        return base64.b64decode(encoded) if encoded is not None else {key: texts(item) for key, item in value.items()}
    return value


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Plain):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return f'!!binary "{base64.b64encode(value).decode()}"'
    if isinstance(value, str):
        return value if _PLAIN.match(value) and value.lower() not in _WORDS else _quoted(value)
    if isinstance(value, complex):
        sign = "" if math.copysign(1, value.imag) < 0 and value.imag == value.imag else "+"
        return f"{_float(value.real)}{sign}{_float(value.imag)}j"
    return _float(value) if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    """In double quotes, with escapes for what is no printable character."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
                   for c in json.dumps(text, ensure_ascii=False))


def _float(value: float) -> str:
    if value != value:
        return ".nan"
    if abs(value) == float("inf"):
        return ".inf" if value > 0 else "-.inf"
    between = struct.unpack("<Q", struct.pack("<d", value))[0] % 2**28 == 0 and ctypes.c_float(value).value != value
    return str(Decimal(value)) if between else repr(value)  # of two floats, one of which an attr becomes


def elements(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    """The elements as nested lists of plain values that give the same array again."""
    if array.dtype.kind in "fV" and array.dtype.itemsize < 4:
        return array.astype(np.float32).tolist()
    if array.dtype == np.float32:  # the shortest text that is this float32
        return _shortest(array)
    return array.tolist()


def _shortest(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    if array.ndim == 0:
        return float(str(np.float32(array[()])))
    return [_shortest(item) for item in array]


def section(name: str, entries: dict[str, Any]) -> str:
    """A section of a graph file, an entry a line."""
    if not entries:
        return ""
    return f"{name}:\n" + "".join(f"  {flow(key)}: {flow(value)}\n" for key, value in entries.items())

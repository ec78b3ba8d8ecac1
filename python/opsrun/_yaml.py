"""Graph files: their parts, and writing these as text.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import ctypes
import json
import math
import re
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from opsrun import _attrs
from opsrun._values import NAMES, number_of

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off"}


class Plain(str):
    """A scalar that is written without quotes and is not a string in the graph file, such as .inf or 1+2j."""


def numbers(value: Any) -> Any:
    """Converts the strings that stand for numbers in the library's JSON documents, such as ".inf", to numbers."""
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return Plain(value) if isinstance(value, str) else value


def texts(value: Any) -> Any:
    """Decodes {"base64": ...}, which stands for strings that are not UTF-8 in the library's JSON documents."""
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
    """In double quotes, with escapes for characters that are not printable."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
                   for c in json.dumps(text, ensure_ascii=False))


def _float(value: float) -> str:
    if value != value:
        return ".nan"
    if abs(value) == float("inf"):
        return ".inf" if value > 0 else "-.inf"
    between = struct.unpack("<Q", struct.pack("<d", value))[0] % 2**28 == 0 and ctypes.c_float(value).value != value
    return str(Decimal(value)) if between else repr(value)  # halfway between two floats: needs all digits


def elements(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    """The elements as nested lists of plain values that convert back to the same array."""
    if array.dtype.kind in "fV" and array.dtype.itemsize < 4:
        return array.astype(np.float32).tolist()
    if array.dtype == np.float32:  # the shortest text that gives this float32
        return _shortest(array)
    return array.tolist()


def _shortest(array: np.ndarray[Any, np.dtype[Any]]) -> Any:
    if array.ndim == 0:
        return float(str(np.float32(array[()])))
    return [_shortest(item) for item in array]


def section(name: str, entries: dict[str, Any]) -> str:
    """A section of a graph file, one line per entry."""
    if not entries:
        return ""
    return f"{name}:\n" + "".join(f"  {flow(key)}: {flow(value)}\n" for key, value in entries.items())


def map_refs(given: Any, function: Callable[[str], str]) -> Any:
    """The inputs of a node in a graph, with each reference replaced."""
    if isinstance(given, str):
        return function(given)
    if isinstance(given, list):
        return [map_refs(each, function) for each in given]
    return {name: map_refs(each, function) for name, each in given.items()}


def inputs_of(args: Sequence[Any], inputs: dict[str, Any]) -> Any:
    """The inputs as a person would write them: by position unless there are lists."""
    if len(inputs) == 0 or any(arg.list for arg in args):
        return inputs
    return list(inputs.values()) if len(inputs) > 1 else next(iter(inputs.values()))


def clean_name(wish: str) -> str:
    """The name with "_" in place of characters that names of graph files do not have."""
    clean = "".join(c if c.isascii() and c.isalnum() or c in "_-" else "_" for c in wish)
    return clean if clean[:1].isalpha() or clean[:1] == "_" else f"_{clean}"


def output_name(wish: str, taken: Sequence[tuple[str, str]]) -> str:
    """A name for an output that is not in `taken`."""
    name = clean = clean_name(wish)
    number = 1
    while any(name == other for other, _ in taken):
        number += 1
        name = f"{clean}_{number}"
    return name


def tensor(array: np.ndarray[Any, np.dtype[Any]], number: int) -> dict[str, Any]:
    """A tensor in the form of a graph file. If all elements are equal, the value is written once."""
    flat = array.reshape(-1)
    uniform = array.dtype.kind != "O" and array.size > 1 and flat.tobytes() == flat[0].tobytes() * flat.size
    if uniform:
        return {"fill": elements(flat[0].reshape(())), "shape": list(array.shape), "dtype": NAMES[number]}
    if array.size == 0 or (array.ndim > 1 and 0 in array.shape):
        return {"fill": 0, "shape": list(array.shape), "dtype": NAMES[number]}
    return {"value": elements(array), "dtype": NAMES[number]}


def attr(kind: str, value: Any, what: str) -> Any:
    """The value of an attr in the form of a graph file. what: names the attr in errors."""
    if kind.startswith("list("):
        values = _attrs.attr_value(kind, value, what)
        return [_written(kind[5:-1], item) for item in values]
    return _written(kind, _attrs.attr_value(kind, value, what))


def _written(kind: str, value: Any) -> Any:
    """A converted value."""
    if kind == "type":
        return NAMES[value]
    return tensor(value, number_of(value.dtype)) if kind == "tensor" else value


def _described_elements(described: dict[str, Any]) -> dict[str, Any]:
    """Converts the elements of a tensor from the library's description to the form of a graph file."""
    convert = texts if described.get("dtype") == "string" else numbers
    return {key: convert(described[key]) for key in ("value", "fill") if key in described}


def described_constant(described: dict[str, Any]) -> dict[str, Any]:
    """Converts a constant from the library's description to the form of a graph file."""
    feed = _described_elements(described)
    if "fill" in feed:
        feed["shape"] = described["shape"]
    feed["dtype"] = described["dtype"]
    return feed


def described_attr(kind: str, value: Any) -> Any:
    """Converts the value of an attr from the library's description to the form of a graph file."""
    if kind in ("float", "list(float)"):
        return numbers(value)
    if kind == "list(tensor)":
        return [described_attr("tensor", item) for item in value]
    return {**value, **_described_elements(value)} if kind == "tensor" and isinstance(value, dict) else texts(value)

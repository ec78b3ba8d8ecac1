"""Describes an op with its attrs and the types of its inputs as text, in the format of native/description.h.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from opsrun._values import STRING, number_of

_KINDS = {"int": 1, "float": 2, "bool": 3, "string": 4, "type": 5, "shape": 6, "tensor": 7, "func": 8}
_LIST = 0x100
# OPSRUN_LIST_*
SINGLE, LIST_ELEMENT, LIST_EMPTY = range(3)


def describe(op: str, inputs: list[tuple[str, int, int]], attrs: list[tuple[str, str, Any]]) -> str:
    """The description of a call.

    Args:
        op: "plugin.Op".
        inputs: The argument, the data type, and SINGLE or LIST_ELEMENT, for each tensor; the argument, 0 and LIST_EMPTY for
            an empty list.
        attrs: The name, the type in the spec, and the value as opsrun._attrs.attr_value gives it.

    Raises:
        TypeError: The value of an attr is a tensor of strings.
    """
    lines = [_quoted(op)]
    lines += [f"in {_quoted(name)} {number} {listed}" for name, number, listed in inputs]
    lines += [_attr(*attr) for attr in attrs]
    return "\n".join(lines)


def _attr(name: str, kind: str, value: Any) -> str:
    if kind.startswith("list("):
        words = [_word(kind[5:-1], item) for item in value]
        return " ".join(["attr", _quoted(name), str(_KINDS[kind[5:-1]] | _LIST), *words])
    return f"attr {_quoted(name)} {_KINDS[kind]} {_word(kind, value)}"


def _word(kind: str, value: Any) -> str:
    if kind == "float":
        return float(value).hex()
    if kind in ("string", "func"):
        return "'" + _quoted(value)
    if kind == "shape":
        return "[?]" if value is None else _sizes(value)
    if kind == "tensor":
        number = number_of(value.dtype)
        if number == STRING:
            raise TypeError("JAX has no tensors of strings, also not as the value of an attr")
        return f"{number}{_sizes(value.shape)}'{value.tobytes().hex()}"
    return str(int(value))


def _sizes(sizes: Any) -> str:
    return "[" + ",".join(str(size) for size in sizes) + "]"


def _quoted(text: str | bytes) -> str:
    return quote(text, safe="")

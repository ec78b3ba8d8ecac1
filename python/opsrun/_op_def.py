"""Ops as their plugins declare them, with the names that they have in Python.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import keyword
import re
from typing import Any

from opsrun import _yaml
from opsrun._values import NUMBERS


def snake_case(name: str) -> str:
    """The name of an op's function: MatMul is mat_mul, Conv2D is conv2d, and TFRecordReader is tf_record_reader."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z0-9_])(?=[A-Z][a-z])", "_", name)
    return words.replace(">", "_").lower()


class Names:
    """The names of a scope. What is taken, or a keyword, gets a "_" at its end."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def take(self, name: str) -> str:
        while keyword.iskeyword(name) or name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


class Arg:
    """An input or an output of an op."""

    def __init__(self, spec: dict[str, Any], names: Names) -> None:
        self.name: str = spec["name"]
        self.python_name = names.take(self.name)
        self.doc: str = spec["doc"]
        self.dtype = NUMBERS.get(spec["dtype"] or "", 0)
        self.type_attr: str | None = spec["type_attr"]
        self.type_list_attr: str | None = spec["type_list_attr"]
        self.number_attr: str | None = spec["number_attr"]
        self.list: bool = spec["list"]
        self.is_resource: bool = spec["dtype"] == "resource"
        self.is_variant: bool = spec["dtype"] == "variant"


class Attr:
    """An attr of an op."""

    def __init__(self, spec: dict[str, Any], names: Names) -> None:
        self.name: str = spec["name"]
        self.doc: str = spec["doc"]
        self.type: str = spec["type"]
        held = _yaml.texts if "string" in self.type else lambda value: value
        self.allowed: list[Any] | None = held(spec["allowed"])
        self.minimum: int | None = spec["minimum"]
        self.default: Any = held(spec["default"])
        self.has_default: bool = spec["has_default"]
        self.inferred = spec["given_by_input"] is not None
        self.python_name = self.name if self.inferred else names.take(self.name)


class OpDef:
    """An op as its plugin declares it."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.name: str = spec["name"]
        self.plugin: str = spec["plugin"]["name"]
        self.file: str = spec["plugin"]["file"]
        self.full_name = f"{self.plugin}.{self.name}"
        self.signature: str = spec["signature"]
        self.summary: str = spec["summary"]
        self.description: str = spec["description"]
        names, fields = Names("name"), Names()
        self.inputs = [Arg(each, names) for each in spec["inputs"]]
        self.outputs = [Arg(each, fields) for each in spec["outputs"]]
        self.attrs = [Attr(each, names) for each in spec["attrs"]]
        self.stateful: bool = spec["stateful"]
        self.deprecated: Any = spec["deprecated"]
        self.declares_gradient = bool(spec["gradient"]) or bool(spec["not_differentiable"])
        self.attr_of = {each.name: each for each in self.attrs}
        self.given_attrs = [each for each in self.attrs if not each.inferred]
        self.python_attrs = {each.python_name: each for each in self.given_attrs}

"""The PyTorch schema of an op: its name and arguments in PyTorch's schema language.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
from typing import Any

from opsrun._op_def import Names, OpDef

_TYPES = {"int": "int", "float": "float", "bool": "bool", "string": "str", "func": "str", "type": "ScalarType",
          "shape": "int[]", "tensor": "Tensor"}


def namespace(plugin: str) -> str:
    """The namespace of a plugin in torch.ops: acme.images becomes opsrun_acme_images."""
    return "opsrun_" + re.sub(r"\W", "_", plugin)


def operator_name(op: str) -> str:
    """The name of an op in the namespace: Ns>Op becomes Ns_Op."""
    return op.replace(">", "_")


class Schema:
    """An op's arguments: inputs, then attrs by keyword.

    Attributes:
        text: The schema without a name: "(Tensor to_zero, *, int? preserve_index=0) -> Tensor".
        inputs: For each input, its name in the op and whether it is a list.
        outputs: The same for outputs.
        attrs: For each attr, its name and its type in the spec.
        keywords: For each attr, the name of the argument.
    """

    def __init__(self, op: OpDef) -> None:
        self.inputs = [(arg.name, arg.list) for arg in op.inputs]
        self.outputs = [(arg.name, arg.list) for arg in op.outputs]
        self.attrs: list[tuple[str, str]] = []
        self.keywords: list[str] = []
        names = Names("self")
        arguments = [f"Tensor{'[]' if arg.list else ''} {names.take(arg.name)}" for arg in op.inputs]
        words_of_attrs = []
        for attr in op.given_attrs:
            word = _argument_type(attr.type)
            self.attrs.append((attr.name, attr.type))
            self.keywords.append(names.take(attr.name))
            words_of_attrs.append(_keyword(word, self.keywords[-1], attr.type, attr.default, attr.has_default))
        if words_of_attrs:
            arguments += ["*", *words_of_attrs]
        self.text = f"({', '.join(arguments)}) -> {_results(op)}"


def _argument_type(attr_type: str) -> str:
    listed = re.fullmatch(r"list\((\w+)\)", attr_type)
    return _TYPES[listed[1]] + "[]" if listed else _TYPES[attr_type]


# None stands for the op's default; schemas can only express simple values.
def _keyword(word: str, name: str, attr_type: str, default: Any, has_default: bool) -> str:
    if not has_default:
        return f"{word} {name}"
    if attr_type in ("int", "float", "bool", "string") and (text := _literal(attr_type, default)) is not None:
        return f"{word}? {name}={text}"
    return f"{word}? {name}=None"


def _literal(attr_type: str, value: Any) -> str | None:
    if attr_type == "string":
        return json.dumps(value) if isinstance(value, str) and value.isascii() and value.isprintable() else None
    if attr_type == "bool":
        return str(bool(value))
    if attr_type == "int":
        return str(int(value))
    number = float(value) if isinstance(value, (int, float)) else float("nan")
    return repr(number) if abs(number) < float("inf") else None


def _results(op: OpDef) -> str:
    results = [f"Tensor{'[]' if arg.list else ''}" for arg in op.outputs]
    return results[0] if len(results) == 1 else f"({', '.join(results)})"

"""The appearance of an op's function: its signature, annotations and documentation.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from typing import Any

from opsrun._op_def import Arg, Attr, OpDef
from opsrun._values import NAMES


def describe_function(function: Any, op: OpDef, module: str, last: tuple[str, str] | None) -> None:
    """Gives a function the name, signature, annotations and documentation of an op.

    Args:
        last: The name and description of an argument that is not an attr.
    """
    function.__name__ = function.__qualname__ = op.function_name
    function.__module__ = module
    function.__signature__ = _signature(op, last)
    function.__annotations__ = {name: parameter.annotation for name, parameter in
                                function.__signature__.parameters.items()}
    function.__doc__ = _documentation(op, last)


_WORDS = {"int": "int", "float": "float", "bool": "bool", "string": "str | bytes", "func": "str | bytes", "type": "DType",
          "shape": "Shape", "tensor": "Value"}
_FLOATS = {".inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


def _annotation(attr: Attr) -> str:
    """The annotation of an attr, with the names of opsrun.typing."""
    return f"Sequence[{_WORDS[attr.type[5:-1]]}]" if attr.type.startswith("list(") else _WORDS[attr.type]


def default_of(attr: Attr) -> Any:
    """The default value of an attr as a caller would write it; ... for a tensor, whose value stays in the plugin."""
    value = attr.default
    if "tensor" in attr.type:
        return ...
    if "float" in attr.type:
        return [_FLOATS.get(each, each) for each in value] if isinstance(value, list) else _FLOATS.get(value, value)
    return value


def _literal(value: Any) -> str:
    """A literal as `opsrun wrap --stubs` writes it; it does not escape as repr does."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str | bytes):
        text, mark, odd = (value, "", r"[\x00-\x1f\x7f]") if isinstance(value, str) else (
            value.decode("latin-1"), "b", r"[\x00-\x1f\x7f-\xff]")
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return mark + '"' + re.sub(odd, lambda found: f"\\x{ord(found[0]):02x}", escaped) + '"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return "..." if value is ... else repr(value)


def _signature(op: OpDef, last: tuple[str, str] | None) -> inspect.Signature:
    kinds = inspect.Parameter
    parameters = [kinds(each.python_name, kinds.POSITIONAL_OR_KEYWORD) for each in op.inputs]
    for attr in sorted(op.given_attrs, key=lambda each: each.has_default):
        default = default_of(attr) if attr.has_default else kinds.empty
        parameters.append(kinds(attr.python_name, kinds.KEYWORD_ONLY, default=default, annotation=_annotation(attr)))
    if last is not None:
        parameters.append(kinds(last[0], kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _documentation(op: OpDef, last: tuple[str, str] | None) -> str:
    lines = [op.summary or f"{op.name} of plugin {op.plugin}.", ""]
    if op.description:
        lines += [op.description, ""]
    lines.append("Args:")
    for arg in op.inputs:
        lines.append(_item(arg.python_name, _type_text(op, arg), arg.doc))
    for attr in op.given_attrs:
        lines.append(_item(attr.python_name, _attr_text(attr), attr.doc))
    if last is not None:
        lines.append(_item(*last, ""))
    lines += ["", "Returns:"]
    if not op.outputs:
        lines.append("    None.")
    elif len(op.outputs) == 1:
        output = op.outputs[0]
        lines.append(_item(output.name, _type_text(op, output), output.doc))
    else:
        lines.append(f"    A named tuple ({', '.join(op.result_type()._fields)}):")
        lines += [_item(output.name, _type_text(op, output), output.doc) for output in op.outputs]
    if op.deprecated:
        lines += ["", f"Deprecated: {op.deprecated}"]
    lines += ["", f"Op {op.full_name}: {op.signature}"]
    return "\n".join(lines)


def _item(name: str, kind: str, doc: str) -> str:
    text = re.sub(r"[ \t\n\v\f\r]+", " ", f"{name}: {kind}. {doc}").strip(" ")
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="        ", break_long_words=False,
                         break_on_hyphens=False)


def _type_text(op: OpDef, arg: Arg) -> str:
    attr = op.attr_of.get(arg.type_attr or arg.type_list_attr or "")
    if arg.dtype:
        kind = NAMES[arg.dtype]
    elif attr is not None and attr.allowed is not None:
        kind = f"{attr.name}, one of {', '.join(attr.allowed)}"
    else:
        kind = f"{attr.name}, any type" if attr is not None else "any type"
    return f"a list of tensors of type {kind}" if arg.list else f"a tensor of type {kind}"


def _attr_text(attr: Attr) -> str:
    text = attr.type
    if attr.allowed:
        text += f", one of {', '.join(_literal(each) if 'string' in attr.type else each for each in attr.allowed)}"
    if attr.minimum is not None:
        text += f", at least {attr.minimum}"
    return text + (f"; the default is {_literal(default_of(attr))}" if attr.has_default else "")

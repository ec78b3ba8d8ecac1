"""The appearance of an op's function: its signature, annotations and documentation.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import inspect
import math
import textwrap
from typing import Any

from opsrun._op_def import Attr, OpDef

_FLOATS = {".inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


def describe_function(function: Any, op: OpDef, module: str, last: tuple[str, str] | None) -> None:
    """Gives a function the name, signature, annotations and documentation of an op.

    Args:
        last: The name and description of an argument that is not an attr.
    """
    kinds = inspect.Parameter
    parameters = [kinds(each.python_name, kinds.POSITIONAL_OR_KEYWORD) for each in op.inputs]
    for attr in sorted(op.given_attrs, key=lambda each: each.has_default):
        default = _default_of(attr) if attr.has_default else kinds.empty
        parameters.append(kinds(attr.python_name, kinds.KEYWORD_ONLY, default=default, annotation=attr.annotation))
    text = ""
    if last is not None:
        parameters.append(kinds(last[0], kinds.KEYWORD_ONLY, default=None))
        text = textwrap.fill(f"{last[0]}: {last[1]}.", 100, initial_indent=" " * 4, subsequent_indent=" " * 8) + "\n"
    function.__name__ = function.__qualname__ = op.function_name
    function.__module__ = module
    function.__signature__ = inspect.Signature(parameters)
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    function.__doc__ = op.help[0] + text + op.help[1]


def _default_of(attr: Attr) -> Any:
    """The default value of an attr as a caller would write it; ... for a tensor, whose value stays in the plugin."""
    value = attr.default
    if "tensor" in attr.type:
        return ...
    if "float" in attr.type:
        return [_FLOATS.get(each, each) for each in value] if isinstance(value, list) else _FLOATS.get(value, value)
    return value

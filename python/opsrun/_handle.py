"""Handles of objects that ops share, such as tables and variables, outside of graphs; and what there is none of outside.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
from typing import Any

_numbers = itertools.count(1)


class Handle:
    """A shared object: what an op such as HashTable gives. It goes into ops that use the object, and into traced functions.

    The object is made when an op first uses it, and lives as long as the engine. In a graph the handle is a node with the
    same shared_name, by which the runs of all graphs of the engine find one object.
    """

    __slots__ = ("_op", "_attrs")

    def __init__(self, op: Any, attrs: dict[str, Any]) -> None:
        self._op = op
        self._attrs = dict(attrs)
        if not self._attrs.get("shared_name"):
            self._attrs["shared_name"] = f"{op.function_name}_of_python_{next(_numbers)}"

    def __repr__(self) -> str:
        return f"<opsrun.Handle {self._op.op.name} '{self._attrs['shared_name']}'>"


def makes_handle(op: Any) -> bool:
    """Whether the op does nothing but give a handle of an object with a name."""
    return not op.inputs and len(op.outputs) == 1 and op.outputs[0].is_resource and "shared_name" in op.attr_of


def is_for_graphs(op: Any) -> bool:
    """Whether the op gives what exists only while a graph runs: a variant, or a handle of an object without a name."""
    return any(each.is_resource or each.is_variant for each in op.outputs) and not makes_handle(op)


def only_in_graphs(op: Any) -> TypeError:
    """What is said of a call of such an op outside of a traced function."""
    what = "a variant" if any(each.is_variant for each in op.op.outputs) else "a handle of an object without a name"
    return TypeError(f"{op.function_name}() gives {what}, which exists only while a graph runs; call it in a function of "
                     "@opsrun.function, together with the ops that take what it gives")


def no_object(what: str, arg: Any, value: Any) -> TypeError:
    """What is said of a value that is none for an input of resources or variants."""
    wanted = ("a variant, which an op gives in a function of @opsrun.function" if arg.is_variant
              else "a handle of a shared object, as an op such as hash_table() gives it")
    return TypeError(f"{what} takes {wanted}, not {type(value).__name__}")

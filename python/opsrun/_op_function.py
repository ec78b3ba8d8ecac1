"""What a call of an op does when it looks like none before.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import collections
import re
from typing import Any

from opsrun import _native, _trace, _values
from opsrun._engine import engine
from opsrun._handle import Handle, is_for_graphs, makes_handle, no_object, only_in_graphs
from opsrun._op_def import Arg, OpDef, snake_case
from opsrun._values import NAMES, NUMBERS, QUANTIZED, number_of

_KINDS = {bool: "b", int: "i", float: "f"}


class OpFunction:
    """What a call of an op does when it looks like none before: find arrays, prepare the op, remember both."""

    def __init__(self, op: OpDef) -> None:
        self.op = op
        self.function_name = snake_case(op.name)
        no_list = all(not each.list for each in op.inputs)
        self.native = _native.Op(self._call, len(op.inputs) if no_list else -1)
        self._result_type: Any = None
        self._makes_handle = makes_handle(op)
        self._is_for_graphs = is_for_graphs(op)
        self._function: Any = None

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The inputs, in order, and the attrs that are given, by the names in the op. Raises TypeError."""
        op, name = self.op, self.function_name
        if len(args) > len(op.inputs):
            attrs = f"; attrs are given by name: {', '.join(op.python_attrs)}" if op.python_attrs else ""
            raise TypeError(f"{name}() takes {_count(len(op.inputs), 'input')} but {len(args)} were given{attrs}")
        values = list(args)
        rest = dict(kwargs)
        rest.pop("name", None)
        for arg in op.inputs[: len(args)]:
            if arg.python_name in rest:
                raise TypeError(f"{name}() got two values for input '{arg.python_name}'")
        for arg in op.inputs[len(args):]:
            if arg.python_name not in rest:
                raise TypeError(f"{name}() misses input '{arg.python_name}'")
            values.append(rest.pop(arg.python_name))
        found: dict[str, Any] = {}
        for key, value in rest.items():
            attr = op.python_attrs.get(key)
            if attr is None:
                raise TypeError(f"{name}() has no argument '{key}'; it has "
                                f"{', '.join([*(each.python_name for each in op.inputs), *op.python_attrs, 'name'])}")
            if value is None and attr.has_default:
                continue
            found[attr.name] = value
        for attr in op.given_attrs:
            if attr.name not in found and not attr.has_default:
                raise TypeError(f"{name}() misses attr '{attr.python_name}', of type {attr.type}")
        return values, found

    def arrays(self, values: list[Any]) -> tuple[list[Any], list[tuple[str, int, list[int], bool]]]:
        """The arrays of the inputs, lists flattened, and what the op is prepared for."""
        types_: dict[str, int] = {}
        flat: list[tuple[Arg, Any, str]] = []
        for arg, value in zip(self.op.inputs, values):
            what = f"input '{arg.python_name}' of {self.function_name}()"
            if arg.list:
                if isinstance(value, (str, bytes)) or not isinstance(value, (list, tuple)):
                    raise TypeError(f"{what} is a list of tensors, not {type(value).__name__}")
                flat.extend((arg, item, f"element {i} of {what}") for i, item in enumerate(value))
            else:
                flat.append((arg, value, what))
        found: list[Any] = [None] * len(flat)
        for i, (arg, value, what) in enumerate(flat):
            if isinstance(value, Handle):
                found[i] = value
            elif arg.is_resource or arg.is_variant:
                raise no_object(what, arg, value)
            elif _values.has_typed(value):
                found[i] = _values.typed_array(value, what).view()  # whose shape nobody else can change
                if arg.type_attr is not None:
                    types_.setdefault(arg.type_attr, number_of(found[i].dtype))
        self.agree([each for each, array in zip(flat, found) if array is None], types_)
        for i, (arg, value, what) in enumerate(flat):
            if found[i] is None:
                found[i] = _values.untyped_array(value, self.wanted(arg, types_), self.allowed(arg), what)
                if arg.type_attr is not None:
                    types_.setdefault(arg.type_attr, number_of(found[i].dtype))
        inputs = [(arg.name, self.number(arg, array), list(array.shape), arg.list)
                  for (arg, _, _), array in zip(flat, found) if not isinstance(array, Handle)]
        return found, inputs

    def agree(self, plain: list[tuple[Arg, Any, str]], types_: dict[str, int]) -> None:
        """Adds the types that plain values have in common, where no other argument has one."""
        values: dict[str, list[tuple[Arg, Any, str]]] = {}
        for arg, value, what in plain:
            if arg.type_attr is not None and arg.type_attr not in types_:
                values.setdefault(arg.type_attr, []).append((arg, value, what))
        for attr, several in values.items():
            common = len(several) > 1 and _values.common_type([each[1:] for each in several], self.allowed(several[0][0]))
            if common:
                types_[attr] = common

    @staticmethod
    def number(arg: Arg, array: Any) -> int:
        """Quantized numbers are integers to NumPy."""
        own = number_of(array.dtype)
        return arg.dtype if QUANTIZED.get(NAMES.get(arg.dtype, "")) == NAMES[own] else own

    def wanted(self, arg: Arg, types_: dict[str, int]) -> int:
        if arg.dtype:
            return arg.dtype
        return types_.get(arg.type_attr, 0) if arg.type_attr is not None else 0

    def allowed(self, arg: Arg) -> list[int] | None:
        attr = self.op.attr_of.get(arg.type_attr or arg.type_list_attr or "")
        if attr is None or attr.allowed is None:
            return None
        return [NUMBERS[name] for name in attr.allowed if name in NUMBERS]

    def attr_values(self, attrs: dict[str, Any]) -> list[tuple[str, str, Any]]:
        """The attrs as the extension module takes them."""
        return [(name, self.op.attr_of[name].type,
                 _values.attr_value(self.op.attr_of[name].type, value, f"attr '{name}' of {self.function_name}()"))
                for name, value in attrs.items()]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        values, attrs = self.bind(args, kwargs)
        trace = _trace.active_trace()
        if trace is not None and (self.op.stateful or self._is_for_graphs or any(_trace.is_traced(value) for value in values)):
            return trace.add_node(self, values, attrs, kwargs.get("name"))
        if self._is_for_graphs:
            raise only_in_graphs(self)
        if self._makes_handle:
            return Handle(self, attrs)
        if any(isinstance(value, Handle) for value in values):
            return self._call_with_handles(values, attrs)
        arrays, inputs = self.arrays(values)
        given = self.attr_values(attrs)
        prepared, pack = self._prepare(inputs, given)
        if not self.op.stateful:
            self.native._remember(prepared, kwargs, pack, self._kinds(values, arrays, inputs))
        results = prepared.call(arrays)
        return results[0] if pack is None else pack(results)

    def _call_with_handles(self, values: list[Any], attrs: dict[str, Any]) -> Any:
        """Runs the op in a graph of its own, together with the nodes that find the objects."""
        from opsrun._function import Function

        if self._function is None:
            def one_node(values: list[Any], attrs: dict[str, Any]) -> Any:
                trace = _trace.active_trace()
                assert trace is not None
                return trace.add_node(self, values, attrs, None)

            one_node.__name__ = self.function_name
            self._function = Function(one_node)
        arrays = iter(self.arrays(values)[0])
        found = [[next(arrays) for _ in value] if arg.list else next(arrays) for arg, value in zip(self.op.inputs, values)]
        return self._function(found, attrs)

    def _kinds(self, values: list[Any], arrays: list[Any], inputs: list[tuple[str, int, list[int], bool]]) -> str:
        """For each input: "b", "i" or "f" for a number of Python's, and "a" for an array, as the extension module has it."""
        if len(values) != len(arrays):
            return ""
        kinds = [_KINDS.get(type(value), "a") for value in values]
        # An int may be of a type only because of its size.
        large = (NUMBERS["int64"], NUMBERS["uint64"])
        return "".join("a" if kind == "i" and number in large and not self._has_wish(i, values) else kind
                       for i, (kind, (_, number, _, _)) in enumerate(zip(kinds, inputs)))

    def _has_wish(self, at: int, values: list[Any]) -> bool:
        """Whether the data type of an input follows from the op, or from an input that has one."""
        arg = self.op.inputs[at]
        return bool(arg.dtype) or any(other.type_attr == arg.type_attr and _values.has_typed(value)
                                      for other, value in zip(self.op.inputs, values))

    def _prepare(self, inputs: list[tuple[str, int, list[int], bool]],
                 given: list[tuple[str, str, Any]]) -> tuple[_native.Prepared, Any]:
        prepared = engine().prepare(self.op.full_name, inputs, given, self.op.stateful)
        return prepared, self.pack_for(prepared.output_names)

    def pack_for(self, names: list[str]) -> Any:
        """What makes the result of the flat list of outputs; None if the single output is the result."""
        outputs = self.op.outputs
        if len(outputs) == 1 and not outputs[0].list:
            return None
        if not outputs:
            return lambda results: None
        ends: list[tuple[bool, int, int]] = []
        at = 0
        for output in outputs:
            begin = at
            while at < len(names) and (names[at] == output.name or names[at].startswith(output.name + ".")):
                at += 1
                if not output.list:
                    break
            ends.append((output.list, begin, at))
        if len(outputs) == 1:
            return list
        result = self.result_type()

        def pack(results: list[Any]) -> Any:
            return result._make(results[begin:end] if is_list else results[begin] for is_list, begin, end in ends)

        return pack

    def result_type(self) -> Any:
        """The named tuple of several outputs."""
        if self._result_type is None:
            made: Any = collections.namedtuple  # its type depends on values
            self._result_type = made(re.sub(r"\W", "_", self.op.name), [each.python_name for each in self.op.outputs])
        return self._result_type


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"

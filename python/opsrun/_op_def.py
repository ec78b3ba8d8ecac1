"""Ops as their plugins declare them: their names in Python, the arguments of calls, their results, and their help.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import keyword
import math
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from opsrun import _values, _yaml
from opsrun._attrs import attr_value
from opsrun._refuse import did_you_mean
from opsrun._values import NAMES, NUMBERS, QUANTIZED, number_of


def snake_case(name: str) -> str:
    """The function name of an op: mat_mul for MatMul, conv2d for Conv2D, tf_record_reader for TFRecordReader."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z0-9_])(?=[A-Z][a-z])", "_", name)
    return words.replace(">", "_").lower()


class Names:
    """Unique names in a scope. Taken names and keywords get a "_" appended."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def take(self, name: str) -> str:
        while keyword.iskeyword(name) or name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


class Arg:
    """An input or an output of an op."""

    def __init__(self, spec: dict[str, Any], python_name: str) -> None:
        self.name: str = spec["name"]
        self.python_name = python_name
        self.dtype = NUMBERS.get(spec["dtype"] or "", 0)
        self.type_attr: str | None = spec["type_attr"]
        self.type_list_attr: str | None = spec["type_list_attr"]
        self.number_attr: str | None = spec["number_attr"]
        self.list: bool = spec["list"]
        self.is_resource: bool = spec["dtype"] == "resource"
        self.is_variant: bool = spec["dtype"] == "variant"


class Attr:
    """An attr of an op."""

    def __init__(self, spec: dict[str, Any], python: dict[str, str] | None) -> None:
        self.name: str = spec["name"]
        self.type: str = spec["type"]
        held = _yaml.texts if "string" in self.type else lambda value: value
        self.allowed: list[Any] | None = held(spec["allowed"])
        self.default: Any = held(spec["default"])
        self.has_default: bool = spec["has_default"]
        self.inferred = python is None
        self.python_name = self.name if python is None else python["name"]
        self.annotation = "" if python is None else python["annotation"]


class OpDef:
    """An op as its plugin declares it."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.name: str = spec["name"]
        self.plugin: str = spec["plugin"]["name"]
        self.file: str = spec["plugin"]["file"]
        self.full_name = f"{self.plugin}.{self.name}"
        python = spec["python"]
        self.function_name: str = python["function"]
        self.help: list[str] = python["help"]
        self.inputs = [Arg(*each) for each in zip(spec["inputs"], python["inputs"])]
        self.outputs = [Arg(*each) for each in zip(spec["outputs"], python["outputs"])]
        self.attrs = [Attr(each, python["attrs"].get(each["name"])) for each in spec["attrs"]]
        self.stateful: bool = spec["stateful"]
        self.declares_gradient = bool(spec["gradient"]) or bool(spec["not_differentiable"])
        # How it treats batches, if it says so: "inputs" and "outputs" have the number of dimensions that it works on.
        self.batch: dict[str, Any] | None = spec["batch"]
        self.attr_of = {each.name: each for each in self.attrs}
        self.given_attrs = [each for each in self.attrs if not each.inferred]
        self.python_attrs = {each.python_name: each for each in self.given_attrs}
        # True if it only returns a handle of a named object.
        self.makes_handle = (not self.inputs and len(self.outputs) == 1 and self.outputs[0].is_resource
                             and "shared_name" in self.attr_of)
        # True if it returns a value that exists only during a run: a variant, or a handle of an unnamed object.
        self.is_for_graphs = any(each.is_resource or each.is_variant for each in self.outputs) and not self.makes_handle
        self._result_type: Any = None

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The inputs in order, and the given attrs by their names in the op. Raises TypeError."""
        name = self.function_name
        if len(args) > len(self.inputs):
            attrs = f"; attrs are given by name: {', '.join(self.python_attrs)}" if self.python_attrs else ""
            raise TypeError(f"{name}() takes {_count(len(self.inputs), 'input')} but {len(args)} were given{attrs}")
        values = list(args)
        rest = dict(kwargs)
        rest.pop("name", None)
        known = [*(each.python_name for each in self.inputs), *self.python_attrs, "name"]
        for key in rest:
            if key not in known:
                numpy = "; opsrun.numpy has functions with NumPy's arguments" if key in ("axis", "axes", "keepdims") else ""
                raise TypeError(f"{name}() got an unexpected argument '{key}'{did_you_mean(key, known, 'arguments')}{numpy}")
        for arg in self.inputs[: len(args)]:
            if arg.python_name in rest:
                raise TypeError(f"{name}() got two values for input '{arg.python_name}'")
        for arg in self.inputs[len(args):]:
            if arg.python_name not in rest:
                raise TypeError(f"{name}() is missing a required argument: '{arg.python_name}'")
            values.append(rest.pop(arg.python_name))
        found: dict[str, Any] = {}
        for key, value in rest.items():
            attr = self.python_attrs[key]
            if value is None and attr.has_default:
                continue
            found[attr.name] = value
        for attr in self.given_attrs:
            if attr.name not in found and not attr.has_default:
                raise TypeError(f"{name}() is missing a required argument: '{attr.python_name}', of type {attr.type}")
        return values, found

    def flat(self, values: list[Any]) -> list[tuple[Arg, Any, str]]:
        """The input values, lists flattened, each with its input and a description for errors."""
        flat: list[tuple[Arg, Any, str]] = []
        for arg, value in zip(self.inputs, values):
            what = f"input '{arg.python_name}' of {self.function_name}()"
            if not arg.list:
                flat.append((arg, value, what))
            elif isinstance(value, (list, tuple)):
                flat.extend((arg, item, f"element {i} of {what}") for i, item in enumerate(value))
            else:
                raise TypeError(f"{what} is a list of tensors, not {type(value).__name__}")
        return flat

    def grouped(self, values: list[Any], flat: Iterable[Any]) -> list[Any]:
        """Replacements of the flattened values, in lists again where the inputs are lists."""
        each = iter(flat)
        return [[next(each) for _ in value] if arg.list else next(each) for arg, value in zip(self.inputs, values)]

    def arrays(self, values: list[Any], typed: Callable[[Arg, Any, str], Any],
               untyped: Callable[[Any, int, list[int] | None, str], Any]) -> list[tuple[Arg, Any]]:
        """The input arrays, lists flattened, each with its input.

        Args:
            typed: Makes an array of a value that has a data type; None of any other.
            untyped: Makes an array of any other value.
        """
        types_: dict[str, int] = {}
        flat = self.flat(values)
        found = [typed(*each) for each in flat]

        def note_type(arg: Arg, array: Any) -> None:
            if arg.type_attr is not None and hasattr(array, "dtype"):
                types_.setdefault(arg.type_attr, number_of(array.dtype))

        for (arg, _, _), array in zip(flat, found):
            note_type(arg, array)
        self.agree([each for each, array in zip(flat, found) if array is None], types_)
        for i, (arg, value, what) in enumerate(flat):
            if found[i] is None:
                found[i] = untyped(value, self.wanted(arg, types_), self.allowed(arg), what)
                note_type(arg, found[i])
        return [(arg, array) for (arg, _, _), array in zip(flat, found)]

    def agree(self, plain: list[tuple[Arg, Any, str]], types_: dict[str, int]) -> None:
        """Adds a common type for plain values that share a type attr, unless another argument determines it."""
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
        """The data type of an array for an input. NumPy has integers in place of quantized types."""
        own = number_of(array.dtype)
        return arg.dtype if QUANTIZED.get(NAMES.get(arg.dtype, "")) == NAMES[own] else own

    def wanted(self, arg: Arg, types_: dict[str, int]) -> int:
        if arg.dtype:
            return arg.dtype
        return types_.get(arg.type_attr, 0) if arg.type_attr is not None else 0

    def allowed(self, arg: Arg) -> list[int] | None:
        attr = self.attr_of.get(arg.type_attr or arg.type_list_attr or "")
        if attr is None or attr.allowed is None:
            return None
        return [NUMBERS[name] for name in attr.allowed if name in NUMBERS]

    def attr_values(self, attrs: dict[str, Any]) -> list[tuple[str, str, Any]]:
        """The attrs in the form that the extension module takes."""
        return [(name, self.attr_of[name].type,
                 attr_value(self.attr_of[name].type, value, f"attr '{name}' of {self.function_name}()"))
                for name, value in attrs.items()]

    def written_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The attrs in the form of a graph file."""
        return {name: _yaml.attr(self.attr_of[name].type, value, f"attr '{name}' of {self.function_name}()")
                for name, value in attrs.items()}

    def call_text(self, given: list[tuple[Arg, Any]], attrs: dict[str, Any]) -> str:
        """A call as a graph file: see opsrun_engine_read_op. given: as returned by arrays."""
        feeds: dict[str, Any] = {}
        inputs: dict[str, Any] = {arg.name: [] for arg in self.inputs}
        for arg, array in given:
            name = f"x{len(feeds)}"
            feeds[name] = {"dtype": NAMES[self.number(arg, array)]}
            inputs[arg.name] = [*inputs[arg.name], name] if arg.list else name
        node = {"op": self.full_name, "in": inputs, "attrs": self.written_attrs(attrs)}
        node = {key: value for key, value in node.items() if value}
        return "opsrun: 1\n" + _yaml.section("feeds", feeds) + _yaml.section("nodes", {"Call": node})

    def call_title(self, given: Iterable[tuple[Arg, int, Any]], attrs: dict[str, Any]) -> str:
        """A call for messages: "mat_mul(a: float64 [2, 3], transpose_a=True)". given: inputs with types and shapes."""
        parts = [f"{arg.python_name}: {NAMES[number]} " + ("?" if shape is None else str(list(shape)).replace("None", "?"))
                 for arg, number, shape in given]
        parts += [f"{self.attr_of[name].python_name}={value!r:.60}" for name, value in attrs.items()]
        return f"{self.function_name}({', '.join(parts)})"

    def pack_for(self, names: list[str]) -> Any:
        """A function that converts the flat list of outputs to the result; None if the single output is the result."""
        outputs = self.outputs
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
        """The namedtuple for several outputs."""
        if self._result_type is None:
            self._result_type = _named_tuple(re.sub(r"\W", "_", self.name), tuple(each.python_name for each in self.outputs))
        return self._result_type


@functools.cache
def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    made: Any = collections.namedtuple  # its type depends on values
    type_ = made(name, fields)
    type_.__reduce__ = lambda self: (_tuple_again, (name, fields, tuple(self)))
    return type_


def _tuple_again(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """For pickle: a result with its names, without its plugin."""
    return _named_tuple(name, fields)._make(values)


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


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


_FLOATS = {".inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


def _default_of(attr: Attr) -> Any:
    """The default value of an attr as a caller would write it; ... for a tensor, whose value stays in the plugin."""
    value = attr.default
    if "tensor" in attr.type:
        return ...
    if "float" in attr.type:
        return [_FLOATS.get(each, each) for each in value] if isinstance(value, list) else _FLOATS.get(value, value)
    return value


_numbers = itertools.count(1)


class Handle:
    """A shared object, as returned by an op such as HashTable. Pass it to ops that use the object, or to traced
    functions.

    The object is created on first use and lives as long as the engine. In a graph, the handle is a node with the same
    shared_name, so that runs of all graphs of the engine use the same object.
    """

    __slots__ = ("_op", "_attrs")

    def __init__(self, op: OpDef, attrs: dict[str, Any]) -> None:
        self._op = op
        self._attrs = dict(attrs)
        if not self._attrs.get("shared_name"):
            self._attrs["shared_name"] = f"{op.function_name}_of_python_{next(_numbers)}"

    def __repr__(self) -> str:
        return f"<opsrun.Handle {self._op.name} '{self._attrs['shared_name']}'>"


def no_object(what: str, arg: Arg, value: Any) -> TypeError:
    """The error for a value that is not an object, given to an input that takes resources or variants."""
    wanted = ("a variant, which an op returns in a function of @opsrun.function" if arg.is_variant
              else "a handle of a shared object, such as the result of hash_table()")
    return TypeError(f"{what} takes {wanted}, not {type(value).__name__}")

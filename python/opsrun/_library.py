"""Ops as Python functions, and modules of them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import collections
import inspect
import json
import keyword
import math
import os
import re
import textwrap
import threading
import types
from typing import Any

from opsrun import _native, _trace, _values
from opsrun._engine import engine
from opsrun._handle import Handle, makes_handle, no_handle
from opsrun._paths import path_text
from opsrun._types import NAMES, NUMBERS, QUANTIZED, number_of


def snake_case(name: str) -> str:
    """The name of an op's function: MatMul is mat_mul, Conv2D is conv2d, and TFRecordReader is tf_record_reader."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z0-9_])(?=[A-Z][a-z])", "_", name)
    return words.replace(">", "_").lower()


class _Names:
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

    def __init__(self, spec: dict[str, Any], names: _Names) -> None:
        self.name: str = spec["name"]
        self.python_name = names.take(self.name)
        self.doc: str = spec["doc"]
        self.dtype = NUMBERS.get(spec["dtype"] or "", 0)
        self.type_attr: str | None = spec["type_attr"]
        self.type_list_attr: str | None = spec["type_list_attr"]
        self.number_attr: str | None = spec["number_attr"]
        self.list: bool = spec["list"]
        self.is_resource: bool = spec["dtype"] == "resource"


class Attr:
    """An attr of an op."""

    def __init__(self, spec: dict[str, Any], names: _Names) -> None:
        self.name: str = spec["name"]
        self.doc: str = spec["doc"]
        self.type: str = spec["type"]
        self.allowed: list[Any] | None = spec["allowed"]
        self.minimum: int | None = spec["minimum"]
        self.default: Any = spec["default"]
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
        names, fields = _Names("name"), _Names()
        self.inputs = [Arg(each, names) for each in spec["inputs"]]
        self.outputs = [Arg(each, fields) for each in spec["outputs"]]
        self.attrs = [Attr(each, names) for each in spec["attrs"]]
        self.stateful: bool = spec["stateful"]
        self.deprecated: Any = spec["deprecated"]
        self.declares_gradient = bool(spec["gradient"]) or bool(spec["not_differentiable"])
        self.attr_of = {each.name: each for each in self.attrs}
        self.given_attrs = [each for each in self.attrs if not each.inferred]
        self.python_attrs = {each.python_name: each for each in self.given_attrs}


_KINDS = {bool: "b", int: "i", float: "f"}


class OpFunction:
    """What a call of an op does when it looks like none before: find arrays, prepare the op, remember both."""

    def __init__(self, op: OpDef) -> None:
        self.op = op
        self.function_name = snake_case(op.name)
        self._prepared: dict[Any, tuple[_native.Prepared, Any]] = {}
        no_list = all(not each.list for each in op.inputs)
        self.native = _native.Op(self._call, len(op.inputs) if no_list else -1)
        self._result_type: Any = None
        self._makes_handle = makes_handle(op)
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
            elif arg.is_resource:
                raise no_handle(what, value)
            elif _values.has_typed(value):
                found[i] = _values.typed_array(value, what).view()  # whose shape nobody else can change
                if arg.type_attr is not None:
                    types_.setdefault(arg.type_attr, number_of(found[i].dtype))
        for i, (arg, value, what) in enumerate(flat):
            if found[i] is None:
                found[i] = _values.untyped_array(value, self.wanted(arg, types_), self.allowed(arg), what)
                if arg.type_attr is not None:
                    types_.setdefault(arg.type_attr, number_of(found[i].dtype))
        inputs = [(arg.name, self._number(arg, array), list(array.shape), arg.list)
                  for (arg, _, _), array in zip(flat, found) if not isinstance(array, Handle)]
        return found, inputs

    @staticmethod
    def _number(arg: Arg, array: Any) -> int:
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
        if trace is not None and (self.op.stateful or any(_trace.is_traced(value) for value in values)):
            return trace.add_node(self, values, attrs, kwargs.get("name"))
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


def make_function(op: OpDef, module: str) -> Any:
    """The function of an op, with its name, signature, annotations and documentation."""
    made = OpFunction(op)
    function = made.native
    function.__name__ = function.__qualname__ = made.function_name
    function.__module__ = module
    function.__signature__ = _signature(made)
    function.__annotations__ = {name: parameter.annotation for name, parameter in
                                function.__signature__.parameters.items()}
    function.__doc__ = _documentation(made)
    function.__wrapped_op__ = made
    return function


_WORDS = {"int": "int", "float": "float", "bool": "bool", "string": "str | bytes", "func": "str | bytes", "type": "DType",
          "shape": "Shape", "tensor": "Value"}
_FLOATS = {".inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


def _annotation(attr: Attr) -> str:
    """With the names of opsrun.typing."""
    return f"Sequence[{_WORDS[attr.type[5:-1]]}]" if attr.type.startswith("list(") else _WORDS[attr.type]


def default_of(attr: Attr) -> Any:
    """The default value of an attr, as a caller would write it; ... for a tensor, which stays in the plugin."""
    value = attr.default
    if "tensor" in attr.type:
        return ...
    if "float" in attr.type:
        return [_FLOATS.get(each, each) for each in value] if isinstance(value, list) else _FLOATS.get(value, value)
    return value


def _literal(value: Any) -> str:
    """As `opsrun wrap --stubs` writes it, which does not know what repr escapes."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\x{ord(found[0]):02x}", escaped) + '"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return "..." if value is ... else repr(value)


def _signature(made: OpFunction) -> inspect.Signature:
    kinds = inspect.Parameter
    parameters = [kinds(each.python_name, kinds.POSITIONAL_OR_KEYWORD) for each in made.op.inputs]
    for attr in sorted(made.op.given_attrs, key=lambda each: each.has_default):
        default = default_of(attr) if attr.has_default else kinds.empty
        parameters.append(kinds(attr.python_name, kinds.KEYWORD_ONLY, default=default, annotation=_annotation(attr)))
    parameters.append(kinds("name", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters)


def _documentation(made: OpFunction) -> str:
    op = made.op
    lines = [op.summary or f"{op.name} of plugin {op.plugin}.", ""]
    if op.description:
        lines += [op.description, ""]
    lines.append("Args:")
    for arg in op.inputs:
        lines.append(_item(arg.python_name, _type_text(op, arg), arg.doc))
    for attr in op.given_attrs:
        lines.append(_item(attr.python_name, _attr_text(attr), attr.doc))
    lines.append(_item("name", "a name for the node, if a function is traced", ""))
    lines += ["", "Returns:"]
    if not op.outputs:
        lines.append("    None.")
    elif len(op.outputs) == 1:
        output = op.outputs[0]
        lines.append(_item(output.name, _type_text(op, output), output.doc))
    else:
        lines.append(f"    A named tuple ({', '.join(made.result_type()._fields)}):")
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


class OpModule(types.ModuleType):
    """The ops of one plugin as functions, which are made when they are asked for.

    Attributes:
        OP_LIST: The names of the ops.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    LIB_PATH: str

    def __init__(self, name: str, plugin: str, path: str, ops: tuple[str, ...]) -> None:
        super().__init__(name, f"Ops of plugin {plugin}, {path}.")
        self._plugin = plugin
        self.OP_LIST = tuple(op for op in ops if not op.startswith("_"))
        self.LIB_PATH = path
        names = _Names()
        self._names = {names.take(snake_case(op)): op for op in self.OP_LIST}
        self.__all__ = sorted(self._names)

    def __getattr__(self, name: str) -> Any:
        op = self.__dict__.get("_names", {}).get(name)
        if op is None:
            raise AttributeError(f"plugin '{self.__dict__.get('_plugin')}' has no op '{name}'; it has "
                                 f"{', '.join(self.__dict__.get('__all__', []))}")
        spec = json.loads(engine().describe(f"{self._plugin}.{op}"))
        function = make_function(OpDef(spec), self.__name__)
        setattr(self, name, function)
        return function

    def __dir__(self) -> list[str]:
        return [*self.__all__, "OP_LIST", "LIB_PATH"]


def find_op(full_name: str) -> OpFunction:
    """The op PLUGIN.NAME."""
    return OpFunction(OpDef(json.loads(engine().describe(full_name))))


_modules: dict[str, OpModule] = {}
_lock = threading.Lock()


def module_of(plugin: str, path: str, ops: tuple[str, ...], name: str) -> OpModule:
    """The module of a plugin; the same one for the same file."""
    real = os.path.realpath(path)
    with _lock:
        if real not in _modules:
            _modules[real] = OpModule(name, plugin, path, ops)
        return _modules[real]


def load_op_library(path: str | os.PathLike[str]) -> OpModule:
    """Opens a plugin file and returns a module with one function for each of its ops.

    The same file gives the same module. A plugin of that name that is installed is hidden by it, unless it is in use.

    Raises:
        opsrun.errors.FailedPreconditionError: The plugin is refused, or there is no such file; the text says why, and what to
            do.
    """
    file = os.path.abspath(path_text(path))
    engine().add_plugin(file)
    real = os.path.realpath(file)
    for name, _, found, state, _, _, ops in engine().plugins():
        if state == "ok" and os.path.realpath(found) == real:
            return module_of(name, found, ops, name)
    raise RuntimeError(f"{file} was opened, but it is not among the plugins")

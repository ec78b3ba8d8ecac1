"""Ops as functions, and modules that contain them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import copyreg
import json
import os
import threading
import types
import weakref
from typing import Any

from opsrun import _native, _values
from opsrun._compile import TracedFunction, forget_graphs
from opsrun._engine import engine, path_text
from opsrun._op_def import Arg, Handle, Names, OpDef, describe_function, no_object, snake_case
from opsrun._refuse import did_you_mean
from opsrun._trace import active_trace, is_traced
from opsrun._values import NUMBERS
from opsrun._worker import digest_of
from opsrun.errors import Error, FailedPreconditionError, MissingFileError, NotFoundError

_KINDS = {bool: "b", int: "i", float: "f"}


_made: weakref.WeakSet[OpFunction] = weakref.WeakSet()


class OpFunction:
    """The slow path of an op's calls: finds arrays, prepares the op, and registers both for the fast path."""

    def __init__(self, op: OpDef) -> None:
        self.op = op
        no_list = all(not each.list for each in op.inputs)
        self.native = _native.Op(self._call, len(op.inputs) if no_list else -1)
        self._function: TracedFunction | None = None
        self._reloaded = False  # it is of a file that opsrun.reload has replaced
        _made.add(self)

    def end(self) -> None:
        """From now on, calls fail: the op of that name has other code."""
        self._reloaded = True
        self.native._forget()

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], failed: Exception | None = None) -> Any:
        """failed: what a call on the fast path has raised, to be raised again in the words of the call."""
        if self._reloaded:
            raise FailedPreconditionError(f"this {self.op.function_name}() is of a file that opsrun.reload() has replaced since; call "
                                          f"the function of the module: lib.{self.op.function_name}()")
        values, attrs = self.op.bind(args, kwargs)
        trace = active_trace()
        if trace is not None and (self.op.stateful or self.op.is_for_graphs or any(is_traced(value) for value in values)):
            return trace.add_node(self.op, values, attrs, kwargs.get("name"))
        if self.op.is_for_graphs:
            what = "a variant" if any(each.is_variant for each in self.op.outputs) else "a handle of an object without a name"
            raise TypeError(f"{self.op.function_name}() returns {what}, which exists only while a graph runs; call it in a function of "
                            "@opsrun.function, together with the ops that use it")
        if self.op.makes_handle:
            return Handle(self.op, attrs)
        if any(isinstance(each, Handle) for value in values for each in (value if isinstance(value, (list, tuple)) else [value])):
            return self._call_with_handles(values, attrs)
        given = self.op.arrays(values, _typed, _values.untyped_array)
        inputs = [(arg.name, self.op.number(arg, array), list(array.shape), arg.list) for arg, array in given]
        arrays = [array for _, array in given]
        try:
            if failed is not None:
                raise failed
            device = _values.device_of(arrays)
            prepared = engine().prepare(self.op.full_name, inputs, self.op.attr_values(attrs), self.op.stateful, device)
            pack = self.op.pack_for(prepared.output_names)
            results = prepared.call(arrays)
        except Error as error:
            types = [(arg, number, shape) for (arg, _), (_, number, shape, _) in zip(given, inputs)]
            raise error.in_call(self.op.call_title(types, attrs)) from None
        if not self.op.stateful and not device:
            self.native._remember(prepared, kwargs, pack, self._kinds(values, arrays, inputs))
        return results[0] if pack is None else pack(results)

    def _call_with_handles(self, values: list[Any], attrs: dict[str, Any]) -> Any:
        """Runs the op in a graph together with the nodes that create the handles."""
        if self._function is None:
            def one_node(values: list[Any], attrs: dict[str, Any]) -> Any:
                trace = active_trace()
                assert trace is not None
                return trace.add_node(self.op, values, attrs, None)

            one_node.__name__ = self.op.function_name
            self._function = TracedFunction(one_node)
        given = self.op.arrays(values, _typed, _values.untyped_array)
        found = self.op.grouped(values, (array for _, array in given))
        compiled, fed = self._function.compile({"values": found, "attrs": attrs})
        return compiled.run(fed)

    def _kinds(self, values: list[Any], arrays: list[Any], inputs: list[tuple[str, int, list[int], bool]]) -> str:
        """For each input the kind that the extension module uses: "b", "i" or "f" for a Python number, "a" for an
        array."""
        if len(values) != len(arrays):
            return ""
        kinds = [_KINDS.get(type(value), "a") for value in values]
        # The type of an int may depend on its size.
        large = (NUMBERS["int64"], NUMBERS["uint64"])
        return "".join("a" if kind == "i" and number in large and not self._has_wish(i, values) else kind
                       for i, (kind, (_, number, _, _)) in enumerate(zip(kinds, inputs)))

    def _has_wish(self, at: int, values: list[Any]) -> bool:
        """True if the data type of an input follows from the op, or from another input with a data type."""
        arg = self.op.inputs[at]
        return bool(arg.dtype) or any(other.type_attr == arg.type_attr and _values.has_typed(value)
                                      for other, value in zip(self.op.inputs, values))


def _typed(arg: Arg, value: Any, what: str) -> Any:
    """The array of a value that has a data type; a handle itself; otherwise None."""
    if isinstance(value, Handle):
        return value
    if arg.is_resource or arg.is_variant:
        raise no_object(what, arg, value)
    return _values.typed_array(value, what).view() if _values.has_typed(value) else None  # others cannot reshape a view


def make_function(op: OpDef, module: str) -> Any:
    """The function of an op, with its name, signature, annotations and documentation."""
    made = OpFunction(op)
    describe_function(made.native, op, module, ("name", "a name for the node, if a function is traced"))
    made.native.__wrapped_op__ = made
    return made.native


class OpModule(types.ModuleType):
    """The ops of one plugin as functions, created on first use.

    Attributes:
        OP_LIST: The names of the ops.
        LIB_PATH: The path of the plugin's file.
    """

    OP_LIST: tuple[str, ...]
    LIB_PATH: str

    def __init__(self, name: str, plugin: str, path: str, ops: tuple[str, ...]) -> None:
        super().__init__(name, f"Ops of plugin {plugin}, {path}.")
        self._plugin = plugin
        self.LIB_PATH = path
        self._take(ops)

    def _take(self, ops: tuple[str, ...]) -> None:
        """Has these ops from now on; functions that were made are dropped."""
        for made in self.__dict__.get("_names", {}):
            self.__dict__.pop(made, None)
        self.OP_LIST = tuple(op for op in ops if not op.startswith("_"))
        names = Names()
        self._names = {names.take(snake_case(op)): op for op in self.OP_LIST}
        self.__all__ = sorted(self._names)

    def __getattr__(self, name: str) -> Any:
        op = self.__dict__.get("_names", {}).get(name)
        if op is None:
            raise AttributeError(f"plugin '{self.__dict__.get('_plugin')}' has no op '{name}'"
                                 f"{did_you_mean(name, self.__dict__.get('__all__', []), 'ops')}")
        function = self._make(op)
        setattr(self, name, function)
        return function

    def _make(self, op: str) -> Any:
        return make_function(find_op(f"{self._plugin}.{op}"), self.__name__)

    def __dir__(self) -> list[str]:
        return [*self.__all__, "OP_LIST", "LIB_PATH"]

    def __reduce__(self) -> Any:
        """For pickle: by the plugin's name and content."""
        return _module_again, _pickled(self)


def _module_again(plugin: str, path: str, digest: str) -> OpModule:
    """For pickle: the module of the installed plugin of that name, or of the file, with the same content."""
    for name, _, found, state, _, _, ops in engine().plugins():
        if name == plugin and state == "ok" and digest_of(found) == digest:
            return module_of(name, found, ops, f"opsrun.ops.{name}")
    if os.path.exists(path) and digest_of(path) == digest:
        return load_op_library(path)
    raise NotFoundError(f"plugin '{plugin}' was pickled from {path}, and no plugin here has that content")


def _pickled(module: OpModule) -> tuple[str, str, str]:
    return module._plugin, module.LIB_PATH, digest_of(module.LIB_PATH)


def _function_again(module: tuple[str, str, str], name: str) -> Any:
    return getattr(_module_again(*module), name)


def _reduce_function(function: Any) -> Any:
    op = function.__wrapped_op__.op
    return _function_again, (_pickled(module_of(op.plugin, op.file, (), "")), function.__name__)


copyreg.pickle(_native.Op, _reduce_function)


def find_op(full_name: str) -> OpDef:
    """The op PLUGIN.NAME."""
    return OpDef(json.loads(engine().describe(full_name)))


_modules: dict[str, OpModule] = {}
_attached: dict[str, str] = {}  # by the real path of a library
_lock = threading.Lock()


def module_of(plugin: str, path: str, ops: tuple[str, ...], name: str) -> OpModule:
    """The module of a plugin; a file has one module."""
    real = os.path.realpath(path)
    with _lock:
        if real not in _modules:
            _modules[real] = OpModule(name, plugin, path, ops)
        return _modules[real]


def load_op_library(path: str | os.PathLike[str]) -> OpModule:
    """Opens a plugin and returns a module with one function for each of its ops.

    The same file gives the same module. An installed plugin of the same name is hidden, unless it is in use.

    Args:
        path: A file; or the name of an installed plugin, such as "math_ops".

    Raises:
        opsrun.errors.MissingFileError: There is no such file; it is a FileNotFoundError, too.
        opsrun.errors.FailedPreconditionError: The plugin is refused, or the file has changed since it was loaded. The
            message says why and how to fix it.
    """
    text = path_text(path)
    is_name = os.sep not in text and "." not in text
    if is_name or not os.path.exists(text):
        installed = {name: (name, found, ops, f"opsrun.ops.{name}")
                     for name, _, found, state, _, _, ops in engine().plugins() if state == "ok"}
        if text in installed:
            return module_of(*installed[text])
        hint = did_you_mean(text, installed, "installed plugins") if is_name else ""
    if not os.path.exists(text):
        raise MissingFileError(f"there is no file '{text}'{hint}")
    plugin = engine().add_plugin(os.path.abspath(path_text(path)))
    return next(module_of(name, found, ops, name) for name, _, found, state, _, _, ops in engine().plugins()
                if name == plugin and state == "ok")


def reload(lib: OpModule) -> OpModule:
    """Loads the new file of a library that has been built again, and returns the same module with the new ops.

    Functions that were taken from the module before, as by `f = lib.my_op`, fail from now on and say so. Functions of
    @opsrun.function are traced again. Graphs that were loaded, objects that ops share, and gradients that were made keep
    the old code, which stays in memory. Nothing happens if the file is the one that is loaded.

    Args:
        lib: A module that load_op_library, attach or opsrun.ops has given.

    Raises:
        opsrun.errors.FailedPreconditionError: The new file is refused: then the old one stays in use. A file that was
            rewritten in place, as by cp, is refused, too, since its old code is damaged; linkers and mv replace files.
    """
    if not isinstance(lib, OpModule):
        raise TypeError(f"reload() takes a module of load_op_library(), not {type(lib).__name__}")
    with _lock:
        if not engine().reload(os.path.abspath(lib.LIB_PATH)):
            return lib
        for made in list(_made):
            if made.op.plugin == lib._plugin:
                made.end()
        forget_graphs()
        lib._take(next(ops for name, _, _, state, _, _, ops in engine().plugins() if name == lib._plugin and state == "ok"))
    return lib


def attach(lib: str | os.PathLike[str], file: str | os.PathLike[str]) -> OpModule:
    """Loads a library whose ops a file completes with gradients, shapes and docs, and returns it as a module.

    The file has the format of a NAME.opsrun.yaml beside a library NAME.so, which it takes the place of. Call this before
    anything else uses the library. If the file has an error, correct it and call this again.

    Args:
        lib: A file; or the name of an installed plugin.
        file: The file that completes its ops.

    Raises:
        opsrun.errors.MissingFileError: There is no such library; it is a FileNotFoundError, too.
        opsrun.errors.FailedPreconditionError: The library or the file is refused, or the library is in use without it.
            The message says why, with the line and the column in the file.
    """
    path = next((found for name, _, found, state, _, _, _ in engine().plugins() if state == "ok" and name == lib), lib)
    if not os.path.exists(path):
        return load_op_library(path)  # says why not
    ops_file = os.path.abspath(path_text(file))
    engine().attach(os.path.abspath(path_text(path)), ops_file)
    _attached[os.path.realpath(path_text(path))] = ops_file
    return load_op_library(path)


def ops_file_of(path: str) -> str | None:
    """The file that completes the ops of a library, if there is one: attached, or beside it."""
    beside = os.path.splitext(path)[0] + ".opsrun.yaml"
    return _attached.get(os.path.realpath(path), beside if os.path.exists(beside) else None)

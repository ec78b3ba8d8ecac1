"""Graphs of ops: loading from files or text, checking, running, differentiating.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import threading
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np

from opsrun import _native, _values
from opsrun._engine import checked_text, engine, path_text
from opsrun._refuse import did_you_mean
from opsrun._values import NAMES, QUANTIZED, Array, Shape, shape_of
from opsrun.errors import Diagnostic, Error, OpsrunWarning


class TensorSpec(NamedTuple):
    """The type and shape of a feed or an output. shape: sizes, with None for unknown ones; None if the rank is
    unknown."""

    name: str
    dtype: str
    shape: Shape


def _specs(raw: list[Any]) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec(name, NAMES.get(dtype, "?"), shape_of(sizes)) for name, dtype, sizes in raw)


class Step(NamedTuple):
    """A node of a plan. kernel: the constraints of its kernel; why: the reason for choosing it. Both are empty for a copy
    between devices, whose op is "Copy"."""

    node: str
    op: str
    plugin: str
    device: str
    kernel: str
    why: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]


class Plan:
    """How a graph would run; `str()` of it is the output of `opsrun plan`.

    Attributes:
        steps: The nodes in the order in which they run.
        memory: Bytes of a run's memory for outputs of nodes whose shapes are known.
        details: The output of `opsrun plan --json`, which includes dependencies between steps and the places of
            outputs.
    """

    def __init__(self, text: str, details: dict[str, Any]) -> None:
        self._text = text
        self.details = details
        self.memory: int = details["memory"]["bytes"]
        self.steps = tuple(
            Step(step["node"], step["op"], (step["plugin"] or {}).get("name", ""), step["device"],
                 (step["kernel"] or {}).get("registered", ""), (step["kernel"] or {}).get("why", ""), _described(step["inputs"]), _described(step["outputs"])) for step in details["steps"])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<opsrun.Plan of {len(self.steps)} steps, {self.memory} bytes>"


def _described(tensors: list[dict[str, Any]]) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec(each["tensor"], each["dtype"], shape_of(each["shape"])) for each in tensors)


class Graph:
    """A graph without errors, ready to run.

    Attributes:
        feeds: The inputs that every run needs.
        outputs: The outputs of a run.
        path: The absolute path of the file that was loaded; None for other graphs.
    """

    def __init__(self, native: _native.Graph, name: str = "graph", path: str | None = None) -> None:
        self._native = native
        self._name = name
        self.path = path
        self.feeds = _specs(native.feeds)
        self.outputs = _specs(native.outputs)
        # By feed: its name, its number of the data type, and the dtype of arrays that need no conversion.
        self._places = tuple((spec.name, raw[1], _exact_dtype(raw[1]), spec) for spec, raw in zip(self.feeds, native.feeds))
        self._names = frozenset(spec.name for spec in self.feeds)
        self._results = tuple(spec.name for spec in self.outputs)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, strict: bool = False, frozen: bool = False) -> Graph:
        """Reads a graph file. Paths in it are relative to the file. A lock beside it, from `opsrun lock`, is honored.

        Args:
            path: The file.
            strict: Treat warnings as errors.
            frozen: Treat whatever differs from the lock as an error, and a missing lock, too.

        Raises:
            opsrun.errors.InvalidArgumentError: The graph has errors; `diagnostics` lists all of them.
            opsrun.errors.NotFoundError: The only errors are ops that no plugin has.
            opsrun.errors.MissingFileError: The file does not exist; it is a FileNotFoundError, too.
            opsrun.errors.FailedPreconditionError: Plugins are missing or refused.
        """
        return cls(engine().load_file(path_text(path), strict, frozen), path_text(path), os.path.abspath(path_text(path)))

    @classmethod
    def from_yaml(cls, text: str, name: str = "graph", *, strict: bool = False) -> Graph:
        """Reads a graph from the text of a graph file.

        Args:
            text: The text.
            name: A file name for messages; paths in the graph are relative to its folder.
            strict: Treat warnings as errors.
        """
        return cls(engine().load_text(checked_text(name, "the name of a graph"), checked_text(text, "a graph"), strict, "feeds"), name)

    def run(self, feeds: Mapping[str, Any] | None = None, /, **more: Any) -> dict[str, Array]:
        """Runs the graph once and returns its outputs by name.

        Args:
            feeds: The inputs by name; needed for names that are not Python identifiers.
            more: Further inputs by name.

        Raises:
            TypeError: A feed is missing or unknown, or its type differs from the declared one.
            opsrun.errors.Error: The run failed.
        """
        given = feeds if type(feeds) is dict and not more else _given(feeds, more)
        if given.keys() != self._names:
            self._refuse_unknown({name: given[name] for name in given if name not in self._names}, "run")
            missing = next(spec for spec in self.feeds if spec.name not in given)
            raise TypeError(f"run() is missing feed '{missing.name}' ({missing.dtype})")
        arrays = []
        for name, number, dtype, spec in self._places:
            value = given[name]
            is_exact = type(value) is np.ndarray and value.dtype is dtype and value.flags.carray
            arrays.append(value if is_exact else _feed(value, number, spec))
        return dict(zip(self._results, self._native.run(arrays)))

    def _refuse_unknown(self, given: dict[str, Any], call: str) -> None:
        if given:
            name = next(iter(given))
            raise TypeError(f"{call}() got '{name}', which is not a feed{did_you_mean(name, [spec.name for spec in self.feeds], 'feeds')}")

    def check(self: Graph | str | os.PathLike[str], *, strict: bool = False) -> tuple[Diagnostic, ...]:
        """All errors and warnings of a graph file: Graph.check(path). For a loaded graph, graph.check(): its warnings.

        Args:
            strict: Treat warnings as errors.

        Returns:
            Errors and warnings, in the order of the file; empty if there are none.
        """
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", OpsrunWarning)
            try:
                if isinstance(self, Graph):
                    Graph.from_yaml(self.to_yaml(), self._name, strict=strict)
                else:
                    Graph.load(self, strict=strict)
            except Error as problem:
                return problem.diagnostics
        return tuple(each.message.diagnostic for each in found if isinstance(each.message, OpsrunWarning))

    def plan(self, feeds: Mapping[str, Any] | None = None, /, **more: Any) -> Plan:
        """Plans the graph for given feeds, without running it.

        Args:
            feeds: Arrays by name, of which only types and shapes are used; other feeds have their declared types and
                shapes.
            more: Further feeds by name.
        """
        given = _given(feeds, more)
        types = []
        for spec, raw in zip(self.feeds, self._native.feeds):
            if spec.name in given:
                types.append((spec.name, raw[1], list(_feed(given.pop(spec.name), raw[1], spec).shape)))
        self._refuse_unknown(given, "plan")
        return Plan(self._native.plan(types, False), json.loads(self._native.plan(types, True)))

    def to_dot(self) -> str:
        """A picture of the graph in Graphviz's DOT language."""
        return self._native.to_dot()

    def svg(self, timeout: float | None = None) -> str:
        """A picture of the graph, drawn by Graphviz's program dot.

        Args:
            timeout: Limit in seconds; graphs with thousands of nodes take minutes.

        Raises:
            RuntimeError: The program is not in PATH, it failed, or it took too long.
        """
        program = shutil.which("dot")
        if program is None:
            raise RuntimeError("drawing a graph needs Graphviz, but its program 'dot' is not on the PATH; install Graphviz, or use to_dot()")
        try:
            drawn = subprocess.run([program, "-Tsvg"], input=self.to_dot(), capture_output=True, text=True,
                                   encoding="utf-8", check=False, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"Graphviz did not draw the graph in {timeout} seconds; use a longer timeout, or to_dot()") from None
        if drawn.returncode != 0:
            raise RuntimeError(f"Graphviz could not draw the graph: {drawn.stderr.strip() or drawn.returncode}")
        return drawn.stdout

    def _repr_svg_(self) -> str | None:
        """The picture for notebooks; None, which shows the text instead, if Graphviz cannot draw it quickly."""
        try:
            return self.svg(timeout=10)
        except RuntimeError:
            return None

    def differentiate(self, of: str | Sequence[str | tuple[str, str]], wrt: str | Sequence[str],
                      gradients: Mapping[str, str] | None = None) -> Graph:
        """A graph with the outputs of this one, followed by an output grad_NAME for each name in wrt.

        Args:
            of: Names of the feeds, nodes or outputs to differentiate; if several, their sum. A pair also names the
                tensor of the graph that is the gradient of the first, instead of ones.
            wrt: Names of the tensors to differentiate with respect to.
            gradients: Gradients for nodes whose ops declare none, as text in the language of declared gradients.
        """
        tensors: list[Any] = list(of) if isinstance(of, Sequence) and not isinstance(of, str) else [of]
        for each in tensors:
            if not isinstance(each, str) and not (isinstance(each, tuple) and len(each) == 2):
                raise TypeError(f"expected the name of a tensor, or a pair of names, found {each!r}")
        pairs = [(each, "") if isinstance(each, str) else (each[0], each[1]) for each in tensors]
        names = [wrt] if isinstance(wrt, str) else list(wrt)
        given = list((gradients or {}).items())
        for text in [*(text for pair in [*pairs, *given] for text in pair), *names]:
            checked_text(text, "the name of a tensor, or a gradient,")
        return Graph(self._native.differentiate(pairs, names, given), self._name)

    def to_yaml(self) -> str:
        """The text of the graph file."""
        return self._native.to_yaml()

    def save(self, path: str | os.PathLike[str], weights: Mapping[str, Any] | None = None) -> None:
        """Writes the graph file, which `opsrun FILE` runs, or a picture.

        Args:
            path: The file, such as "model.yaml"; "model.svg" and "model.dot" are pictures.
            weights: Arrays for feeds, by name. They are written next to the file, as "model.npz", and the feeds are
                read from there, so callers need to set only the other feeds.
        """
        ending = os.path.splitext(path_text(path))[1].lower()
        if ending not in ("", ".yaml", ".yml", ".svg", ".dot"):
            raise ValueError(f"'{path_text(path)}' does not end in .yaml, .svg or .dot: a graph cannot be written in another format")
        if ending in (".svg", ".dot"):
            if weights:
                raise ValueError(f"a picture has no weights; leave them out, or write '{os.path.splitext(path_text(path))[0]}.yaml'")
            picture = self.svg() if ending == ".svg" else self.to_dot()
            return write_file(path, lambda file: file.write(picture.encode()))
        if not weights:
            return write_file(path, lambda file: file.write(self.to_yaml().encode()))
        if not isinstance(weights, Mapping):
            raise TypeError(f"weights must be given by name, such as {{'w': array}}, not as {type(weights).__name__}")
        feeds = {spec.name: (raw[1], spec) for spec, raw in zip(self.feeds, self._native.feeds)}
        self._refuse_unknown({name: value for name, value in weights.items() if name not in feeds}, "save")
        arrays = {name: _feed(value, *feeds[name]) for name, value in weights.items()}
        for name, array in arrays.items():
            if array.dtype.kind == "O":
                raise TypeError(f"feed '{name}' is string, which .npz files of opsrun cannot hold; leave it out of the weights")
            declared = feeds[name][1].shape
            if declared is not None and (len(declared) != array.ndim or any(
                    size not in (None, found) for size, found in zip(declared, array.shape))):
                raise ValueError(f"feed '{name}' has shape {list(array.shape)}, but the graph declares {list(declared)}")
        archive = os.path.splitext(path_text(path))[0] + ".npz"
        text = self._native.to_yaml_with([(name, os.path.basename(archive), name) for name in arrays])
        write_file(archive, lambda file: _write_npz(file, arrays))
        write_file(path, lambda file: file.write(text.encode()))

    def __reduce__(self) -> Any:
        """For pickle: the text of the graph; plugins are found by name where it is loaded."""
        return Graph.from_yaml, (self.to_yaml(), self._name)

    def __repr__(self) -> str:
        names = [", ".join(spec.name for spec in specs) for specs in (self.feeds, self.outputs)]
        return f"<opsrun.Graph ({names[0]}) -> ({names[1]})>"


def write_file(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Writes a file completely or not at all."""
    target = path_text(path)
    if os.path.exists(target) and not os.path.isfile(target):  # such as /dev/stdout
        with open(target, "wb") as file:
            write(file)
        return
    real = os.path.realpath(target)
    beside = os.path.join(os.path.dirname(real), f".{os.path.basename(real)}.{os.getpid()}-{threading.get_ident()}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as problem:
        raise type(problem)(problem.errno, problem.strerror, target) from None
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.replace(beside, real)
    except BaseException:
        os.unlink(beside)
        raise


def _write_npz(file: IO[bytes], arrays: Mapping[str, Array]) -> None:
    """Like numpy.savez, which rejects some names, writes different bytes each time, and does not align arrays."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy")
            zeros = -(archive.start_dir + 56 + len(info.filename.encode())) % 64  # 50 bytes, the name, and 6 of the field
            info.extra = struct.pack("<HHH", 0xd935, 2 + zeros, 64) + bytes(zeros)  # as Android's zipalign does
            with archive.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _given(feeds: Mapping[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(feeds, Mapping | None):
        raise TypeError(f"feeds must be given by name, such as x=array or {{'x': array}}, not as {type(feeds).__name__}")
    return {**(feeds or {}), **more}


def _exact_dtype(number: int) -> np.dtype[Any] | None:
    """The dtype of arrays that are used as they are; None if elements must be converted or looked at."""
    dtype = np.dtype(np.sctypeDict.get(NAMES.get(number, ""), object))
    return dtype if dtype.kind in "biufc" else None


def _feed(value: Any, dtype: int, spec: TensorSpec) -> Array:
    what = f"feed '{spec.name}'"
    if not _values.has_typed(value):
        return _values.untyped_array(value, dtype, None, what)
    array = _values.typed_array(value, what)
    found = NAMES[_native.dtype_number(array.dtype)]
    if found != QUANTIZED.get(spec.dtype, spec.dtype):
        raise TypeError(f"{what} is {found}, but the graph declares {spec.dtype}; use .astype(...)")
    return array

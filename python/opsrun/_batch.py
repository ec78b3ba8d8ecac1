"""opsrun.batch: a graph, run once for each item of a list, on this machine or by the engine of a cluster.

The program `opsrun batch` does the work: it reads the manifest, runs items and keeps the journal. On a cluster, this
process asks it what there is to do, an engine hands out the items, and on each worker a process of the same program runs
them (_worker.py).
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from opsrun import _tables
from opsrun._distribute import Distributed, error_of
from opsrun._engine import engine, path_text
from opsrun._engines import engine_of
from opsrun._function import Function
from opsrun._library import ops_file_of
from opsrun._native import version
from opsrun._program import environment, program
from opsrun._worker import Bundle, File, digest_of
from opsrun.graph import Graph, write_file


class BatchResult(NamedTuple):
    """What became of a batch.

    Attributes:
        items: How many items there are.
        ok: How many have results, from this call or an earlier one.
        failed: How many failed.
        ran: How many ran in this call.
        seconds: How long this call took.
        out: The directory of the results.
    """

    items: int
    ok: int
    failed: int
    ran: int
    seconds: float
    out: str

    def records(self) -> Iterator[dict[str, Any]]:
        """The last record of each item, from the journal: id, status, seconds, errors and digests."""
        return iter(_tables.last_records(self.out).values())

    def load(self, id: str) -> Any:
        """The results of an item: a mapping of names to arrays, or an array if they were written as .npy."""
        return np.load(_tables.file_of(id, self.out))


def batch(graph: Graph | Function[Any, Any] | str | os.PathLike[str],
          inputs: str | os.PathLike[str] | Mapping[str, str] | Iterable[Mapping[str, Any]], out: str | os.PathLike[str], *,
          client: Any = None, feeds: Mapping[str, Any] | None = None, group: int = 1, concurrency: int = 1,
          keep_going: bool = False, max_failures: int | None = None, retry_failed: bool = False,
          item_timeout: float | None = None, npy: bool = False, table: str | os.PathLike[str] | None = None,
          device: str | None = None, threads: int | None = None, task_options: Mapping[str, Any] | None = None) -> BatchResult:
    """Runs a graph once for each item, and writes the results of each to a file.

    The same call again runs what is missing, and what has changed; it may have another client. docs/batch.md describes
    manifests, results and the journal.

    Args:
        graph: A graph, the path of one, or a traced function that has a graph.
        inputs: The path of a manifest (.csv, .tsv, .jsonl, .ndjson or .parquet, which needs pyarrow); or names of feeds
            with patterns, {"image": "images/*.npy"}; or rows, mappings of feeds to paths, numbers, lists and arrays.
        out: The directory of the results. All workers of a client must see it, and the inputs, by the same path.
        client: A `distributed.Client` of Dask, or "ray" for the cluster that `ray.init` has found. None: this machine.
        feeds: Arrays for feeds that are the same for all items.
        group: How many items run together, joined at their first dimension.
        concurrency: How many items or groups run at the same time. With a client: how many at most, for each slot of
            its workers, wait for it.
        keep_going: Run the other items after one has failed.
        max_failures: Stop after so many failures.
        retry_failed: Run items again that have failed before.
        item_timeout: Limit for an item, in seconds.
        npy: Write the only output as .npy, instead of .npz files.
        table: Also write all results to this file: .parquet (with pyarrow), or .zarr (with zarr).
        device: As in `opsrun.configure`.
        threads: How many threads each worker has. The default is 1, without a client the number of CPUs.
        task_options: For the engine: keyword arguments of Dask's `Client.submit`, such as resources={"GPU": 1}, or of
            Ray's `actor.options`, such as num_gpus=1.

    Returns:
        The counts; failed items raise no exception.

    Raises:
        opsrun.errors.InvalidArgumentError: The graph or the manifest has mistakes; nothing has run.
        opsrun.errors.FailedPreconditionError: Another batch uses the directory.
        opsrun.errors.UnavailableError: The engine has lost its scheduler. The same call goes on.
    """
    begin = time.monotonic()
    if table is not None:
        _tables.check_name(path_text(table))
    out = os.path.abspath(path_text(out))
    with tempfile.TemporaryDirectory(prefix="opsrun-batch-") as folder:
        source = _source_of(graph, folder)
        loaded = Graph.load(source)
        words = ["--out", out, *_given(inputs, loaded, folder, out), *_constants(feeds or {}, folder)]
        threads = threads or (None if client is None else 1)
        words += _options(group=group if group > 1 else None, item_timeout=item_timeout and f"{round(item_timeout * 1000)}ms",
                          device=device, threads=threads, npy=npy)
        plugins = _plugins_of(loaded)
        words += ["--plugins", _plugin_folder(plugins, folder)]
        policy = _options(keep_going=keep_going, max_failures=max_failures, retry_failed=retry_failed)
        if client is None:
            counts = _run_here(source, [*words, *policy, *_options(concurrency=concurrency)])
        else:
            bundle = _bundle_of(source, loaded, plugins, feeds or {}, folder, words)
            counts = Distributed(engine_of(client, dict(task_options or {})), bundle, out, group, concurrency,
                                  max_failures or (0 if keep_going else 1)).run(source, [*words, *policy])
    if table is not None:
        _tables.write_table(path_text(table), out)
    return BatchResult(counts["items"], counts["ok"], counts["failed"], counts["ran"], time.monotonic() - begin, out)


def _options(**given: Any) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        if value is not None and value is not False:
            words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    return words


def _source_of(graph: Any, folder: str) -> str:
    """The path of a graph file."""
    if isinstance(graph, Function):
        graph = graph.graph
    if callable(graph):
        raise TypeError(f"{graph!r} has no graph; say what it takes: opsrun.function(x=opsrun.TensorSpec(\"x\", \"float32\", (None,)))(function)")
    if not isinstance(graph, Graph):
        return os.path.abspath(path_text(graph))
    if graph.path is not None:
        return graph.path
    path = os.path.join(folder, "graph.yaml")
    graph.save(path)
    return path


def _given(inputs: Any, graph: Graph, folder: str, out: str) -> list[str]:
    if isinstance(inputs, Mapping):
        return [word for name, pattern in inputs.items() for word in ("--feed", f"{name}={os.path.abspath(pattern)}")]
    types = {spec.name: spec.dtype for spec in graph.feeds}
    paths = {name for name, dtype in types.items() if dtype != "string"}
    if isinstance(inputs, (str, bytes, os.PathLike)):
        path = os.path.abspath(path_text(inputs))
        if not path.endswith(".parquet"):
            return ["--inputs", path]
        inputs = _tables.read_parquet(path, paths)
    path = os.path.join(folder, "items.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for row in inputs:
            file.write(json.dumps({str(key): _plain(value, types.get(key, "string"), out) for key, value in row.items()}) + "\n")
    return ["--inputs", path]


def _plain(value: Any, dtype: str, out: str) -> Any:
    """What a manifest in JSON Lines has. Arrays that JSON cannot express are files below out, named after their content."""
    if isinstance(value, os.PathLike) or (dtype != "string" and isinstance(value, str)):
        return os.path.abspath(path_text(value))
    if isinstance(value, Mapping):
        return {key: os.path.abspath(each) if key == "file" else each for key, each in value.items()}
    if isinstance(value, str):
        return value
    is_typed = isinstance(value, (np.ndarray, np.generic))
    array = np.asarray(value, None if is_typed or dtype not in np.sctypeDict else dtype)
    if array.dtype == object:
        raise TypeError(f"a value of a row is neither a path nor an array: {value!r}")
    if array.dtype.kind in "biuU" and 0 < array.size <= 1000 or (array.dtype.kind == "f" and 0 < array.size <= 1000 and np.isfinite(array).all()):
        return array.tolist()
    name = hashlib.sha256(repr((array.dtype.str, array.shape)).encode() + array.tobytes()).hexdigest()
    path = os.path.join(out, ".inputs", f"{name}.npy")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, lambda file: np.save(file, array))
    return path


def _constants(feeds: Mapping[str, Any], folder: str) -> list[str]:
    words = []
    for i, (name, value) in enumerate(feeds.items()):
        path = os.path.join(folder, f"constant{i}.npy")
        np.save(path, np.asarray(value))
        words += ["--feed", f"{name}={path}"]
    return words


def _plugins_of(graph: Graph) -> dict[str, str]:
    """The files of the plugins that the graph uses, and those that complete their ops, by their names in a folder."""
    used = {step.plugin for step in graph.plan().steps}
    files = {}
    for name, _, path, state, *_ in engine().plugins():
        if name in used and state == "ok":
            files[f"{name}.so"] = os.path.abspath(path)
            if (ops_file := ops_file_of(files[f"{name}.so"])) is not None:
                files[f"{name}.opsrun.yaml"] = ops_file
    return files


def _plugin_folder(plugins: Mapping[str, str], folder: str) -> str:
    """A folder with just these files, which comes before all others."""
    place = os.path.join(folder, "plugins")
    os.makedirs(place, exist_ok=True)
    for name, path in plugins.items():
        os.symlink(path, os.path.join(place, name))
    return place


def _run_here(source: str, words: list[str]) -> dict[str, Any]:
    process = subprocess.Popen([program(), "batch", source, *words, "--json"], stdout=subprocess.PIPE, env=environment())
    while True:
        try:
            printed, _ = process.communicate()
            break
        except KeyboardInterrupt:  # the program has got the signal, too, and stops after the items that run
            continue
    if process.returncode == 130:
        raise KeyboardInterrupt
    counts = dict(json.loads(printed)) if printed else {}
    if process.returncode not in (0, 1) or not counts or not (counts["complete"] or counts["failed"]):
        raise error_of(process.returncode)
    return counts


def _bundle_of(source: str, graph: Graph, plugins: Mapping[str, str], feeds: Mapping[str, Any], folder: str,
               words: list[str]) -> Bundle:
    """words: options of the program, of which a worker gets those that are not about items or files."""
    # Files that the graph names relative to its folder stay where they are relative to it.
    paths = sorted({os.path.abspath(path) for path in graph.plan().details["files"]} | {source})
    base = os.path.commonpath([os.path.dirname(path) for path in paths])
    files = [File(os.path.relpath(path, base), path, digest_of(path)) for path in paths if path != source]
    constants = []
    for i, name in enumerate(feeds):
        path = os.path.join(folder, f"constant{i}.npy")
        constants.append((name, File(f"{i}.npy", path, digest_of(path))))
    options = []
    for word, value in zip(words, [*words[1:], ""]):
        if word in ("--group", "--item-timeout", "--device", "--threads", "--out"):
            options += [word, value]
    with open(source, encoding="utf-8") as text:
        return Bundle(os.path.relpath(source, base), text.read(), tuple(files),
                      tuple(File(name, path, digest_of(path)) for name, path in sorted(plugins.items())),
                      tuple(constants), (*options, *(["--npy"] if "--npy" in words else []), "--token", uuid.uuid4().hex), version)

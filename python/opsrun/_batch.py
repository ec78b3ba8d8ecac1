"""opsrun.batch: a graph, run once for each item of a list, on this machine or by the engine of a cluster.

The program `opsrun batch` does the work: it reads the manifest, runs items and keeps the journal. On a cluster, this
process asks it what there is to do, an engine hands out the items, and on each worker a process of the same program runs
them (_worker.py).
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import numpy as np

from opsrun import _tables
from opsrun._engine import engine, path_text
from opsrun._engines import engine_of
from opsrun._function import Function
from opsrun._native import version
from opsrun._program import environment, program
from opsrun._worker import Bundle, File, Missing, crash_record, digest_of, run_items
from opsrun.errors import Error, FailedPreconditionError, InvalidArgumentError, UnavailableError
from opsrun.graph import Graph

# A task is to take about this long, so that the engine's own cost per task vanishes.
_SECONDS_PER_TASK = 0.5
_MOST_ITEMS_PER_TASK = 1000
_TASKS_PER_SLOT = 2
_MOST_TRIES = 3  # of an item whose workers die
_SECONDS_PER_LINE = 60


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
        path = os.path.join(self.out, id)
        return np.load(path + ".npy") if os.path.exists(path + ".npy") else np.load(path + ".npz")


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
    out = os.path.abspath(path_text(out))
    with tempfile.TemporaryDirectory(prefix="opsrun-batch-") as folder:
        source = _source_of(graph, folder)
        loaded = Graph.load(source)
        words = ["--out", out, *_given(inputs, loaded, folder), *_constants(feeds or {}, folder)]
        threads = threads or (None if client is None else 1)
        words += _options(group=group if group > 1 else None, item_timeout=item_timeout and f"{round(item_timeout * 1000)}ms",
                          device=device, threads=threads, npy=npy)
        plugins = _plugins_of(loaded)
        words += ["--plugins", _plugin_folder(plugins, folder)]
        policy = _options(keep_going=keep_going, max_failures=max_failures, retry_failed=retry_failed)
        if client is None:
            counts = _run_here(source, [*words, *policy, *_options(concurrency=concurrency)])
        else:
            bundle = _bundle_of(source, loaded, plugins, feeds or {}, folder, group, item_timeout, npy, device, threads, out)
            counts = _Distributed(engine_of(client, dict(task_options or {})), bundle, out, group, concurrency,
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
        raise TypeError(f"{graph!r} has no graph; say what it takes: opsrun.function(x=opsrun.TensorSpec(\"x\", \"float32\", (None,)))({graph.__name__})")
    if not isinstance(graph, Graph):
        return os.path.abspath(path_text(graph))
    if graph.path is not None:
        return graph.path
    path = os.path.join(folder, "graph.yaml")
    graph.save(path)
    return path


def _given(inputs: Any, graph: Graph, folder: str) -> list[str]:
    if isinstance(inputs, Mapping):
        return [word for name, pattern in inputs.items() for word in ("--feed", f"{name}={os.path.abspath(pattern)}")]
    if isinstance(inputs, (str, bytes, os.PathLike)):
        path = os.path.abspath(path_text(inputs))
        if not path.endswith(".parquet"):
            return ["--inputs", path]
        inputs = _tables.read_parquet(path, {spec.name for spec in graph.feeds if spec.dtype != "string"})
    path = os.path.join(folder, "items.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for row in inputs:
            file.write(json.dumps({str(key): _plain(value) for key, value in row.items()}) + "\n")
    return ["--inputs", path]


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.path.abspath(path_text(value))
    if isinstance(value, Mapping):
        return dict(value)
    array = np.asarray(value)
    return array.tolist() if array.dtype != object else value


def _constants(feeds: Mapping[str, Any], folder: str) -> list[str]:
    words = []
    for i, (name, value) in enumerate(feeds.items()):
        path = os.path.join(folder, f"constant{i}.npy")
        np.save(path, np.asarray(value))
        words += ["--feed", f"{name}={path}"]
    return words


def _plugins_of(graph: Graph) -> dict[str, str]:
    """The files of the plugins that the graph uses, by their names."""
    used = {step.plugin for step in graph.plan().steps}
    return {name: path for name, _, path, state, *_ in engine().plugins() if name in used and state == "ok"}


def _plugin_folder(plugins: Mapping[str, str], folder: str) -> str:
    """A folder with just these files, which comes before all others."""
    place = os.path.join(folder, "plugins")
    os.makedirs(place, exist_ok=True)
    for name, path in plugins.items():
        os.symlink(path, os.path.join(place, f"{name}.so"))
    return place


def _run_here(source: str, words: list[str]) -> dict[str, Any]:
    done = subprocess.run([program(), "batch", source, *words, "--json"], stdout=subprocess.PIPE, env=environment(), check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if not done.stdout:
        raise _error_of(done.returncode)
    return dict(json.loads(done.stdout))


def _error_of(code: int) -> Error:
    if code in (2, 3):
        return InvalidArgumentError(f"the graph or the items have mistakes (see above; exit code {code})")
    return FailedPreconditionError(f"opsrun batch ended with exit code {code} (see above)")


def _bundle_of(source: str, graph: Graph, plugins: Mapping[str, str], feeds: Mapping[str, Any], folder: str, group: int,
               item_timeout: float | None, npy: bool, device: str | None, threads: int | None, out: str) -> Bundle:
    base = os.path.dirname(source)
    files = []
    for path in sorted(set(graph.plan().details["files"])):
        place = os.path.relpath(path, base)
        if not place.startswith("..") and path != source:
            files.append(File(place, path, digest_of(path)))
    for i, name in enumerate(feeds):
        path = os.path.join(folder, f"constant{i}.npy")
        files.append(File(f"constants/{name}.npy", path, digest_of(path)))
    with open(source, encoding="utf-8") as text:
        return Bundle(os.path.basename(source), text.read(), tuple(files),
                      tuple(File(f"{name}.so", path, digest_of(path)) for name, path in sorted(plugins.items())), tuple(feeds),
                      ("--out", out, *_options(group=group, npy=npy, device=device, threads=threads,
                                               item_timeout=item_timeout and f"{round(item_timeout * 1000)}ms")))


class _Distributed:
    """Hands out items, and records what becomes of them."""

    def __init__(self, tasks: Any, bundle: Bundle, out: str, group: int, waiting: int, most_failures: int) -> None:
        self._tasks = tasks
        self._bundle = bundle
        self._out = out
        self._group = group
        self._waiting = max(waiting, _TASKS_PER_SLOT)
        self._most_failures = most_failures
        self._ran = self._failed = 0
        self._basis = {"graph": "", "plugins": ""}
        self._per_task = group
        self._begin = self._told = time.monotonic()

    def run(self, source: str, words: list[str]) -> dict[str, Any]:
        os.makedirs(self._out, exist_ok=True)
        with open(os.path.join(self._out, "journal.jsonl"), "ab") as journal:
            try:
                fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FailedPreconditionError(f"another batch that runs now writes to '{journal.name}'") from None
            _end_line(journal)
            journal.write(json.dumps({"batch": 1, "opsrun": version, "engine": type(self._tasks).__name__.strip("_").lower()}).encode() + b"\n")
            listing = subprocess.Popen([program(), "batch", source, *words, "--dry-run"], stdout=subprocess.PIPE, env=environment())
            assert listing.stdout is not None
            with listing:
                self._hand_out((line.rstrip(b"\n").decode() for line in listing.stdout), journal)
                listing.stdout.close()
            if listing.returncode not in (0, 141, -13):  # or it noticed that no more items are wanted
                raise _error_of(listing.returncode)
        counted = subprocess.run([program(), "batch", source, *words, "--dry-run", "--json"], stdout=subprocess.PIPE,
                                 env=environment(), check=True)
        return {**json.loads(counted.stdout), "ran": self._ran}

    def _hand_out(self, lines: Iterator[str], journal: IO[bytes]) -> None:
        running: dict[Any, tuple[list[str], int]] = {}
        again: list[tuple[list[str], int]] = []
        stops = False
        while True:
            while not stops and len(running) < self._tasks.slots() * self._waiting:
                items, tries = again.pop() if again else (list(itertools.islice(lines, self._per_task)), 0)
                if not items:
                    break
                running[self._tasks.submit(run_items, self._bundle, items)] = items, tries
            self._tell(len(running))
            if not running:
                return
            for task, result in self._tasks.wait(list(running)):
                items, tries = running.pop(task)
                if isinstance(result, Missing):
                    self._bundle = self._tasks.with_contents(self._bundle, result)
                    again.append((items, tries))
                elif isinstance(result, BaseException):
                    if not self._tasks.is_lost_worker(result):
                        raise UnavailableError(f"the engine has failed: {result!r}; the same call goes on where this one stopped") from result
                    if len(items) == 1 and tries + 1 >= _MOST_TRIES:
                        self._record([self._lost(items[0], result)], items, journal)
                    else:  # alone, so that an item that takes its worker along does not take others
                        again += [([item], tries + 1) for item in items]
                else:
                    self._record(result, items, journal)
            stops = bool(self._most_failures and self._failed >= self._most_failures)

    def _record(self, records: list[str], items: list[str], journal: IO[bytes]) -> None:
        journal.write("".join(record + "\n" for record in records).encode())
        journal.flush()
        last = [json.loads(record) for record in records]
        self._basis = {key: last[0][key] for key in ("graph", "plugins")}
        for record in last:
            if record["status"] != "ok":
                self._failed += 1
                print(f"item '{record['id']}': {'; '.join(error['message'] for error in record.get('errors', []))}", file=sys.stderr)
        if self._ran == 0 and last and last[0]["status"] == "ok":
            self._check_shared(last[0]["id"])
        self._ran += len(items)
        taken = sum(record["seconds"] for record in last) / max(len(last), 1)
        wanted = int(min(_SECONDS_PER_TASK / max(taken, 1e-6), _MOST_ITEMS_PER_TASK, 4 * self._per_task))
        self._per_task = max(wanted // self._group, 1) * self._group

    def _lost(self, item: str, problem: BaseException) -> str:
        """The record of an item whose workers die. Its stamp is unknown, so a change of its inputs will not be noticed."""
        return crash_record(json.loads(item)["id"], 0, self._basis, f"{_MOST_TRIES} workers died while they were running it: {problem!r}", [])

    def _check_shared(self, id_: str) -> None:
        path = os.path.join(self._out, id_)
        if not os.path.exists(path + ".npz") and not os.path.exists(path + ".npy"):
            raise FailedPreconditionError(f"a worker has written the results of item '{id_}', but they are not in {self._out} here: "
                                          "all workers need the same file system")

    def _tell(self, running: int) -> None:
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if running and now < self._told + (1 if is_terminal else _SECONDS_PER_LINE):
            return
        text = f"{self._ran} items, {self._ran / (now - self._begin):.0f} items/s, {running} tasks are running, {self._failed} failed"
        if is_terminal:  # rewrites its line, and removes it at the end
            print(f"\r{text if running else ''}\x1b[K", end="", file=sys.stderr, flush=True)
        elif running:
            print(text, file=sys.stderr)
        self._told = now


def _end_line(journal: IO[bytes]) -> None:
    """Ends a line that a killed program has left incomplete."""
    with contextlib.suppress(OSError), open(journal.name, "rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            journal.write(b"\n")

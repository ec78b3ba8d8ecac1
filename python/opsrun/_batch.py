"""opsrun.batch: a graph, run once for each item of a list, on this machine or by the engine of a cluster.

The program `opsrun batch` does the work: it reads the manifest, runs items and keeps the journal. On a cluster, this
process asks it what there is to do, an engine hands out the items, and on each worker a process of the same program runs
them (_worker.py).
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import fcntl
import glob
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
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
    paths = {spec.name for spec in graph.feeds if spec.dtype != "string"}
    if isinstance(inputs, (str, bytes, os.PathLike)):
        path = os.path.abspath(path_text(inputs))
        if not path.endswith(".parquet"):
            return ["--inputs", path]
        inputs = _tables.read_parquet(path, paths)
    path = os.path.join(folder, "items.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for row in inputs:
            file.write(json.dumps({str(key): _plain(value, key in paths, out) for key, value in row.items()}) + "\n")
    return ["--inputs", path]


def _plain(value: Any, is_path: bool, out: str) -> Any:
    """What a manifest in JSON Lines has. Arrays that JSON cannot express are files below out, named after their content."""
    if isinstance(value, os.PathLike) or (is_path and isinstance(value, str)):
        return os.path.abspath(path_text(value))
    if isinstance(value, Mapping):
        return {key: os.path.abspath(each) if key == "file" else each for key, each in value.items()}
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"a value of a row is neither a path nor an array: {value!r}")
    if array.dtype.kind in "biuU" and 0 < array.size <= 1000 or (array.dtype.kind == "f" and 0 < array.size <= 1000 and np.isfinite(array).all()):
        return array.tolist()
    name = hashlib.sha256(repr((array.dtype.str, array.shape)).encode() + array.tobytes()).hexdigest()
    path = os.path.join(out, ".inputs", f"{name}.npy")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fresh = f"{path}.{os.getpid()}"
        with open(fresh, "wb") as file:
            np.save(file, array)
        os.replace(fresh, path)
    return path


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
        raise _error_of(process.returncode)
    return counts


def _error_of(code: int) -> Error:
    if code in (2, 3):
        return InvalidArgumentError(f"the graph or the items have mistakes (see above; exit code {code})")
    return FailedPreconditionError(f"opsrun batch ended with exit code {code} (see above)")


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
                      tuple(File(f"{name}.so", path, digest_of(path)) for name, path in sorted(plugins.items())),
                      tuple(constants), (*options, *(["--npy"] if "--npy" in words else []), "--token", uuid.uuid4().hex))


class _Distributed:
    """Hands out items, and records what becomes of them.

    Workers write results under names of this call, which get their own here when they are recorded: so a task of an
    earlier call, which nobody waits for any more, replaces nothing.
    """

    def __init__(self, tasks: Any, bundle: Bundle, out: str, group: int, waiting: int, most_failures: int) -> None:
        self._tasks = tasks
        self._bundle = bundle
        self._token = bundle.options[-1]
        self._out = out
        self._group = group
        self._waiting = max(waiting, _TASKS_PER_SLOT)
        self._most_failures = most_failures
        self._ran = self._failed = 0
        self._per_task = group
        self._begin = self._told = time.monotonic()

    def run(self, source: str, words: list[str]) -> dict[str, Any]:
        os.makedirs(self._out, exist_ok=True)
        # The locks of the program: of the folder, and of the journal.
        with (open(os.path.join(self._out, "journal.lock"), "ab") as lock,
              open(os.path.join(self._out, "journal.jsonl"), "ab") as self._journal):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FailedPreconditionError(f"another batch that runs now writes to '{self._out}'") from None
            if glob.glob(os.path.join(glob.escape(self._out), "journal-*-of-*.jsonl")):
                raise FailedPreconditionError(f"there are journals of shards; join them: opsrun batch --merge --out {self._out}")
            for left in glob.glob(os.path.join(glob.escape(self._out), ".*." + "[0-9a-f]" * 32 + ".np[yz]")):
                os.unlink(left)  # of calls that were killed
            _end_line(self._journal)
            listed = [program(), "batch", source, *words, "--dry-run"]
            counted = subprocess.run([*listed, "--json"], stdout=subprocess.PIPE, env=environment(), check=False)
            if counted.returncode != 0:
                raise _error_of(counted.returncode)
            self._counts = json.loads(counted.stdout)
            self._add({"batch": 1, "opsrun": version, "graph": source, "graph_digest": self._counts["graph"],
                       "engine": type(self._tasks).__name__.strip("_").lower()})
            listing = subprocess.Popen(listed, stdout=subprocess.PIPE, env=environment())
            assert listing.stdout is not None
            with listing:
                try:
                    self._hand_out((line.rstrip(b"\n").decode() for line in listing.stdout))
                finally:
                    listing.stdout.close()
                    self._tasks.close()
        return {**self._counts, "ran": self._ran, "ok": self._counts["ok"] + self._ran - self._failed,
                "failed": self._counts["failed"] + self._failed}

    def _add(self, *records: dict[str, Any]) -> None:
        """In one call of the system, with their time."""
        now = round(time.time(), 6)
        self._journal.write("".join(json.dumps({**record, "at": now}) + "\n" for record in records).encode())
        self._journal.flush()

    def _hand_out(self, lines: Iterator[str]) -> None:
        running: dict[Any, tuple[list[dict[str, Any]], int]] = {}
        again: list[tuple[list[dict[str, Any]], int]] = []
        stops = False
        while True:
            while not stops and len(running) < self._tasks.slots() * self._waiting:
                items, tries = again.pop() if again else ([json.loads(line) for line in itertools.islice(lines, self._per_task)], 0)
                if not items:
                    break
                self._add({"status": "submitted", "ids": [item["id"] for item in items], "stamps": [item["stamp"] for item in items]})
                running[self._tasks.submit(run_items, self._bundle, [json.dumps(item) for item in items])] = items, tries
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
                        self._record([self._lost(items[0], result)])
                    else:  # alone, so that an item that takes its worker along does not take others
                        again += [([item], tries + 1) for item in items]
                else:
                    self._record([json.loads(record) for record in result])
            stops = bool(self._most_failures and self._failed >= self._most_failures)

    def _record(self, records: list[dict[str, Any]]) -> None:
        ending = ".npy" if "--npy" in self._bundle.options else ".npz"
        for record in records:
            path = os.path.join(self._out, record["id"])
            if record["status"] == "ok":
                try:
                    os.replace(os.path.join(self._out, f".{record['id']}.{self._token}{ending}"), path + ending)
                except FileNotFoundError:
                    raise FailedPreconditionError(
                        f"a worker has written the results of item '{record['id']}', but they are not in {self._out} here: all "
                        "workers need the same file system") from None
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path + (".npz" if ending == ".npy" else ".npy"))  # of an earlier call with the other format
            else:
                self._failed += 1
                said = "; ".join(error["message"] for error in record.get("errors", []))
                print(f"item '{record['id']}': {said}", file=sys.stderr)
        self._add(*records)
        self._ran += len(records)
        taken = sum(record["seconds"] for record in records) / max(len(records), 1)
        wanted = int(min(_SECONDS_PER_TASK / max(taken, 1e-6), _MOST_ITEMS_PER_TASK, 4 * self._per_task))
        self._per_task = max(wanted // self._group, 1) * self._group

    def _lost(self, item: dict[str, Any], problem: BaseException) -> dict[str, Any]:
        return crash_record(item["id"], item["stamp"], self._counts, f"its workers died again and again: {problem!r}", [])

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

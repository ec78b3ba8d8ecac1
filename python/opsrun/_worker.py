"""A worker of a batch: the files that its items need, and a process of the program opsrun that runs them.

Files are found by their content: an installed plugin, or a file with the same path, is used if it has it. What is missing
is sent once to each machine, and kept in its cache.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import json
import os
import socket
import subprocess
import tempfile
import threading
from typing import Any, NamedTuple

from opsrun._native import version
from opsrun._program import environment, program
from opsrun.errors import FailedPreconditionError


class File(NamedTuple):
    """place: where it belongs, relative to the folder of the graph or of the plugins. digest: SHA-256 of the content."""

    place: str
    path: str
    digest: str


class Bundle(NamedTuple):
    """What a worker needs for the items of a batch. name, files: relative to a folder that holds all of them."""

    name: str
    graph: str
    files: tuple[File, ...]
    plugins: tuple[File, ...]
    constants: tuple[tuple[str, File], ...]
    options: tuple[str, ...]
    version: str  # of opsrun
    contents: Any = None  # by digest, of files that some worker did not have; may be a reference of the engine

    def needs(self) -> tuple[File, ...]:
        return (*self.files, *self.plugins, *(file for _, file in self.constants))

    def key(self) -> tuple[Any, ...]:
        return (self.name, self.graph, self.options, *((file.place, file.digest) for file in self.needs()))


class Missing(NamedTuple):
    """The digests of files that a worker lacks."""

    digests: tuple[str, ...]


def optional_module(name: str, extra: str) -> Any:
    """A module that opsrun does not need otherwise."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise ImportError(f"this needs {name}: pip install \"opsrun[{extra}]\"", name=problem.name) from problem


def digest_of(path: str) -> str:
    """SHA-256 of a file, which is read again only if it has changed."""
    found = os.stat(path)
    return _digest_of(path, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


@functools.lru_cache(256)
def _digest_of(path: str, _version: tuple[int, ...]) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def crash_record(id_: str, stamp: int, basis: dict[str, Any], message: str, notes: list[str]) -> dict[str, Any]:
    """basis: the digests of graph and plugins. stamp: of the inputs, as the program has printed it."""
    error = {"level": "error", "code": "R406", "message": message, "file": None, "spans": [], "suggestion": None, "help": [], "notes": notes}
    return {"id": id_, "status": "crashed", "seconds": 0, "inputs": "", "stamp": stamp, "graph": basis["graph"],
            "plugins": basis["plugins"], "errors": [error]}


def run_items(bundle: Bundle, items: list[str], contents: dict[str, bytes] | None = None) -> list[str] | Missing:
    """Runs items, which are lines of JSON, and returns their records. Runs on a worker."""
    if bundle.version != version:  # of a worker that has joined since the batch began
        raise FailedPreconditionError(f"worker {socket.gethostname()} has opsrun {version}, the batch {bundle.version}")
    process = _take(bundle, contents or {})
    if isinstance(process, Missing):
        return process
    records = process.run(items)
    with _lock:
        _idle.setdefault(bundle.key(), []).append(process)
    return records


# Processes that run nothing now. A worker may have several threads.
_lock = threading.Lock()
_idle: dict[tuple[Any, ...], list[_Process]] = {}


def close_idle(but: tuple[Any, ...] | None = None) -> None:
    """Ends the processes of other batches that run nothing: each keeps an engine."""
    with _lock:
        ended = [process for key in list(_idle) if key != but for process in _idle.pop(key)]
    for process in ended:
        process.close()


def _take(bundle: Bundle, contents: dict[str, bytes]) -> _Process | Missing:
    key = bundle.key()
    close_idle(key)
    with _lock:
        if _idle.get(key):
            return _idle[key].pop()
    found = {}
    for file in bundle.needs():
        path = _find(file, contents)
        if path is not None:
            found[file.digest] = path
    missing = tuple(sorted({file.digest for file in bundle.needs()} - set(found)))
    return Missing(missing) if missing else _Process(bundle, found)


def _find(file: File, contents: dict[str, bytes]) -> str | None:
    cached = os.path.join(_cache(), file.digest)
    for path in (file.path, cached):
        with contextlib.suppress(OSError):
            if digest_of(path) == file.digest:
                return path
    if file.digest not in contents:
        return None
    os.makedirs(_cache(), mode=0o700, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=_cache())
    with os.fdopen(handle, "wb") as target:
        target.write(contents[file.digest])
    os.replace(fresh, cached)
    return cached


def _cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "opsrun", "batch")


class _Process:
    """`opsrun batch --worker`, which is started again when it has ended."""

    def __init__(self, bundle: Bundle, found: dict[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="opsrun-worker-")
        place = self._folder.name
        graph = os.path.join(place, "graph", bundle.name)
        constants = tuple(file for _, file in bundle.constants)
        for kind, files in (("graph", bundle.files), ("plugins", bundle.plugins), ("constants", constants)):
            for each in files:
                link = os.path.join(place, kind, each.place)
                os.makedirs(os.path.dirname(link), exist_ok=True)
                os.symlink(found[each.digest], link)
        os.makedirs(os.path.dirname(graph), exist_ok=True)
        with open(graph, "w", encoding="utf-8") as file:
            file.write(bundle.graph)
        self._words = [program(), "batch", graph, "--worker", *bundle.options]
        for name, constant in bundle.constants:
            self._words += ["--feed", f"{name}={place}/constants/{constant.place}"]
        if bundle.plugins:
            self._words += ["--plugins", os.path.join(place, "plugins")]
        self._start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._process.wait()
        self._log.close()
        self._folder.cleanup()

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
                                         encoding="utf-8", env=environment())
        ready = self._read()
        if ready is None:
            raise RuntimeError(f"opsrun batch --worker ended at once: {self._said()}")
        self._basis = json.loads(ready)
        self._stamps: dict[str, int] = {}

    def run(self, items: list[str]) -> list[str]:
        """The record of each item. Items that run when the process ends are tried once more, alone."""
        lines = {json.loads(item)["id"]: item for item in items}
        records: dict[str, str] = {}
        suspects: list[str] = []
        while len(records) < len(lines):
            fresh = [id_ for id_ in lines if id_ not in records and id_ not in suspects]
            now = fresh or suspects[:1]
            before = len(records)
            running = self._send([lines[id_] for id_ in now], records)
            if running is not None:
                guilty = [id_ for id_ in running if id_ not in records] or (now[:1] if len(records) == before else [])
                if fresh:
                    suspects += guilty
                elif guilty:
                    records[guilty[0]] = self._crashed(guilty[0])
                self._start()
            suspects = [id_ for id_ in suspects if id_ not in records]
        return list(records.values())

    def _send(self, items: list[str], records: dict[str, str]) -> list[str] | None:
        """Adds the records of items. The ids that were running when the process ended; None if it goes on."""
        writer = threading.Thread(target=self._write, args=("".join(item + "\n" for item in items) + "\n",))
        writer.start()
        running: list[str] = []
        left = len(items)
        try:
            while left > 0:
                line = self._read()
                if line is None:
                    return running
                record = json.loads(line)
                if record["status"] == "running":
                    running = record["ids"]
                    self._stamps = dict(zip(running, record["stamps"]))
                else:
                    records[record["id"]] = line
                    left -= 1
                    if record.get("stuck"):  # the program ends now
                        return []
        finally:
            writer.join()
        return None

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.write(text)
            self._process.stdin.flush()

    def _read(self) -> str | None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return line[:-1] if line.endswith("\n") else None

    def _said(self) -> str:
        self._process.wait()
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-2000:].strip()

    def _crashed(self, id_: str) -> str:
        said = self._said()
        message = said.splitlines()[0] if said else f"opsrun ended with status {self._process.returncode}"
        return json.dumps(crash_record(id_, self._stamps.get(id_, 0), self._basis, message, said.splitlines()[1:]))

"""The client of an engine: hands out the items of a batch, and records what becomes of them."""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import fcntl
import glob
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import IO, Any

from opsrun._native import version
from opsrun._program import environment, program
from opsrun._worker import Bundle, Missing, crash_record, run_items
from opsrun.errors import Error, FailedPreconditionError, InvalidArgumentError, UnavailableError

# A task is to take about this long, so that the engine's own cost per task vanishes.
_SECONDS_PER_TASK = 0.5
_MOST_ITEMS_PER_TASK = 1000
_TASKS_PER_SLOT = 2
_MOST_TRIES = 3  # of an item whose workers die
_SECONDS_PER_LINE = 60


def error_of(code: int) -> Error:
    """For the exit code of the program, which has said more."""
    if code in (2, 3):
        return InvalidArgumentError(f"the graph or the items have mistakes (see above; exit code {code})")
    return FailedPreconditionError(f"opsrun batch ended with exit code {code} (see above)")


class Distributed:
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
                raise error_of(counted.returncode)
            self._counts = json.loads(counted.stdout)
            self._add({"batch": 1, "opsrun": version, "graph": source, "graph_digest": self._counts["graph"],
                       "format": "npy" if "--npy" in self._bundle.options else "npz", "engine": type(self._tasks).__name__.strip("_").lower()})
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
            elif record.get("errors", [{}])[0].get("code") == "R501":
                raise FailedPreconditionError(f"item '{record['id']}': {record['errors'][0]['message']}; the same call goes on once there is room")
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

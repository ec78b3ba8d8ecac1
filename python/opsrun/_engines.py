"""The engines that hand out the tasks of a batch: Dask and Ray.

An engine has: slots(), how many tasks run at the same time; submit(function, bundle, items); wait(tasks), which returns
pairs of a task that has ended and its result or exception; with_contents(bundle, missing), which makes files available to
all workers; is_lost_worker(exception); and close(), after which nothing of this batch runs or is kept.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
from typing import Any

from opsrun._native import version
from opsrun._worker import Bundle, Missing, close_idle, optional_module
from opsrun.errors import FailedPreconditionError, UnavailableError

_SECONDS_TO_START = 60


def engine_of(client: Any, options: dict[str, Any]) -> Any:
    """client: a distributed.Client, "ray" or the module ray."""
    if client == "ray" or getattr(client, "__name__", "") == "ray":
        return _Ray(options)
    if type(client).__module__.split(".")[0] == "distributed" and hasattr(client, "submit"):
        return _Dask(client, options)
    raise TypeError(f"client must be a distributed.Client, \"ray\" or None, not {client!r}")


def _contents(bundle: Bundle, missing: Missing) -> dict[str, bytes]:
    contents = {}
    for file in bundle.needs():
        if file.digest in missing.digests:
            with open(file.path, "rb") as opened:
                contents[file.digest] = opened.read()
    return contents


class _Dask:
    def __init__(self, client: Any, options: dict[str, Any]) -> None:
        self._client = client
        if client.status != "running":
            raise FailedPreconditionError(f"this client of Dask is {client.status}: give one that is connected")
        # By means of the standard library alone: a worker without opsrun could not even read a task.
        for worker, found in client.run(eval, "__import__('opsrun').__version__", on_error="return").items():
            if found != version:
                raise FailedPreconditionError(f"worker {worker} has no opsrun {version}, but: {found!r}")
        self._options = {"pure": False, **options}
        self._sent: dict[str, bytes] = {}

    def slots(self) -> int:
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def submit(self, function: Any, bundle: Bundle, items: list[str]) -> Any:
        return self._client.submit(function, bundle._replace(contents=None), items, bundle.contents, **self._options)

    def wait(self, tasks: list[Any]) -> list[tuple[Any, Any]]:
        try:
            ended = optional_module("distributed", "dask").wait(tasks, return_when="FIRST_COMPLETED").done
            return [(task, self._result(task)) for task in ended]
        except Exception as problem:  # such as FuturesCancelledError, which comes when the scheduler has ended
            return [(tasks[0], problem)]

    def close(self) -> None:
        """Ends what the workers keep. Tasks that nobody wants any more were released with their futures."""
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.run(close_idle)

    @staticmethod
    def _result(task: Any) -> Any:
        try:
            return task.result()
        except Exception as problem:  # of any kind that the engine has
            return problem

    def with_contents(self, bundle: Bundle, missing: Missing) -> Bundle:
        if set(missing.digests) <= set(self._sent):
            return bundle
        self._sent.update(_contents(bundle, missing))
        return bundle._replace(contents=self._client.scatter(dict(self._sent), hash=False))

    @staticmethod
    def is_lost_worker(problem: BaseException) -> bool:
        return isinstance(problem, optional_module("distributed.scheduler", "dask").KilledWorker)


class _Ray:
    """An actor for each CPU of the cluster keeps a process, and runs one task at a time."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._ray = ray = optional_module("ray", "ray")
        if not ray.is_initialized():
            ray.init()
        self._options = {"num_cpus": 1, "max_restarts": -1, "max_task_retries": 2, **options}
        resource, of_each = ("GPU", self._options["num_gpus"]) if self._options.get("num_gpus") else ("CPU", self._options["num_cpus"])
        count = int(ray.cluster_resources().get(resource, 0) / of_each) if of_each else 1
        actor = ray.remote(_Actor)
        self._all = [actor.options(**self._options).remote() for _ in range(max(count, 1))]
        # Others may use a part of the cluster: only actors that have started get tasks.
        self._starting = {each.ping.remote(): each for each in self._all}
        self._actors: list[Any] = []
        self._load: list[int] = []
        self._of: dict[Any, int] = {}
        self._sent: dict[str, bytes] = {}
        self._start(_SECONDS_TO_START)
        if not self._actors:
            raise UnavailableError(f"no actor has started on Ray in {_SECONDS_TO_START} seconds; each needs {self._options}")

    def _start(self, seconds: float) -> None:
        started, _ = self._ray.wait(list(self._starting), timeout=seconds) if self._starting else ([], [])
        for ping in started:
            self._ray.get(ping)
            self._actors.append(self._starting.pop(ping))
            self._load.append(0)

    def close(self) -> None:
        for each in self._all:
            self._ray.kill(each)

    def slots(self) -> int:
        self._start(0)
        return len(self._actors)

    def submit(self, function: Any, bundle: Bundle, items: list[str]) -> Any:
        at = self._load.index(min(self._load))
        self._load[at] += 1
        task = self._actors[at].run.remote(function, bundle._replace(contents=None), items, bundle.contents)
        self._of[task] = at
        return task

    def wait(self, tasks: list[Any]) -> list[tuple[Any, Any]]:
        ended, _ = self._ray.wait(tasks, num_returns=1)
        results = []
        for task in ended:
            self._load[self._of.pop(task)] -= 1
            try:
                results.append((task, self._ray.get(task)))
            except Exception as problem:  # of any kind that the engine has
                results.append((task, problem))
        return results

    def with_contents(self, bundle: Bundle, missing: Missing) -> Bundle:
        if set(missing.digests) <= set(self._sent):
            return bundle
        self._sent.update(_contents(bundle, missing))
        return bundle._replace(contents=self._ray.put(dict(self._sent)))

    def is_lost_worker(self, problem: BaseException) -> bool:
        return isinstance(problem, self._ray.exceptions.RayActorError)


class _Actor:
    def ping(self) -> None:
        """Returns when the actor has started."""

    def run(self, function: Any, bundle: Bundle, items: list[str], contents: Any) -> Any:
        return function(bundle, items, contents)

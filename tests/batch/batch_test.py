"""batch_test.py: opsrun.batch here, on Dask and on Ray: the same results, whatever dies on the way.

The clusters are real: several processes on this machine. They are found in build/venv_batch (scripts/frameworks batch).

SPDX-License-Identifier: Apache-2.0
"""

import collections
import contextlib
import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import opsrun

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/batch"
BIN = pathlib.Path(opsrun.__file__).parents[2] / "bin"
PLUGINS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops")
FATE = """
opsrun: 1
feeds: {x: {dtype: int32, shape: [-1]}}
nodes: {y: {op: TestFate, in: x}}
outputs: [y]
"""


@pytest.fixture(scope="module", autouse=True)
def plugins():
    opsrun.configure([PLUGINS])


@contextlib.contextmanager
def dask_client(workers=2):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            yield client


@contextlib.contextmanager
def ray_client():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        yield "ray"
    finally:
        ray.shutdown()


@contextlib.contextmanager
def nothing():
    yield None


ENGINES = [pytest.param(nothing, id="here"), pytest.param(dask_client, id="dask"), pytest.param(ray_client, id="ray")]


def items(tmp_path, *fates):
    """A manifest, and the graph."""
    (tmp_path / "fate.yaml").write_text(FATE)
    with open(tmp_path / "items.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "x"), *((f"i{i}", f"[{fate}]") for i, fate in enumerate(fates))])
    return str(tmp_path / "fate.yaml"), str(tmp_path / "items.csv"), str(tmp_path / "out")


def ended(out):
    """How often each item has ended."""
    count = collections.Counter()
    for name in os.listdir(out):
        if name.endswith(".jsonl"):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                count.update(record["id"] for record in map(json.loads, file) if "id" in record)
    return count


def results(result):
    return {record["id"]: result.load(record["id"])["y"].tolist() for record in result.records() if record["status"] == "ok"}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_everywhere(tmp_path, engine):
    graph, manifest, out = items(tmp_path, *range(100, 400))
    with engine() as client:
        result = opsrun.batch(graph, manifest, out, client=client)
        again = opsrun.batch(graph, manifest, out, client=client)
    assert (result.items, result.ok, result.failed, result.ran) == (300, 300, 0, 300)
    assert (again.ok, again.ran) == (300, 0)
    assert results(result) == {f"i{i}": [100 + i] for i in range(300)}
    assert set(ended(out).values()) == {1}


@pytest.mark.parametrize("engine", ENGINES)
def test_crashes_errors_and_timeouts_are_recorded_and_the_rest_goes_on(tmp_path, engine):
    graph, manifest, out = items(tmp_path, *range(100, 120), 13, 15, 14, *range(120, 140))
    with engine() as client:
        for _ in range(5 if client is None else 1):  # a crash, or a kernel that does not return, ends the program here
            with contextlib.suppress(opsrun.errors.FailedPreconditionError):
                result = opsrun.batch(graph, manifest, out, client=client, keep_going=True, item_timeout=0.3)
    assert (result.ok, result.failed) == (40, 3)
    assert {record["id"]: record["status"] for record in result.records() if record["status"] != "ok"} == {
        "i20": "crashed", "i21": "failed", "i22": "timeout"}
    assert set(ended(out).values()) == {1}


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_what_began_here_goes_on_there(tmp_path, engine):
    graph, manifest, out = items(tmp_path, *range(100, 150), 15, *range(150, 200))
    first = opsrun.batch(graph, manifest, out)
    assert first.failed == 1 and first.ran == 51
    with engine() as client:
        second = opsrun.batch(graph, manifest, out, client=client, keep_going=True)
    third = opsrun.batch(graph, manifest, out, keep_going=True)
    assert (second.ran, second.ok, third.ran) == (50, 100, 0)
    assert set(ended(out).values()) == {1}


def test_a_hundred_thousand_items(tmp_path):
    graph, manifest, out = items(tmp_path, *range(100, 100_100))
    with dask_client() as client:
        result = opsrun.batch(graph, manifest, out, client=client, npy=True)
    assert (result.ok, result.ran) == (100_000, 100_000)
    assert set(ended(out).values()) == {1}
    assert result.load("i99999").tolist() == [100_099]


def test_workers_of_dask_that_are_killed_lose_and_double_nothing(tmp_path):
    graph, manifest, out = items(tmp_path, *range(1_000_000, 1_002_000))
    killed = []
    with dask_client() as client:
        def kill():
            random.seed(3)
            for _ in range(3):
                time.sleep(random.uniform(0.2, 0.5))
                with contextlib.suppress(Exception):  # the cluster may be gone
                    killed.append(os.kill(random.choice(list(client.run(os.getpid).values())), signal.SIGKILL))

        killer = threading.Thread(target=kill)
        killer.start()
        result = opsrun.batch(graph, manifest, out, client=client)
        killer.join()
    assert killed
    assert results(result) == {f"i{i}": [1_000_000 + i] for i in range(2000)}
    assert set(ended(out).values()) == {1}


def actors():
    """The processes of Ray's actors."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            if file.read().startswith("ray::_Actor"):
                yield int(pid)


def test_actors_of_ray_that_are_killed_lose_and_double_nothing(tmp_path):
    graph, manifest, out = items(tmp_path, *range(1_000_000, 1_002_000))
    killed = []
    with ray_client() as client:
        def kill():
            for _ in range(3):
                time.sleep(0.5)
                killed.extend(os.kill(pid, signal.SIGKILL) for pid in actors())

        killer = threading.Thread(target=kill)
        killer.start()
        result = opsrun.batch(graph, manifest, out, client=client)
        killer.join()
    assert killed
    assert results(result) == {f"i{i}": [1_000_000 + i] for i in range(2000)}
    assert set(ended(out).values()) == {1}


SCRIPT = """
import sys, opsrun
from distributed import Client
if __name__ == "__main__":
    opsrun.configure([sys.argv[4]])
    with Client(sys.argv[5]) as client:
        opsrun.batch(sys.argv[1], sys.argv[2], sys.argv[3], client=client)
"""


def start_scheduler(tmp_path):
    """A scheduler, a worker, and the file that says where they are."""
    where = tmp_path / f"scheduler{time.monotonic_ns()}.json"
    scheduler = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(where), "--port", "0",
                                  "--no-dashboard", "--host", "127.0.0.1"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while not where.exists():
        time.sleep(0.05)
    worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(where), "--no-dashboard",
                               "--no-nanny", "--nthreads", "1", "--death-timeout", "5", "--local-directory", str(tmp_path)],
                              stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(where, encoding="utf-8") as file:
        return scheduler, worker, json.load(file)["address"]


def test_a_scheduler_or_a_program_that_is_killed_loses_nothing(tmp_path):
    graph, manifest, out = items(tmp_path, *range(1_000_000, 1_003_000))
    (tmp_path / "run.py").write_text(SCRIPT)
    for victim in ("scheduler", "program", "none"):
        scheduler, worker, address = start_scheduler(tmp_path)
        program = subprocess.Popen([sys.executable, str(tmp_path / "run.py"), graph, manifest, out, PLUGINS, address],
                                   stderr=subprocess.PIPE)
        try:
            if victim != "none":
                journal = os.path.join(out, "journal.jsonl")
                before = os.path.getsize(journal) if os.path.exists(journal) else 0
                while program.poll() is None and (not os.path.exists(journal) or os.path.getsize(journal) < before + 30000):
                    time.sleep(0.01)
                (scheduler if victim == "scheduler" else program).kill()
            said = program.communicate(timeout=120)[1].decode()
            assert (program.returncode == 0) == (victim == "none"), said
        finally:
            for process in (program, worker, scheduler):
                process.kill()
                process.wait()
    result = opsrun.batch(graph, manifest, out)
    assert (result.ok, result.ran) == (3000, 0)
    assert set(ended(out).values()) == {1}


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_files_that_a_worker_lacks_are_sent_once(tmp_path, engine, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "model").mkdir()
    np.save(tmp_path / "model/w.npy", np.float32([10, 100]))
    (tmp_path / "model/graph.yaml").write_text("opsrun: 1\nfeeds: {w: {npy: w.npy}, x: {dtype: float32, shape: [2]}, k: {dtype: float32}}\n"
                                               "nodes: {p: {op: Mul, in: [w, x]}, y: {op: Mul, in: [p, k]}}\noutputs: [y]\n")
    from opsrun import _batch
    # As on another machine: the files are not where they are here.
    monkeypatch.setattr(_batch, "File", lambda place, path, digest: Elsewhere(place, path, digest))
    rows = [{"x": [i, 1]} for i in range(20)]
    with engine() as client:
        result = opsrun.batch(str(tmp_path / "model/graph.yaml"), rows, str(tmp_path / "out"), client=client, feeds={"k": np.float32(2)})
    assert [result.load(str(i + 1))["y"].tolist() for i in range(20)] == [[20 * i, 200] for i in range(20)]
    assert len(os.listdir(tmp_path / "cache/opsrun/batch")) >= 3


class Elsewhere(tuple):
    """A file whose path means nothing to workers."""

    def __new__(cls, place, path, digest):
        return super().__new__(cls, (place, path, digest))

    place = property(lambda self: self[0])
    digest = property(lambda self: self[2])
    path = property(lambda self: self[1])

    def __reduce__(self):
        from opsrun._worker import File
        return File, (self[0], "/nowhere", self[2])


@pytest.mark.parametrize("engine", ENGINES)
def test_tables_and_functions(tmp_path, engine):
    import pyarrow
    import pyarrow.parquet
    import zarr

    @opsrun.function(x=opsrun.TensorSpec("x", "float32", (None,)), k=opsrun.TensorSpec("k", "float32", ()))
    def scaled(x, k):
        return opsrun.ops.math_ops.mul(x, k)

    np.save(tmp_path / "x.npy", np.float32([3, 4]))
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a", "b"], "x": ["x.npy", "x.npy"], "k": [1.0, 0.5]}), tmp_path / "items.parquet")
    with engine() as client:
        opsrun.batch(scaled, tmp_path / "items.parquet", tmp_path / "out", client=client, table=tmp_path / "all.parquet")
        opsrun.batch(scaled, tmp_path / "items.parquet", tmp_path / "out", client=client, table=tmp_path / "all.zarr")
    name = scaled.graph.outputs[0].name
    assert pyarrow.parquet.read_table(tmp_path / "all.parquet").to_pylist() == [{"id": "a", name: [3, 4]}, {"id": "b", name: [1.5, 2]}]
    group = zarr.open_group(tmp_path / "all.zarr", mode="r")
    assert group[name][:].tolist() == [[3, 4], [1.5, 2]]
    assert group.attrs["id"] == ["a", "b"]


def run_example(folder, *words):
    done = subprocess.run([sys.executable, str(EXAMPLES / "read_digits.py"), "--folder", str(folder), *words], capture_output=True, text=True,
                          check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1] if done.stdout else ""


def test_the_digits_are_read_the_same_by_all(tmp_path):
    run_example(tmp_path, "--prepare")
    found = {}
    for engine in ([], ["--engine", "dask"], ["--engine", "ray"]):
        said = run_example(tmp_path, *engine)
        assert said.endswith("of 1797 images are read right; 1797 were read by this command")
        assert run_example(tmp_path, *engine) == said.replace("1797 were", "0 were")
        found[str(engine)] = {path.name: path.read_bytes() for path in (tmp_path / "results").glob("*.npz")}
        (tmp_path / "results").rename(tmp_path / f"results{len(found)}")
    first, *others = found.values()
    assert len(first) == 1797 and all(other == first for other in others)
    # The tasks of the job array, as Slurm starts them.
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    for i in (1, 2, 3):
        subprocess.run(["bash", str(EXAMPLES / "slurm_array.sh")], cwd=tmp_path, check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": str(i), "SLURM_ARRAY_TASK_COUNT": "3"})
    assert {path.name: path.read_bytes() for path in (tmp_path / "results").glob("*.npz")} == first

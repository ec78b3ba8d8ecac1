"""batch_test.py: opsrun.batch here, on Dask and on Ray: the same results, whatever fails on the way.

The clusters are real: several processes on this machine. They are found in build/venv_batch (scripts/frameworks batch).

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import opsrun
import pytest
from clusters import ENGINES, FATE, dask_client, ended, items, processes, results

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/batch"
BIN = pathlib.Path(opsrun.__file__).parents[2] / "bin"


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


@pytest.fixture(scope="module")
def wrong_columns(tmp_path_factory):
    """A file elsewhere that completes the plugin columns: with it, each call of Negate fails."""
    file = tmp_path_factory.mktemp("columns") / "wrong.yaml"
    file.write_text("opsrun_ops: 1\nops: {Negate: {replace: [shape], shape: {y: [7]}}}\n")
    return opsrun.attach("columns", file)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_file_that_completes_a_plugin_goes_with_it(tmp_path, engine, wrong_columns):
    (tmp_path / "graph.yaml").write_text("opsrun: 1\nfeeds: {x: {dtype: float32, shape: [-1]}}\nnodes: {y: {op: Negate, in: x}}\noutputs: [y]\n")
    with engine() as client:
        result = opsrun.batch(str(tmp_path / "graph.yaml"), [{"x": [1, 2]}], str(tmp_path / "out"), client=client, keep_going=True)
    (record,) = (each for each in result.records() if each["status"] == "failed")
    assert "[7]" in record["errors"][0]["message"]


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


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_what_an_interrupted_call_left_is_not_taken_for_results(tmp_path, engine, monkeypatch):
    from opsrun import _distribute

    (tmp_path / "fate.yaml").write_text(FATE)
    rows = {k: [{"id": f"i{i}", "x": [k + i]} for i in range(300)] for k in (1_000_000, 2_000_000)}
    call = lambda k, client: opsrun.batch(str(tmp_path / "fate.yaml"), rows[k], str(tmp_path / "out"), client=client)
    with engine() as client:
        call(1_000_000, client)
        with monkeypatch.context() as patch:
            record = _distribute.Distributed._record
            patch.setattr(_distribute.Distributed, "_record", lambda self, records: record(self, records) if self._ran < 50 else stop())
            with pytest.raises(KeyboardInterrupt):
                call(2_000_000, client)
        result = call(1_000_000, client)
        assert results(result) == {f"i{i}": [1_000_000 + i] for i in range(300)}
        time.sleep(2)  # tasks of the second call may have run meanwhile
        result = call(1_000_000, client)
    assert results(result) == {f"i{i}": [1_000_000 + i] for i in range(300)}
    assert [name for name in os.listdir(tmp_path / "out") if name.startswith(".i")] == []


def stop():
    raise KeyboardInterrupt


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_all_kinds(tmp_path, engine, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphs").mkdir()
    (tmp_path / "weights").mkdir()
    np.save("weights/w.npy", np.float32([2]))
    np.save("x.npy", np.float32([1, 2]))
    (tmp_path / "graphs/scale.yaml").write_text("opsrun: 1\nfeeds: {w: {npy: ../weights/w.npy}, x: {dtype: float32, shape: [-1]}}\n"
                                                "nodes: {y: {op: Mul, in: [x, w]}}\noutputs: [y]\n")
    rows = [{"x": "x.npy"}, {"x": {"file": "x.npy"}}, {"x": np.float32([np.nan, np.inf])}, {"x": []}, {"x": np.arange(3000, dtype=np.float32)}]
    with engine() as client:
        result = opsrun.batch("graphs/scale.yaml", rows, "out", client=client)
        with pytest.raises(TypeError):
            opsrun.batch("graphs/scale.yaml", [{"x": object()}], "out", client=client)
    assert result.ok == 5
    found = [result.load(str(i + 1))["y"] for i in range(5)]
    assert found[0].tolist() == found[1].tolist() == [2, 4] and np.isnan(found[2][0]) and found[3].shape == (0,)
    assert found[4].tolist() == (2 * np.arange(3000)).tolist()


def test_workers_of_another_version_and_closed_clients_are_refused(tmp_path, monkeypatch):
    graph, manifest, out = items(tmp_path, 1, 2, 3)
    with dask_client(1) as client:
        with monkeypatch.context() as patch, pytest.raises(opsrun.errors.UnavailableError, match="has opsrun .*, the batch 9.9.9"):
            patch.setattr(opsrun._batch, "version", "9.9.9")  # as if a worker had joined since the client looked
            opsrun.batch(graph, manifest, out, client=client)
        client.close()
        with pytest.raises(opsrun.errors.FailedPreconditionError, match="is closed"):
            opsrun.batch(graph, manifest, out, client=client)


def test_processes_of_earlier_batches_end(tmp_path):
    graph, manifest, out = items(tmp_path, 1, 2, 3)
    with dask_client() as client:
        for i in range(3):
            opsrun.batch(graph, manifest, out + str(i), client=client)
        assert not [pid for pid, words in processes() if out in words]


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

"""clusters.py: clusters of several processes on this machine, and batches for them.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import contextlib
import csv
import json
import os

import pytest

PLUGINS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops")
FATE = """
opsrun: 1
feeds: {x: {dtype: int32, shape: [-1]}}
nodes: {y: {op: TestFate, in: x}}
outputs: [y]
"""


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


def processes():
    """The number and the command line of each process."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            yield int(pid), file.read().replace("\0", " ")

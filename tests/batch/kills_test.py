"""kills_test.py: opsrun.batch loses and doubles nothing, whoever is killed.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import opsrun
from clusters import PLUGINS, dask_client, ended, items, processes, ray_client, results


def batch_with_kills(tmp_path, client, kill):
    """A batch, during which `kill` kills three times, as soon as the first items have ended."""
    graph, manifest, out = items(tmp_path, *range(1_000_000, 1_002_000))
    over = threading.Event()
    killed = []

    def kill_some():
        while not over.is_set() and not (os.path.exists(out) and ended(out)):
            time.sleep(0.02)
        for _ in range(3):
            with contextlib.suppress(Exception):  # the cluster may be gone
                killed.append(kill())
            over.wait(0.4)

    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        result = opsrun.batch(graph, manifest, out, client=client)
    finally:
        over.set()
        killer.join()
    assert killed
    assert results(result) == {f"i{i}": [1_000_000 + i] for i in range(2000)}
    assert set(ended(out).values()) == {1}


def test_workers_of_dask_that_are_killed_lose_and_double_nothing(tmp_path):
    random.seed(3)
    with dask_client() as client:
        batch_with_kills(tmp_path, client, lambda: os.kill(random.choice(list(client.run(os.getpid).values())), signal.SIGKILL))


def test_actors_of_ray_that_are_killed_lose_and_double_nothing(tmp_path):
    with ray_client() as client:
        batch_with_kills(tmp_path, client, lambda: [os.kill(pid, signal.SIGKILL) for pid, words in processes()
                                                    if words.startswith("ray::_Actor")])


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

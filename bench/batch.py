#!/usr/bin/env python3
"""bench/batch.py: what opsrun batch costs beyond the runs, here, on Dask and on Ray.

usage: bench/batch.py [--items N] [--many N] [--folder DIR] > bench/results/batch.txt

Needs the environment of scripts/frameworks batch, with PYTHONPATH=build/release/python. DIR is best in memory, such as
/dev/shm: creating a file costs 10 to 300 us on a disk's file system, depending on what it has deleted before.
SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import opsrun

GRAPH = """
opsrun: 1
feeds: {x: {dtype: float32, shape: [-1]}, k: {dtype: float32}}
nodes: {y: {op: Mul, in: [x, k]}}
outputs: [y]
"""
PROGRAM = pathlib.Path(opsrun.__file__).parents[2] / "bin/opsrun"


def show(what, value, unit, note=""):
    print(f"{what:58} {value:>12} {unit:8} {note}", flush=True)


def command(folder, *words, graph="graph.yaml"):
    """Seconds, and the peak of memory in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen([PROGRAM, "batch", folder / graph, "--out", folder / "out", "-q", *words])
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"opsrun batch ended with {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def run_seconds(out):
    """The time of the runs alone."""
    with open(out / "journal.jsonl", encoding="utf-8") as file:
        return sum(json.loads(line).get("seconds", 0) for line in file)


def manifest(folder, count):
    (folder / "graph.yaml").write_text(GRAPH)
    with open(folder / "items.csv", "w", encoding="utf-8") as file:
        file.write("id,x,k\n")
        file.writelines(f'a{i},"[1,2,{i}]",0.5\n' for i in range(count))
    shutil.rmtree(folder / "out", ignore_errors=True)


def here(folder, items, many):
    for words in (["--npy"], [], ["--npy", "--concurrency", "2"], ["--npy", "--group", "100"]):
        manifest(folder, items)
        seconds, _ = command(folder, "--inputs", folder / "items.csv", *words)
        beyond = (seconds - run_seconds(folder / "out")) / items * 1e6
        show(f"{items} items of three numbers: {' '.join(words) or '.npz'}", f"{seconds / items * 1e6:.1f}", "us each", f"{beyond:.1f} us beyond the run")
    seconds, _ = command(folder, "--inputs", folder / "items.csv", "--npy")
    show(f"the same again, {items} finished items", f"{seconds:.2f}", "s")
    manifest(folder, many)
    _, memory = command(folder, "--inputs", folder / "items.csv", "--npy", "--group", "100")
    show(f"{many} items: memory of the program", f"{memory:.0f}", "MB")
    seconds, memory = command(folder, "--inputs", folder / "items.csv", "--npy")
    show(f"the same again, {many} finished items", f"{memory:.0f}", "MB", f"{seconds:.1f} s")


def nothing(_):
    return 0


def engines(folder, items):
    import ray
    from distributed import Client

    small = items // 10
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        client.gather(client.map(nothing, range(10)))
        begin = time.perf_counter()
        client.gather(client.map(nothing, range(small)))
        show(f"Dask: {small} tasks that do nothing", f"{(time.perf_counter() - begin) / small * 1e6:.0f}", "us each")
        batch("Dask", folder, small, client)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    empty = ray.remote(nothing)
    ray.get([empty.remote(0) for _ in range(10)])
    begin = time.perf_counter()
    ray.get([empty.remote(0) for _ in range(small)])
    show(f"Ray: {small} tasks that do nothing", f"{(time.perf_counter() - begin) / small * 1e6:.0f}", "us each")
    batch("Ray", folder, small, "ray")
    ray.shutdown()


def batch(name, folder, items, client):
    for label in ("first", "second"):  # the workers start their processes in the first
        manifest(folder, items)
        begin = time.perf_counter()
        opsrun.batch(folder / "graph.yaml", folder / "items.csv", folder / "out", client=client, npy=True)
        show(f"{name}: {items} items, {label} batch", f"{(time.perf_counter() - begin) / items * 1e6:.0f}", "us each")


def digits(folder):
    """The images of examples/batch, with one and two workers."""
    example = pathlib.Path(__file__).parents[1] / "examples/batch/read_digits.py"
    subprocess.run([sys.executable, example, "--prepare", "--folder", folder], check=True, stdout=subprocess.DEVNULL)
    for words in (["--concurrency", "1"], ["--concurrency", "2"], ["--group", "32"], ["--group", "32", "--concurrency", "2"]):
        shutil.rmtree(folder / "out", ignore_errors=True)
        seconds, _ = command(folder, "--feed", f"image={folder}/images/*.npy", "--threads", "2" if "2" in words else "1", *words, graph="digits.yaml")
        show(f"digits: 1,797 images, {' '.join(words)}", f"{1797 / seconds:.0f}", "items/s")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--items", type=int, default=100_000)
    arguments.add_argument("--many", type=int, default=1_000_000)
    arguments.add_argument("--folder", default="/dev/shm")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        here(pathlib.Path(folder), options.items, options.many)
        engines(pathlib.Path(folder), options.items)
        digits(pathlib.Path(folder))
    show("memory of this program, which called the engines", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}", "MB",
         f"NumPy {np.__version__}")


if __name__ == "__main__":
    main()

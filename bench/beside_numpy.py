"""bench/beside_numpy.py: times ops and NumPy in turns, with one thread each. For array_ops.py and similar scripts.

A case is a tuple: a name, an op, its inputs (a list stands for a list argument), its attrs, and a function without
arguments that does the same with NumPy, writing to an existing array if NumPy's function has an `out`. opsrun is
measured by "opsrun bench --json".

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy as np  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# products: the number of multiplications in a run of the case, or 0 if that is not reported.
Case = collections.namedtuple("Case", "name op inputs attrs function products", defaults=[0])


def numpy_time(function, seconds):
    function()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def write_graph(case, folder):
    """Writes a graph for the case. Returns its path and the arguments that feed it."""
    arrays = {}

    def feed(value):
        name = f"x{len(arrays)}"
        arrays[name] = np.asarray(value)
        return name

    words = [[feed(v) for v in value] if isinstance(value, list) else feed(value) for value in case.inputs]
    graph = {"opsrun": 1, "feeds": {}, "outputs": [], "nodes": {"y": {"op": case.op, "in": words, "attrs": case.attrs}}}
    arguments = []
    for name, array in arrays.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, array)
        # Small inputs, such as axes, are constants. A graph with only constants would be folded.
        small = array.size <= 16
        graph["feeds"][name] = {"npy": path} if small else {"dtype": str(array.dtype), "shape": list(array.shape)}
        arguments += [] if small else ["--feed", f"{name}={path}"]
    path = os.path.join(folder, "graph.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graph, file)
    return path, arguments


def opsrun_time(path, arguments, options):
    done = subprocess.run([options.opsrun, "bench", path, "--json", "--threads", "1", "--seconds", str(options.seconds),
                           *arguments], capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)["run"]["median_ns"] / 1e9


def measure(case, options):
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        path, arguments = write_graph(case, folder)
        for _ in range(options.rounds):
            ours.append(opsrun_time(path, arguments, options))
            theirs.append(numpy_time(case.function, options.seconds))
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    mine, numpys = statistics.median(ours), statistics.median(theirs)
    rate = f"{case.products / mine / 1e9:8.1f} G products/s" if case.products else ""
    print(f"{case.name:40} {mine * 1e3:8.2f} ms {numpys * 1e3:8.2f} ms {ratio:6.2f} {rate}".rstrip(), flush=True)


def parser(description):
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("--opsrun", default=os.path.join(ROOT, "build/release/bin/opsrun"))
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument("--seconds", type=float, default=0.5, help="of each side and round")
    made.add_argument("cases", nargs="*", help="parts of the names of cases; the default is all")
    return made


def run(cases, options):
    print(f"{options.rounds} rounds of {options.seconds} s each, medians; NumPy {np.__version__}\n"
          f"{'':40} {'opsrun':>11} {'NumPy':>11} {'ratio':>6}")
    for case in (Case(*fields) for fields in cases):
        if not options.cases or any(part in case.name for part in options.cases):
            measure(case, options)

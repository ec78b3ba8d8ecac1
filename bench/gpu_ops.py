#!/usr/bin/env python3
"""bench/gpu_ops.py: the fraction of a GPU's bandwidth that ops reach, and the other costs of a node on a GPU.

Each figure is the difference between two graphs, one with twice as many nodes as the other, so fixed costs of a run do
not count. Bandwidth is the minimum that a node must read and write, relative to a copy within the GPU in the same run;
a matrix product is compared with a direct call of cuBLAS.

usage: bench/gpu_ops.py [--bytes N] [--size N] [--links N] [--seconds S] [CASE...]     CASE: part of a name

`bench/run_bench gpu` builds what it needs and writes bench/results/gpu.txt. Without a GPU it prints SKIPPED and exits
with 77. It also works on the test double (docs/write_a_gpu_op.md), but then reports that its numbers are meaningless.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import datetime
import json
import math
import os
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# nodes(k): k nodes, by name, and the name of the last, of which one element is the output. bytes(k): the minimum that
# they read and write.
Case = collections.namedtuple("Case", "name feeds nodes bytes")


def options_of_command_line():
    build = os.environ.get("OPSRUN_BUILD", os.path.join(ROOT, "build/release"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opsrun", default=os.path.join(build, "bin/opsrun"))
    parser.add_argument("--reference", default=os.path.join(build, "bin/gpu_reference"))
    parser.add_argument("--plugins", default=os.path.join(build, "lib/opsrun"))
    parser.add_argument("--bytes", type=int, default=256 << 20, help="of each array")
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of matrices that are multiplied")
    parser.add_argument("--links", type=int, default=10, help="nodes of the shorter graph")
    parser.add_argument("--rounds", type=int, default=3, help="medians are of so many")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each graph and round")
    parser.add_argument("cases", nargs="*", help="parts of names; the default is all")
    return parser.parse_args()


# Graphs
def random_feed(shape, dtype="float32", **limits):
    return {"random": "uniform", "seed": 1, "shape": list(shape), "dtype": dtype, **limits}


def indices(*values):
    return {"value": list(values), "dtype": "int32"}


def graph_of(case, k):
    nodes, last, rank = case.nodes(k)
    feeds = {**case.feeds, "bench_begin": indices(*[0] * rank), "bench_size": indices(*[1] * rank)}
    nodes["bench_one"] = {"op": "Slice", "in": [last, "bench_begin", "bench_size"]}
    return {"opsrun": 1, "feeds": feeds, "nodes": nodes, "outputs": ["bench_one"]}


def chain(op, others=(), attrs=None, rank=2):
    """Nodes that each read the previous one; attrs may be a function of the node's number."""
    def nodes(k):
        made = {}
        for i in range(k):
            made[f"n{i}"] = {"op": op, "in": [f"n{i - 1}" if i else "x", *others],
                             "attrs": attrs(i) if callable(attrs) else attrs or {}}
        return made, f"n{k - 1}", rank
    return nodes


def all_of(op, other, attrs=None, rank=1):
    """Nodes that all read x and have small outputs, which are summed at the end."""
    def nodes(k):
        made = {f"n{i}": {"op": op, "in": ["x", other], "attrs": attrs or {}} for i in range(k)}
        return {**made, "sum": {"op": "AddN", "in": [[f"n{i}" for i in range(k)]]}}, "sum", rank
    return nodes


def concat_nodes(k):
    made = {f"n{i}": {"op": "ConcatV2", "in": [[f"n{i - 1}" if i else "x", "row"], "axis_0"]} for i in range(k)}
    return made, f"n{k - 1}", 2


def cases(options):
    elements = options.bytes // 4
    columns = 1 << max(int(math.log2(elements)) // 2, 1)
    rows = elements // columns
    x = random_feed((rows, columns), low=0.5, high=1)
    row, column = random_feed((1, columns)), random_feed((rows, 1))
    array = 4 * rows * columns

    def grown(at):
        """Bytes of k nodes whose output adds a border to the input: both are read or written."""
        return lambda k: sum(at(i) + at(i + 1) for i in range(k))

    def of_each(n):
        return lambda k: k * n

    yield Case("ConcatV2, one more row", {"x": x, "row": row, "axis_0": {"value": 0, "dtype": "int32"}}, concat_nodes,
               grown(lambda i: array + 4 * columns * i))
    yield Case("Cast, float32 to float16 and back", {"x": x},
               chain("Cast", attrs=lambda i: {"DstT": "float32" if i % 2 else "float16"}), of_each(array * 3 // 2))
    yield Case("Neg", {"x": x}, chain("Neg"), of_each(2 * array))
    yield Case("Tanh", {"x": x}, chain("Tanh"), of_each(2 * array))
    yield Case("Add", {"x": x}, chain("Add", ["x"]), of_each(3 * array))
    yield Case("Add, a row to all rows", {"x": x, "row": row}, chain("Add", ["row"]), of_each(2 * array))
    yield Case("Add, a column to all columns", {"x": x, "column": column}, chain("Add", ["column"]), of_each(2 * array))
    for op in "Sum", "ArgMax":
        yield Case(f"{op} of rows", {"x": x, "axes": {"value": 1, "dtype": "int32"}},
                   all_of(op, "axes", {"output_type": "int32"} if op == "ArgMax" else None), of_each(array))
        yield Case(f"{op} of columns", {"x": x, "axes": {"value": 0, "dtype": "int32"}},
                   all_of(op, "axes", {"output_type": "int32"} if op == "ArgMax" else None), of_each(array))
    yield Case("Sum of all", {"x": x, "axes": indices(0, 1)}, all_of("Sum", "axes", {"keep_dims": True}, rank=2),
               of_each(array))
    for name, axis in ("rows", 1), ("columns", 0):
        yield Case(f"Cumsum of {name}", {"x": x, "axis": {"value": axis, "dtype": "int32"}}, chain("Cumsum", ["axis"]),
                   of_each(2 * array))
    yield Case("Transpose", {"x": x, "perm": indices(1, 0)}, chain("Transpose", ["perm"]), of_each(2 * array))
    order = [(i * 7919 + 13) % rows for i in range(rows)]
    yield Case("GatherV2 of rows", {"x": x, "order": indices(*order), "axis_0": {"value": 0, "dtype": "int32"}},
               chain("GatherV2", ["order", "axis_0"]), of_each(2 * array + 4 * rows))
    yield Case("Softmax of rows", {"x": x}, chain("Softmax"), of_each(2 * array))
    yield Case("Pad, one more row and column", {"x": x, "border": {"value": [[0, 1], [0, 1]], "dtype": "int32"}},
               chain("Pad", ["border"]), grown(lambda i: 4 * (rows + i) * (columns + i)))


def product(options, dtype):
    """Scales the factors so that the products neither grow nor shrink."""
    limit = (3 / options.size) ** 0.5
    feeds = {name: random_feed((options.size, options.size), dtype, low=-limit, high=limit) for name in "xy"}
    return Case(f"MatMul {dtype}", feeds, chain("MatMul", ["y"]), None)


def small_chain():
    return Case("a node with one element", {"x": random_feed((1, 1))}, chain("Neg"), None)


# Measuring
class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def seconds(self, graph, words=(), environment=None):
        """The median time of a run."""
        path = os.path.join(self.folder, "graph.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        done = subprocess.run([self.options.opsrun, "bench", path, "--json", "--device", "gpu", "--strict-placement",
                               "--seconds", str(self.options.seconds), "--threads", "1", "--no-default-plugins",
                               "--plugins", self.options.plugins, *words], capture_output=True, check=False, text=True,
                              env={**os.environ, **(environment or {})})
        if done.returncode:
            sys.exit(f"gpu_ops.py: opsrun bench ends with {done.returncode}:\n{done.stderr}")
        return json.loads(done.stdout)["run"]["median_ns"] / 1e9

    def added(self, case, links, words, environment):
        """The seconds that `links` more nodes add to a run."""
        once, twice = (self.seconds(graph_of(case, k), words, environment) for k in (links, 2 * links))
        return twice - once

    def of_a_node(self, case, links, words=(), **environment):
        """The median of the rounds; at least 1 ns, since differences of short times may be negative."""
        rounds = [self.added(case, links, words, environment) for _ in range(self.options.rounds)]
        return max(statistics.median(rounds) / links, 1e-9)


def measure_bandwidth(bench, reference):
    yield (f"{'':38} {'time':>12} {'bandwidth':>14} {'of a copy':>11}")
    copied = reference["copy"]
    size = bench.options.bytes
    yield f"{'copy by the driver':38} {size * 2 / copied * 1e6:9.1f} us {copied / 1e9:9.1f} GB/s {1:11.0%}"
    for case in cases(bench.options):
        if bench.options.cases and not any(part in case.name for part in bench.options.cases):
            continue
        links = bench.options.links
        seconds = bench.of_a_node(case, links)
        rate = (case.bytes(2 * links) - case.bytes(links)) / links / seconds
        yield f"{case.name:38} {seconds * 1e6:9.1f} us {rate / 1e9:9.1f} GB/s {rate / copied:11.0%}"


def measure_products(bench, reference):
    n = bench.options.size
    library = reference.get("cublas")
    yield f"{f'{n} x {n} by {n} x {n}':38} {'cuBLAS':>16} {'MatMul':>16} {'of it':>6} {'without it':>16} {'of it':>6}"
    for dtype in "float32", "float64", "float16", "bfloat16":
        case = product(bench.options, dtype)
        ours, without = (2 * n ** 3 / bench.of_a_node(case, bench.options.links, OPSRUN_CUBLAS=switch) for switch in "10")
        theirs = reference["products"][dtype] if library else math.nan
        cells = [f"{rate / 1e12:9.2f} TFLOPS" for rate in (theirs, ours, without)]
        yield (f"{case.name:38} {cells[0]} {cells[1]} {ours / theirs:6.0%} {cells[2]} {without / theirs:6.0%}"
               .replace("nan TFLOPS", "  - TFLOPS").replace("nan%", "   -"))


def measure_nodes(bench):
    links = 20 * bench.options.links
    for text, words in ("a node of one element", ["--no-cuda-graph"]), ("the same in a CUDA graph", []):
        yield f"{text:38} {bench.of_a_node(small_chain(), links, words) * 1e6:9.2f} us"


def write_npy(path, count):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * count))


def measure_overlap(bench):
    """A copy to the GPU, a chain of nodes that does not depend on it, and both in one graph."""
    count = bench.options.bytes // 4
    path = os.path.join(bench.folder, "fed.npy")
    write_npy(path, count)
    take = {"op": "Slice", "in": ["fed", "bench_begin", "bench_size"]}
    fed = {"fed": {"dtype": "float32", "shape": [count]}, "bench_begin": indices(0), "bench_size": indices(1)}
    compute = graph_of(Case("", {"x": random_feed((count,))}, chain("Tanh", rank=1), None), bench.options.links)
    copy = {"opsrun": 1, "feeds": fed, "nodes": {"taken": take}, "outputs": ["taken"]}
    both = {"opsrun": 1, "feeds": {**compute["feeds"], **fed}, "nodes": {**compute["nodes"], "taken": take},
            "outputs": ["taken", "bench_one"]}
    words = ["--feed", f"fed={path}"]
    times = [statistics.median(bench.seconds(graph, w) for _ in range(bench.options.rounds))
             for graph, w in [(copy, words), (compute, []), (both, words)]]
    hidden = (times[0] + times[1] - times[2]) / min(times[:2])
    for text, seconds in zip(["a copy to the card", f"{bench.options.links} nodes of Tanh", "both in one graph"], times):
        yield f"{text:38} {seconds * 1e6:9.1f} us"
    yield f"{'of the shorter one hidden':38} {hidden:9.0%}"


def read_reference(options):
    done = subprocess.run([options.reference, str(options.bytes), str(options.size), str(options.links)],
                          capture_output=True, check=False, text=True)
    if done.returncode == 77:
        print("SKIPPED:", done.stderr.strip())
        sys.exit(77)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    options = options_of_command_line()
    reference = read_reference(options)
    print(f"gpu_ops: {reference['card']}, sm_{reference['sm']}, driver for CUDA {reference['cuda']}, "
          f"{reference.get('cublas', 'no cuBLAS')}, {datetime.date.today()}; medians of {options.rounds} rounds of "
          f"{options.seconds} s; arrays of {options.bytes} bytes")
    if reference["card"] == "test double":
        print("THIS IS THE TEST DOUBLE, NOT A CARD: the numbers mean nothing.")
    print(f"driver: {reference['to_card'] / 1e9:.1f} GB/s to the card, {reference['from_card'] / 1e9:.1f} GB/s from it")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for lines in (measure_bandwidth(bench, reference), measure_products(bench, reference), measure_nodes(bench),
                      measure_overlap(bench)):
            print()
            for line in lines:
                print(line, flush=True)


main()

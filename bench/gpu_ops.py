#!/usr/bin/env python3
"""bench/gpu_ops.py: the fraction of a GPU's bandwidth that ops reach, and the other costs of a node on a GPU.

Each figure is the difference between two graphs, one with twice as many nodes as the other, so fixed costs of a run do
not count. Bandwidth is the minimum that a node must read and write, relative to a copy within the GPU in the same run;
a matrix product is compared with a direct call of cuBLAS. Where a Python with PyTorch is found, the same work in PyTorch
stands beside it.

usage: bench/gpu_ops.py [--bytes N] [--size N] [--links N] [--seconds S] [--torch PYTHON] [CASE...]
  CASE: part of a name

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
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

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
    parser.add_argument("--rounds", type=int, default=1, help="medians are of so many")
    parser.add_argument("--seconds", type=float, default=0.2, help="of each graph and round")
    parser.add_argument("--torch", help="a Python with PyTorch; the default is the first of this one and python3")
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
    odd = random_feed((rows, columns - 1), low=0.5, high=1)
    row, column, odd_row = random_feed((1, columns)), random_feed((rows, 1)), random_feed((1, columns - 1))
    array, odd_array = 4 * rows * columns, 4 * rows * (columns - 1)

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
    yield Case("Add, a row to all odd rows", {"x": odd, "row": odd_row}, chain("Add", ["row"]), of_each(2 * odd_array))
    yield Case("Sum of odd rows", {"x": odd, "axes": {"value": 1, "dtype": "int32"}}, all_of("Sum", "axes"),
               of_each(odd_array))
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
    yield Case("Softmax of odd rows", {"x": odd}, chain("Softmax"), of_each(2 * odd_array))
    yield Case("Pad, one more row and column", {"x": x, "border": {"value": [[0, 1], [0, 1]], "dtype": "int32"}},
               chain("Pad", ["border"]), grown(lambda i: 4 * (rows + i) * (columns + i)))


def product(options, dtype):
    """Scales the factors so that the products neither grow nor shrink."""
    limit = (3 / options.size) ** 0.5
    feeds = {name: random_feed((options.size, options.size), dtype, low=-limit, high=limit) for name in "xy"}
    return Case(f"MatMul {dtype}", feeds, chain("MatMul", ["y"]), None)


def convolution(options, side, channels):
    """A 3 x 3 convolution of a ResNet, of 32 images; smaller if the matrices are small."""
    name = f"Conv2D, {side} x {side} x {channels}"
    images, side, channels = max(options.size // 128, 1), min(side, options.size), min(channels, options.size)
    limit = (3 / (9 * channels)) ** 0.5
    feeds = {"x": random_feed((images, side, side, channels)),
             "w": random_feed((3, 3, channels, channels), low=-limit, high=limit)}
    return Case(name, feeds,
                chain("Conv2D", ["w"], {"strides": [1, 1, 1, 1], "padding": "SAME"}, rank=4), None)


def small_chain():
    return Case("a node of one element", {"x": random_feed((1, 1))}, chain("Neg"), None)


# Measuring
class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def opsrun(self, command, graph, *words, **environment):
        """The standard output."""
        path = os.path.join(self.folder, "graph.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(graph, file)
        done = subprocess.run([self.options.opsrun, command, path, "--no-default-plugins", "--plugins",
                               self.options.plugins, *words], capture_output=True, check=False, text=True,
                              env={**os.environ, **environment})
        if done.returncode:
            sys.exit(f"gpu_ops.py: opsrun {command} ends with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def seconds(self, graph, words=(), environment=None):
        """The median time of a run."""
        threads = [] if "--feed" in words else ["--threads", "1"]
        done = self.opsrun("bench", graph, "--json", "--device", "gpu", "--strict-placement", "--seconds",
                           str(self.options.seconds), *threads, *words, **(environment or {}))
        return json.loads(done)["run"]["median_ns"] / 1e9

    def seconds_of_process(self, graph, device):
        begin = time.perf_counter()
        self.opsrun("run", graph, "--device", device)
        return time.perf_counter() - begin

    def added(self, case, links, words, environment):
        """The seconds that `links` more nodes add to a run."""
        once, twice = (self.seconds(graph_of(case, k), words, environment) for k in (links, 2 * links))
        return twice - once

    def of_a_node(self, case, links, words=(), **environment):
        """The median of the rounds; at least 1 ns, since differences of short times may be negative."""
        rounds = [self.added(case, links, words, environment) for _ in range(self.options.rounds)]
        return max(statistics.median(rounds) / links, 1e-9)


def measure_bandwidth(bench, reference, theirs):
    yield (f"{'':38} {'time':>12} {'bandwidth':>14} {'of a copy':>11}" + f" {'PyTorch':>9}" * bool(theirs))
    copied = reference["copy"]
    size = bench.options.bytes
    yield f"{'copy by the driver':38} {size * 2 / copied * 1e6:9.1f} us {copied / 1e9:9.1f} GB/s {1:11.0%}"
    for case in cases(bench.options):
        if bench.options.cases and not any(part in case.name for part in bench.options.cases):
            continue
        links = bench.options.links
        seconds = bench.of_a_node(case, links)
        rate = (case.bytes(2 * links) - case.bytes(links)) / links / seconds
        peer = f" {case.bytes(1) / theirs[case.name] / copied:9.0%}" if theirs else ""
        yield f"{case.name:38} {seconds * 1e6:9.1f} us {rate / 1e9:9.1f} GB/s {rate / copied:11.0%}{peer}"


def measure_products(bench, reference, theirs):
    n = bench.options.size
    library = reference.get("cublas")
    yield (f"{f'{n} x {n} by {n} x {n}':38} {'cuBLAS':>16} {'MatMul':>16} {'of it':>6} {'without it':>16} {'of it':>6}"
           + f" {'PyTorch':>9}" * bool(theirs))
    for dtype in "float32", "float64", "float16", "bfloat16":
        case = product(bench.options, dtype)
        ours, without = (2 * n ** 3 / bench.of_a_node(case, bench.options.links, OPSRUN_CUBLAS=switch) for switch in "10")
        direct = reference["products"][dtype] if library else math.nan
        cells = [f"{rate / 1e12:9.2f} TFLOPS" for rate in (direct, ours, without)]
        peer = f" {2 * n ** 3 / theirs[case.name] / direct:9.0%}" if theirs else ""
        yield (f"{case.name:38} {cells[0]} {cells[1]} {ours / direct:6.0%} {cells[2]} {without / direct:6.0%}{peer}"
               .replace("nan TFLOPS", "  - TFLOPS").replace("nan%", "   -"))


def measure_convolutions(bench, theirs):
    yield f"{'32 images, filters of 3 x 3':38} {'Conv2D':>12} {'without cuDNN':>16}" + f" {'PyTorch':>12}" * bool(theirs)
    for side, channels in (56, 64), (28, 128), (14, 256):
        case = convolution(bench.options, side, channels)
        times = [bench.of_a_node(case, bench.options.links, OPSRUN_CUDNN=switch) for switch in "10"]
        peer = f" {theirs[case.name] * 1e6:9.1f} us" if theirs else ""
        yield f"{case.name:38} {times[0] * 1e6:9.1f} us {times[1] * 1e6:13.1f} us{peer}"


def measure_nodes(bench, theirs):
    links = 20 * bench.options.links
    yield f"{'':38} {'opsrun':>12}" + f" {'PyTorch':>12}" * bool(theirs)
    for text, words in ("a node of one element", ["--no-cuda-graph"]), ("the same in a CUDA graph", []):
        peer = f" {theirs[text] * 1e6:9.2f} us" if text in theirs else ""
        yield f"{text:38} {bench.of_a_node(small_chain(), links, words) * 1e6:9.2f} us{peer}"


def write_npy(path, count):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * count))


def measure_links(bench, reference):
    """Copies between ordinary memory and the GPU, and how much of one overlaps with a chain of nodes."""
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
    result = {"opsrun": 1, "feeds": {"x": random_feed((count,))}, "nodes": {"y": {"op": "Neg", "in": "x"}}, "outputs": ["y"]}
    ways = ("a feed to the GPU", times[0], "to_card"), ("a result from it", bench.seconds(result), "from_card")
    for text, seconds, link in ways:
        rate = bench.options.bytes / seconds
        yield f"{text:38} {seconds * 1e6:9.1f} us {rate / 1e9:9.1f} GB/s {rate / reference[link]:11.0%} of the link"
    for text, seconds in zip([f"{bench.options.links} nodes of Tanh", "the feed and the nodes in one graph"], times[1:]):
        yield f"{text:38} {seconds * 1e6:9.1f} us"
    yield f"{'of the shorter one hidden':38} {hidden:9.0%}"


def measure_start(bench, reference):
    """What the first use of a GPU adds to a process."""
    graph = graph_of(small_chain(), 1)
    times = [statistics.median(bench.seconds_of_process(graph, device) for _ in range(3)) for device in ("cpu", "gpu")]
    yield f"{'a process that uses the GPU takes':38} {(times[1] - times[0]) * 1e3:9.1f} ms longer"
    yield f"{'making a context takes the driver':38} {reference['context'] * 1e3:9.1f} ms"


def read_reference(options):
    done = subprocess.run([options.reference, str(options.bytes), str(options.size), str(options.links)],
                          capture_output=True, check=False, text=True)
    if done.returncode == 77:
        print("SKIPPED:", done.stderr.strip())
        sys.exit(77)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def read_peer(options, on_double):
    """PyTorch's version and the seconds of one call by case; nothing if no Python has it."""
    script = os.path.join(ROOT, "bench/peers/gpu_pytorch.py")
    words = ["--bytes", options.bytes, "--size", options.size, "--links", options.links,
             "--device", "cpu" if on_double else "cuda"]
    for python in [options.torch] if options.torch else dict.fromkeys([sys.executable, shutil.which("python3")]):
        done = subprocess.run([python, script, *map(str, words)], capture_output=True, check=False, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout)
        if done.returncode != 77 or options.torch:
            sys.exit(f"gpu_ops.py: {script} ends with {done.returncode}:\n{done.stderr}")
    return {"version": "", "seconds": {}}


def main():
    options = options_of_command_line()
    reference = read_reference(options)
    on_double = reference["card"] == "test double"
    peer = read_peer(options, on_double)
    theirs = peer["seconds"]
    print(f"gpu_ops: {reference['card']}, sm_{reference['sm']}, driver for CUDA {reference['cuda']}, "
          f"{reference.get('cublas', 'no cuBLAS')}, {'PyTorch ' + peer['version'] if theirs else 'no PyTorch'}, "
          f"{datetime.date.today()}; medians of {options.rounds} rounds of {options.seconds} s; arrays of {options.bytes} "
          "bytes")
    if on_double:
        print("THIS IS THE TEST DOUBLE, NOT A CARD: the numbers mean nothing.")
    print(f"driver: {reference['to_card'] / 1e9:.1f} GB/s to the card, {reference['from_card'] / 1e9:.1f} GB/s from it")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for lines in (measure_bandwidth(bench, reference, theirs), measure_products(bench, reference, theirs),
                      measure_convolutions(bench, theirs), measure_nodes(bench, theirs), measure_links(bench, reference),
                      measure_start(bench, reference)):
            print()
            for line in lines:
                print(line, flush=True)


main()

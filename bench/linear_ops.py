#!/usr/bin/env python3
"""bench/linear_ops.py: MatMul, Conv2D and MaxPool beside NumPy, one thread each, in turns.

NumPy has no convolution: what is timed is the copy of all patches and one matrix product, as people write it. A pooling
is the maximum of shifted views. NumPy's BLAS decides much; wheels from PyPI have OpenBLAS.

usage: bench/linear_ops.py [--opsrun PROGRAM] [--rounds N] [CASE...]     CASE: part of a name; the default is all

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy as np  # noqa: E402
from numpy.lib.stride_tricks import sliding_window_view  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 0.5  # each turn


class Case:
    def __init__(self, name, op, shapes, attrs, function, products, dtype="float32"):
        self.name, self.op, self.attrs, self.function, self.products = name, op, attrs, function, products
        random = np.random.default_rng(7)
        self.arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]


def matmul(n, dtype="float32", **attrs):
    def product(a, b):
        return (a.T if attrs.get("transpose_a") else a) @ (b.T if attrs.get("transpose_b") else b)
    suffix = "".join(f" {key}" for key in attrs)
    return Case(f"MatMul {dtype} {n}{suffix}", "MatMul", [(n, n), (n, n)], attrs, product, n ** 3, dtype)


def conv(batch, size, channels, kernel, filters):
    def convolve(images, weights):
        padded = np.pad(images, [(0, 0), (kernel // 2,) * 2, (kernel // 2,) * 2, (0, 0)])
        windows = sliding_window_view(padded, (kernel, kernel), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
        patches = windows.reshape(batch * size * size, kernel * kernel * channels)
        return (patches @ weights.reshape(-1, filters)).reshape(batch, size, size, filters)
    shapes = [(batch, size, size, channels), (kernel, kernel, channels, filters)]
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return Case(f"Conv2D {shapes[0]} {kernel}x{kernel} to {filters}", "Conv2D", shapes, attrs, convolve,
                batch * size ** 2 * kernel ** 2 * channels * filters)


def pool(batch, size, channels, window, stride):
    count = (size - window) // stride + 1

    def largest(images):
        views = [images[:, y:y + (count - 1) * stride + 1:stride, x:x + (count - 1) * stride + 1:stride]
                 for y in range(window) for x in range(window)]
        result = np.maximum(views[0], views[1])
        for view in views[2:]:
            np.maximum(result, view, out=result)
        return result
    attrs = {"ksize": [1, window, window, 1], "strides": [1, stride, stride, 1], "padding": "VALID"}
    shape = (batch, size, size, channels)
    return Case(f"MaxPool {shape} {window}x{window} by {stride}", "MaxPool", [shape], attrs, largest,
                batch * count ** 2 * window ** 2 * channels)


CASES = [matmul(512), matmul(1024), matmul(2048), matmul(1024, transpose_a=True), matmul(1024, transpose_b=True),
         matmul(1024, "float64"), matmul(512, "complex64"), matmul(256, "int32"),
         conv(8, 56, 64, 3, 64), conv(8, 28, 128, 1, 256), conv(8, 64, 3, 5, 32), conv(1, 14, 256, 3, 256),
         pool(8, 56, 64, 2, 2), pool(8, 56, 64, 3, 1), pool(8, 56, 3, 2, 2)]


def numpy_time(case):
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        case.function(*case.arrays)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def opsrun_time(case, options, folder):
    feeds = {f"x{i}": {"npy": f"x{i}.npy"} for i in range(len(case.arrays))}
    for i, array in enumerate(case.arrays):
        np.save(os.path.join(folder, f"x{i}.npy"), array)
    graph = {"opsrun": 1, "feeds": feeds, "outputs": ["y"],
             "nodes": {"y": {"op": case.op, "in": list(feeds), "attrs": case.attrs}}}
    path = os.path.join(folder, "graph.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graph, file)  # JSON is YAML
    command = [options.opsrun, "bench", path, "--threads", "1", "--seconds", str(SECONDS), "--json"]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return report["nodes"][0]["median_ns"] * 1e-9


def measure(case, options):
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            ours.append(opsrun_time(case, options, folder))
            theirs.append(numpy_time(case))
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    mine, numpys = statistics.median(ours), statistics.median(theirs)
    rate = case.products / mine / 1e9
    print(f"{case.name:40} {mine * 1e3:10.2f} ms {numpys * 1e3:10.2f} ms {ratio:8.2f}  {rate:8.1f} G/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opsrun", default=os.path.join(ROOT, "build/release/bin/opsrun"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    print(f"{options.rounds} rounds of {SECONDS} s each, medians; NumPy {np.__version__}\n"
          f"{'':40} {'opsrun':>13} {'NumPy':>13} {'ratio':>8}  {'products':>12}")
    for case in CASES:
        if not options.cases or any(part in case.name for part in options.cases):
            measure(case, options)


main()

#!/usr/bin/env python3
"""bench/linear_ops.py: compares MatMul, Conv2D and MaxPool with NumPy, with one thread each, in turns.

NumPy has no convolution, so the time is that of copying all patches and of one matrix product, the usual approach.
Pooling is the maximum of shifted views. NumPy's results depend on its BLAS; wheels from PyPI have OpenBLAS.

usage: bench/linear_ops.py [--opsrun PROGRAM] [--rounds N] [--seconds S] [CASE...]     CASE: part of a name

SPDX-License-Identifier: Apache-2.0
"""
import beside_numpy
from beside_numpy import np
from numpy.lib.stride_tricks import sliding_window_view

RANDOM = np.random.default_rng(7)


def case(name, op, shapes, attrs, function, products, dtype="float32"):
    arrays = [RANDOM.standard_normal(shape).astype(dtype) for shape in shapes]
    return name, op, arrays, attrs, lambda: function(*arrays), products


def matmul(n, dtype="float32", **attrs):
    def product(a, b):
        return (a.T if attrs.get("transpose_a") else a) @ (b.T if attrs.get("transpose_b") else b)
    suffix = "".join(f" {key}" for key in attrs)
    return case(f"MatMul {dtype} {n}{suffix}", "MatMul", [(n, n), (n, n)], attrs, product, n ** 3, dtype)


def conv(batch, size, channels, kernel, filters):
    def convolve(images, weights):
        padded = np.pad(images, [(0, 0), (kernel // 2,) * 2, (kernel // 2,) * 2, (0, 0)])
        windows = sliding_window_view(padded, (kernel, kernel), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
        patches = windows.reshape(batch * size * size, kernel * kernel * channels)
        return (patches @ weights.reshape(-1, filters)).reshape(batch, size, size, filters)
    shapes = [(batch, size, size, channels), (kernel, kernel, channels, filters)]
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return case(f"Conv2D {shapes[0]} {kernel}x{kernel} to {filters}", "Conv2D", shapes, attrs, convolve,
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
    return case(f"MaxPool {shape} {window}x{window} by {stride}", "MaxPool", [shape], attrs, largest,
                batch * count ** 2 * window ** 2 * channels)


def cases():
    for n in (512, 1024, 2048):
        yield matmul(n)
    yield matmul(1024, transpose_a=True)
    yield matmul(1024, transpose_b=True)
    yield matmul(1024, "float64")
    yield matmul(512, "complex64")
    yield matmul(256, "int32")
    for sizes in (8, 56, 64, 3, 64), (8, 28, 128, 1, 256), (8, 64, 3, 5, 32), (1, 14, 256, 3, 256):
        yield conv(*sizes)
    for sizes in (8, 56, 64, 2, 2), (8, 56, 64, 3, 1), (8, 56, 3, 2, 2):
        yield pool(*sizes)


beside_numpy.run(cases(), beside_numpy.parser(__doc__).parse_args())

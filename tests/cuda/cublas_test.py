"""cublas_test.py: matrix products by cuBLAS, without a card: the plugin opens a libcublas.so.13 on the fake driver.

Numbers are compared with those of the CPU, of small integers, which are exact in every type and order. The double
reports handles that nobody destroys, memory that is taken within a capture, and workspaces that two streams share.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import os
import pathlib
import random
import tempfile
import unittest

import fake_driver
from built import BUILD, DOUBLE, NVCC, SANITIZED

FLOATS = ["float16", "bfloat16", "float32", "float64"]
USED = "computed by libcublas.so.13, version 130000"
FAKE = str(BUILD / "tests/cuda/cublas/fake")


def run(graph, *words, cublas="", **environment):
    """(exit status, stdout, stderr) of a run on the fake driver; cublas: a folder with a libcublas."""
    return fake_driver.opsrun("run", graph, *words, libraries=filter(None, (DOUBLE, cublas)), OPSRUN_DOUBLE_STRICT="1",
                              **environment)


def on_gpu(graph, *words, **environment):
    return run(graph, "--device", "gpu", *words, OPSRUN_VLOG="1", **environment)


def numbers(shape, random):
    return [numbers(shape[1:], random) for _ in range(shape[0])] if shape else random.randint(-4, 4)


def feed(shape, dtype, seed):
    if 0 in shape:
        return {"random": "uniform", "seed": seed, "shape": list(shape), "dtype": dtype}
    return {"value": numbers(shape, random.Random(seed)), "dtype": dtype}


def product(op, x, y, dtype, **attrs):
    """The parts of a graph with one product of feeds with these shapes."""
    return ({"x": feed(x, dtype, 1), "y": feed(y, dtype, 2)}, {"z": {"op": op, "in": ["x", "y"], "attrs": attrs}}, ["z"])


SMALL = product("MatMul", (3, 5), (5, 7), "float32")


class Cublas(fake_driver.Test):
    def assert_as_on_cpu(self, graph, *words, uses=True):
        path = self.graph(*graph)
        status, expected, errors = run(path, *words)
        self.assertEqual((status, "[" in expected), (0, True), errors)
        for schedule in ["eager", "lazy"]:
            with self.subTest(schedule=schedule, graph=graph):
                status, found, errors = on_gpu(path, *words, cublas=FAKE, OPSRUN_DOUBLE_SCHEDULE=schedule)
                self.assertEqual((status, found), (0, expected), errors)
                self.assertEqual(USED in errors, uses, errors)

    def test_types_and_transposes(self):
        for dtype, a, b in itertools.product(FLOATS, [False, True], [False, True]):
            self.assert_as_on_cpu(product("MatMul", (5, 3) if a else (3, 5), (7, 5) if b else (5, 7), dtype,
                                          transpose_a=a, transpose_b=b))

    def test_batches(self):
        shapes = [((6, 2, 3), (6, 3, 4)), ((1, 2, 3), (6, 3, 4)), ((6, 2, 3), (1, 3, 4)), ((6, 2, 3), (3, 4)),
                  ((2, 3), (6, 3, 4)), ((4, 1, 2, 3), (5, 3, 4)), ((4, 1, 5, 2, 3), (6, 1, 3, 4)),
                  ((3, 2, 1, 2, 3), (3, 1, 5, 3, 4)), ((1, 1, 2, 3), (3, 4))]
        for (x, y), adj_x, adj_y in itertools.product(shapes, [False, True], [False, True]):
            x, y = (s[:-2] + s[:-3:-1] if adjoint else s for s, adjoint in [(x, adj_x), (y, adj_y)])
            self.assert_as_on_cpu(product("BatchMatMulV2", x, y, "float32", adj_x=adj_x, adj_y=adj_y))
        self.assert_as_on_cpu(product("BatchMatMul", (6, 2, 3), (6, 3, 4), "float64"))

    def test_what_is_computed_without_it(self):
        """Integers, products of nothing, and batches that would be more calls than they are worth."""
        for graph, uses in ((product("MatMul", (3, 5), (5, 7), "int32"), False), (product("MatMul", (2, 0), (0, 3), "float32"), False),
                            (product("BatchMatMulV2", (65, 1, 1, 2), (65, 2, 1), "float32"), False),
                            (product("BatchMatMulV2", (64, 1, 1, 2), (65, 2, 1), "float32"), True)):
            self.assert_as_on_cpu(graph, uses=uses)

    def test_many_nodes_captured_and_on_several_lanes(self):
        nodes = {f"n{i}": {"op": "MatMul", "in": [f"n{i - 1}" if i else "x", "y"]} for i in range(6)}
        graph = {"x": feed((4, 4), "float64", 1), "y": feed((4, 4), "float64", 2)}, nodes, ["n5"]
        self.assert_as_on_cpu(graph, "--repeat", "12", "--concurrency", "3")
        self.assert_as_on_cpu(graph, "--repeat", "6", "--no-cuda-graph")

    def test_without_a_library_the_results_are_the_same(self):
        path = self.graph(*SMALL)
        expected = run(path)[1]
        with tempfile.TemporaryDirectory() as folder:
            fake_driver.hide_cublas(folder)
            status, found, errors = on_gpu(path, cublas=folder)
        self.assertEqual((status, found), (0, expected), errors)
        self.assertEqual(errors.count("slower than with cuBLAS"), 1, errors)
        self.assertIn("libcublas.so.11", errors)

    def test_it_can_be_switched_off(self):
        path = self.graph(*SMALL)
        status, found, errors = on_gpu(path, cublas=FAKE, OPSRUN_CUBLAS="0")
        self.assertEqual((status, found), (0, run(path)[1]), errors)
        self.assertNotIn("cublas", errors.lower())

    def outcome(self, fake, op="MatMul", batch=()):
        path = self.graph(*product(op, (*batch, 3, 5), (*batch, 5, 7), "float32"))
        status, found, errors = on_gpu(path, cublas=FAKE, OPSRUN_FAKE_CUBLAS=fake)
        return status, found == run(path)[1], errors

    def test_a_library_that_refuses_the_card_is_not_used(self):
        status, same, errors = self.outcome("cublasCreate:8")
        self.assertEqual((status, same), (0, True), errors)
        self.assertIn("cublasCreate of libcublas.so.13 fails with CUBLAS_STATUS_ARCH_MISMATCH (8)", errors)

    def test_a_product_that_is_refused_is_computed_without_it(self):
        for fake, op, batch in [("cublasGemmEx:15", "MatMul", ()), ("cublasGemmStridedBatchedEx:8", "BatchMatMul", (2,))]:
            status, same, errors = self.outcome(fake, op, batch)
            self.assertEqual((status, same), (0, True), errors)
            self.assertIn(USED, errors)

    def test_errors_have_the_name_of_the_call_and_of_the_status(self):
        for fake, text in [("cublasCreate:3", "RESOURCE_EXHAUSTED"), ("cublasCreate:3", "CUBLAS_STATUS_ALLOC_FAILED (3)"),
                           ("cublasSetStream:1", "cublasSetStream of libcublas.so.13 fails with"),
                           ("cublasGemmEx:13", "cublasGemmEx of libcublas.so.13 fails with "
                                               "CUBLAS_STATUS_EXECUTION_FAILED (13)"),
                           ("cublasGemmEx:99", "an unknown status (99)")]:
            status, _, errors = self.outcome(fake)
            self.assertIn(text, errors)
            self.assertIn(status, [1, 5], errors)

    @unittest.skipIf(SANITIZED, "a sanitizer would check the library too")
    def test_the_real_library_has_all_that_is_used(self):
        """The plugin opens it; on the fake driver it finds no card, and reports that."""
        toolkit = pathlib.Path(os.path.realpath(NVCC or "/nowhere/bin/nvcc")).parents[1]
        libraries = [library for folder in ("lib*", "targets/*/lib") for library in toolkit.glob(f"{folder}/libcublas.so.1[1-9]")]
        if not libraries:
            self.skipTest("the CUDA toolkit has no libcublas here")
        path = self.graph(*SMALL)
        for library in libraries:
            status, found, errors = on_gpu(path, cublas=str(library.parent))
            self.assertEqual((status, found), (0, run(path)[1]), errors)
            self.assertIn(f"cublasCreate of {library.name} fails with CUBLAS_STATUS_", errors)

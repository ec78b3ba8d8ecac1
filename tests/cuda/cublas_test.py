"""cublas_test.py: matrix products by cuBLAS, without a card: the plugin opens a libcublas.so.13 on the fake driver.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import fake_driver
from opened_library import FLOATS, OpenedLibrary, feed


def product(op, x, y, dtype, **attrs):
    """The parts of a graph with one product of feeds with these shapes."""
    return ({"x": feed(x, dtype, 1), "y": feed(y, dtype, 2)}, {"z": {"op": op, "in": ["x", "y"], "attrs": attrs}}, ["z"])


class Cublas(OpenedLibrary, fake_driver.Test):
    NAME, FILE, VERSIONS, VERSION = "cuBLAS", "libcublas.so.", (13, 12, 11), 130000
    SWITCH = "OPSRUN_CUBLAS"
    SMALL = product("MatMul", (3, 5), (5, 7), "float32")

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

    def test_a_library_that_refuses_the_card_is_not_used(self):
        status, same, errors = self.outcome("cublasCreate:8")
        self.assertEqual((status, same), (0, True), errors)
        self.assertIn("cublasCreate of libcublas.so.13 fails with CUBLAS_STATUS_ARCH_MISMATCH (8)", errors)

    def test_a_product_that_is_refused_is_computed_without_it(self):
        self.assert_is_refused("cublasGemmEx:15", self.SMALL)
        self.assert_is_refused("cublasGemmStridedBatchedEx:8", product("BatchMatMul", (2, 3, 5), (2, 5, 7), "float32"))

    def test_errors_have_the_name_of_the_call_and_of_the_status(self):
        for failure, text in [("cublasCreate:3", "RESOURCE_EXHAUSTED"), ("cublasCreate:3", "CUBLAS_STATUS_ALLOC_FAILED (3)"),
                              ("cublasSetStream:1", "cublasSetStream of libcublas.so.13 fails with"),
                              ("cublasGemmEx:13", "cublasGemmEx of libcublas.so.13 fails with "
                                                  "CUBLAS_STATUS_EXECUTION_FAILED (13)"),
                              ("cublasGemmEx:99", "an unknown status (99)")]:
            self.assert_fails(failure, text)

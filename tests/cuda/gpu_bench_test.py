"""gpu_bench_test.py: bench/gpu_ops.py on the fake driver: each of its graphs runs, and the output is complete.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys
import tempfile
import unittest

import fake_driver
from built import BUILD, DOUBLE, EMULATED, OPSRUN, ROOT

FAKE = str(BUILD / "tests/cuda/cublas/fake")
NUMBER = r" *-?[\d.]+"
CASES = ["ConcatV2, one more row", "Cast, float32 to float16 and back", "Neg", "Tanh", "Add", "Add, a row to all rows",
         "Add, a column to all columns", "Sum of rows", "Sum of columns", "Sum of all", "ArgMax of rows",
         "ArgMax of columns", "Cumsum of rows", "Cumsum of columns", "Transpose", "GatherV2 of rows", "Softmax of rows",
         "Pad, one more row and column"]


def bench(*words, libraries=(), plugins=None):
    """(exit status, stdout, stderr)"""
    return fake_driver.run([sys.executable, "-B", ROOT / "bench/gpu_ops.py", "--opsrun", OPSRUN, "--reference", BUILD / "bin/gpu_reference",
                            "--plugins", plugins or EMULATED, "--bytes", "4096", "--size", "8", "--links", "2",
                            "--rounds", "1", "--seconds", "0.01", *words], *libraries, OPSRUN_DOUBLE_STRICT="1")


class GpuBench(unittest.TestCase):
    def assert_line(self, pattern, text):
        self.assertEqual(len(re.findall(f"^{pattern}$", text, re.M)), 1, f"{pattern}\n{text}")

    def test_each_family_has_its_line(self):
        status, found, errors = bench(libraries=[DOUBLE, FAKE])
        self.assertEqual((status, errors), (0, ""), found)
        self.assertRegex(found, r"\Agpu_ops: test double, sm_80, driver for CUDA 12\.4, libcublas\.so\.13, \d{4}-\d\d-\d\d;")
        self.assertIn("THIS IS THE TEST DOUBLE, NOT A CARD", found)
        for name in ["copy by the driver", *CASES]:
            self.assert_line(f"{name} +{NUMBER} us{NUMBER} GB/s{NUMBER}%", found)
        for dtype in ["float32", "float64", "float16", "bfloat16"]:
            self.assert_line(f"MatMul {dtype} +{NUMBER} TFLOPS{NUMBER} TFLOPS{NUMBER}%{NUMBER} TFLOPS{NUMBER}%", found)
        for name in ["a node of one element", "the same in a CUDA graph", "a copy to the card", "2 nodes of Tanh",
                     "both in one graph"]:
            self.assert_line(f"{name} +{NUMBER} us", found)
        self.assert_line(f"of the shorter one hidden +{NUMBER}%", found)

    def test_without_cublas_there_is_nothing_to_compare_with(self):
        with tempfile.TemporaryDirectory() as folder:
            fake_driver.hide_cublas(folder)
            status, found, errors = bench("Neg", libraries=[DOUBLE, folder])
        self.assertEqual(status, 0, errors)
        self.assertIn(", no cuBLAS, ", found)
        self.assert_line(f"MatMul float32 +- TFLOPS{NUMBER} TFLOPS +-{NUMBER} TFLOPS +-", found)
        self.assertNotIn("Tanh  ", found.split("MatMul")[0])

    def test_without_a_card_it_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            fake_driver.hide(folder, "libcuda.so.1")
            status, found, _ = bench(libraries=[folder])
        self.assertEqual(status, 77)
        self.assertTrue(found.startswith("SKIPPED: "), found)

    def test_a_graph_that_does_not_run_ends_it(self):
        with tempfile.TemporaryDirectory() as folder:
            status, _, errors = bench(libraries=[DOUBLE], plugins=folder)
        self.assertEqual(status, 1)
        self.assertIn("error[G201]", errors)

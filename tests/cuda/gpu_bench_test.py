"""gpu_bench_test.py: bench/gpu_ops.py on the fake driver: each of its graphs runs, and the output is complete.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import sys
import tempfile
import unittest

import fake_driver
from built import BUILD, DOUBLE, EMULATED, OPSRUN, ROOT

FAKE = str(BUILD / "tests/cuda/cublas/fake")
NUMBER = r" *-?[\d.]+"
CASES = ["ConcatV2, one more row", "Cast, float32 to float16 and back", "Neg", "Tanh", "Add", "Add, a row to all rows",
         "Add, a column to all columns", "Add, a row to all odd rows", "Sum of rows", "Sum of columns", "Sum of odd rows",
         "Sum of all", "ArgMax of rows", "ArgMax of columns", "Cumsum of rows", "Cumsum of columns", "Transpose",
         "GatherV2 of rows", "Softmax of rows", "Softmax of odd rows", "Pad, one more row and column"]
CONVOLUTIONS = ["Conv2D, 56 x 56 x 64", "Conv2D, 28 x 28 x 128", "Conv2D, 14 x 14 x 256"]
# A module that accepts every call.
PYTORCH = "import sys, unittest.mock\nsys.modules[__name__] = unittest.mock.MagicMock(__version__='2.99')\n"


def bench(*words, libraries=(), plugins=None, **environment):
    """(exit status, stdout, stderr)"""
    return fake_driver.run([sys.executable, "-B", ROOT / "bench/gpu_ops.py", "--opsrun", OPSRUN, "--reference", BUILD / "bin/gpu_reference",
                            "--plugins", plugins or EMULATED, "--bytes", "4096", "--size", "8", "--links", "2",
                            "--rounds", "1", "--seconds", "0.01", *words], *libraries, OPSRUN_DOUBLE_STRICT="1",
                           **environment)


class GpuBench(unittest.TestCase):
    def assert_line(self, pattern, text):
        self.assertEqual(len(re.findall(f"^{pattern}$", text, re.M)), 1, f"{pattern}\n{text}")

    def test_each_family_has_its_line_beside_pytorch(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "torch.py").write_text(PYTORCH, encoding="utf-8")
            status, found, errors = bench("--torch", sys.executable, libraries=[DOUBLE, FAKE], PYTHONPATH=folder)
        self.assertEqual((status, errors), (0, ""), found)
        self.assertRegex(found, r"\Agpu_ops: test double, sm_80, driver for CUDA 12\.4, libcublas\.so\.13, PyTorch 2\.99, "
                                r"\d{4}-\d\d-\d\d;")
        self.assertIn("THIS IS THE TEST DOUBLE, NOT A CARD", found)
        self.assert_line(f"copy by the driver +{NUMBER} us{NUMBER} GB/s{NUMBER}%", found)
        for name in CASES:
            self.assert_line(f"{name} +{NUMBER} us{NUMBER} GB/s{NUMBER}%{NUMBER}%", found)
        for dtype in ["float32", "float64", "float16", "bfloat16"]:
            self.assert_line(f"MatMul {dtype} +{NUMBER} TFLOPS{NUMBER} TFLOPS{NUMBER}%{NUMBER} TFLOPS{NUMBER}%{NUMBER}%", found)
        for name in CONVOLUTIONS:
            self.assert_line(f"{name} +{NUMBER} us{NUMBER} us{NUMBER} us", found)
        self.assert_line(f"a node of one element +{NUMBER} us{NUMBER} us", found)
        for name in ["a feed to the GPU", "a result from it"]:
            self.assert_line(f"{name} +{NUMBER} us{NUMBER} GB/s{NUMBER}% of the link", found)
        for name in ["the same in a CUDA graph", "2 nodes of Tanh", "the feed and the nodes in one graph"]:
            self.assert_line(f"{name} +{NUMBER} us", found)
        self.assert_line(f"of the shorter one hidden +{NUMBER}%", found)
        for name in ["a process that uses the GPU takes", "making a context takes the driver"]:
            self.assert_line(f"{name} +{NUMBER} ms( longer)?", found)

    def test_without_cublas_there_is_nothing_to_compare_with(self):
        with tempfile.TemporaryDirectory() as folder:
            fake_driver.hide_cublas(folder)
            status, found, errors = bench("Neg", libraries=[DOUBLE, folder])
        self.assertEqual(status, 0, errors)
        self.assertIn(", no PyTorch, ", found)
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

"""guide_example_test.py: the guide's example of an op on the GPU, unchanged.

With nvcc and g++, by the two commands in the SDK's help, where nvcc is installed; and with g++ alone, for the fake
driver, on which it runs. The sources are in the folder OPSRUN_GUIDE_SAMPLES; without it the test is skipped.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import sys
import unittest

from built import DOUBLE, NVCC, OPSRUN, ROOT
from in_folder import FolderTest

GRAPH = """opsrun: 1
feeds:
  x: {random: uniform, seed: 3, shape: [3000], dtype: float32}
  i: {value: [1, -2, 3], dtype: int32}
nodes:
  y: {op: Example, in: x}
  j: {op: Example, in: i}
outputs: [y, j]
"""
SAMPLES = os.environ.get("OPSRUN_GUIDE_SAMPLES", "")
if not SAMPLES:
    sys.exit(77)


class GuideExample(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ["kernel_example.h", "kernel_example.cc", "kernel_example.cu.cc"]:
            shutil.copy(os.path.join(SAMPLES, name), self.folder)
        self.write("graph.yaml", GRAPH)

    def shell(self, line, **environment):
        done = self.call("bash", "-c", line, OPSRUN=OPSRUN, NVCC=NVCC or "", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def compile(self, line, flags):
        """Runs the command with the output of the program, which may contain paths with spaces."""
        return self.shell(f'eval "{line} $("$OPSRUN" sdk {flags})"')

    def run_graph(self, *words, **environment):
        return self.shell('"$OPSRUN" run --no-default-plugins --plugins . --no-probe graph.yaml ' + " ".join(words),
                          **environment)

    @unittest.skipUnless(NVCC, "there is no nvcc")
    def test_two_lines_compile_it_for_cards(self):
        self.compile("$NVCC -std=c++17 -O2 -c kernel_example.cu.cc -o kernel_example.cu.o", "--cuda-cflags")
        self.compile("g++ -std=c++17 -O2 -shared kernel_example.cc kernel_example.cu.o -o kernel_example.so",
                     "--cflags --gpu")
        self.assertIn("arch=800,900", self.shell('"$OPSRUN" inspect kernel_example.so'))
        expected = self.run_graph()
        self.assertIn("[ 2 -4  6]", expected)
        if os.environ.get("OPSRUN_TEST_DEVICE") == "gpu":  # set by on_card.py
            self.assertEqual(self.run_graph("--device gpu --strict-placement --repeat 3"), expected)

    def test_the_double_runs_it(self):
        (self.folder / "emulation").symlink_to(ROOT / "tests/cuda/emulation")
        (self.folder / "root").symlink_to(ROOT)
        self.shell(f"{sys.executable} -B emulation/rewrite.py kernel_example.cu.cc rewritten.cc")
        flags = "-std=c++20 -O1 -Iemulation/include -Iroot -I. -DGOOGLE_CUDA=1 -DEIGEN_USE_GPU= -ldl"
        self.compile(f"g++ {flags} -include cuda_runtime.h -c rewritten.cc -o rewritten.o", "--compile-flags")
        self.compile(f"g++ {flags} -shared kernel_example.cc rewritten.o emulation/threads.cc emulation/runtime.cc "
                     "-o kernel_example.so", "--cflags")
        expected = self.run_graph()
        self.assertIn("[ 2 -4  6]", expected)
        for schedule in ["eager", "lazy"]:
            found = self.run_graph("--device gpu --strict-placement", LD_LIBRARY_PATH=DOUBLE,
                                   OPSRUN_DOUBLE_SCHEDULE=schedule, OPSRUN_DOUBLE_STRICT="1")
            self.assertEqual(found, expected)

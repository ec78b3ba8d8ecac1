"""files_test.py: opsrun grad writes a graph into another folder, and it finds the files of the first one.

usage: files_test.py OPSRUN

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
import tempfile
import unittest

OPSRUN = sys.argv[1]
ARRAYS = """opsrun: 1
feeds: {x: {value: [1, -2], dtype: float32}, y: {value: [1, 4], dtype: float32}}
outputs: {x: {from: x, npy: graphs/data/x.npy}, y: {from: y, npy: graphs/data/y.npy}}
"""
GRAPH = """opsrun: 1
feeds:
  x: {npy: data/x.npy}
nodes:
  y: {op: Square, in: x}
outputs: [y]
checks:
- {from: y, npy: data/y.npy}
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(self.path("graphs/data"))
        os.makedirs(self.path("results/deep"))
        self.write("graphs/square.yaml", GRAPH)
        self.write("arrays.yaml", ARRAYS)
        self.opsrun("arrays.yaml")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)

    def opsrun(self, *words, cwd="."):
        done = subprocess.run([OPSRUN, *words], cwd=self.path(cwd), capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, graph, output, cwd="."):
        self.opsrun("grad", graph, "--of", "y", "--wrt", "x", "-o", output, cwd=cwd)
        self.assertIn("grad_x  float32 [2]\n[ 2. -4.]", self.opsrun(output, cwd=cwd))

    def test_the_same_folder(self):
        self.check("graphs/square.yaml", "graphs/grad.yaml")

    def test_the_current_folder(self):
        self.check("square.yaml", "grad.yaml", cwd="graphs")

    def test_another_folder(self):
        self.check("graphs/square.yaml", "results/deep/grad.yaml")
        self.check("../graphs/square.yaml", "deep/grad.yaml", cwd="results")

    def test_a_link_to_another_folder(self):
        os.symlink(self.path("results/deep"), self.path("link"))
        self.check("graphs/square.yaml", "link/grad.yaml")
        os.symlink(self.path("graphs"), self.path("results/graphs"))
        self.check("results/graphs/square.yaml", "results/grad.yaml")

    def test_absolute_paths_stay(self):
        self.write("graphs/square.yaml", GRAPH.replace("data/x", self.path("graphs/data/x")))
        self.opsrun("grad", "graphs/square.yaml", "--of", "y", "--wrt", "x", "-o", "results/grad.yaml")
        with open(self.path("results/grad.yaml"), encoding="utf-8") as file:
            self.assertIn(self.path("graphs/data/x.npy"), file.read())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

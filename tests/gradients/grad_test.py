"""grad_test.py: what opsrun grad writes, used: in another folder it finds the files of the first one, and examples/train
learns, from YAML alone.

usage: grad_test.py OPSRUN ROOT

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

OPSRUN, ROOT = sys.argv[1:3]
MODEL = os.path.join(ROOT, "examples", "train", "model.yaml")
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


# Nodes as opsrun grad writes them, so that it need not read them again; and the same nodes, written in other ways.
LINES = """opsrun: 1
feeds: {x: {value: [1.5, 2.0], dtype: float32}, axes: {value: [0], dtype: int32}}
nodes:
  a: {op: Tanh, in: x}
  b: {op: Cast, in: a, attrs: {DstT: float64}}
  c: {op: Mul, in: [b, b], device: cpu}
  sum: {op: Sum, in: [c, axes], attrs: {keep_dims: true}}
outputs: [sum]
"""
CHANGES = [("{op: Tanh, in: x}", "{op: Tanh, in: x}  # a comment"), ("{op: Tanh, in: x}", "{op: 'Tanh', in: x}"),
           ("  c:", "\n  c:"), ("  sum: {", "  sum:\n   {"), ("nodes:", "nodes: # four"), ("outputs:", "\noutputs:")]


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

    def gradient(self, text):
        self.write("graph.yaml", text)
        return self.opsrun("grad", "graph.yaml", "--of", "sum", "--wrt", "x")

    def test_it_does_not_matter_how_nodes_are_written(self):
        expected = self.gradient(LINES)
        self.assertIn(LINES[LINES.index("nodes"):LINES.index("outputs")], expected)
        for old, new in CHANGES:
            self.assertEqual(self.gradient(LINES.replace(old, new)), expected, new)
        described = self.gradient(LINES.replace("sum: {", "sum: {description: of both, "))
        self.assertEqual(described.replace("description: of both, ", ""), expected)
        shared = LINES.replace("nodes:", "x-shared: &nodes").replace("outputs:", "nodes: *nodes\noutputs:")
        self.assertEqual(self.gradient(shared).count("  a: {op: Tanh, in: x}\n"), 2)

    def test_absolute_paths_stay(self):
        self.write("graphs/square.yaml", GRAPH.replace("data/x", self.path("graphs/data/x")))
        self.opsrun("grad", "graphs/square.yaml", "--of", "y", "--wrt", "x", "-o", "results/grad.yaml")
        with open(self.path("results/grad.yaml"), encoding="utf-8") as file:
            self.assertIn(self.path("graphs/data/x.npy"), file.read())


class Train(unittest.TestCase):
    def call(self, *words):
        done = subprocess.run([OPSRUN, *words], capture_output=True, text=True, timeout=200, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_loss_falls_and_most_points_are_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = os.path.join(folder, "train.yaml")
            self.call("grad", MODEL, "--of", "loss", "--wrt", "w,b", "-o", graph)
            printed = self.call(graph, "--repeat", "500", "--print-every", "50")
        losses = [float(number) for number in re.findall(r"loss ([0-9.]+)", printed)]
        self.assertEqual(len(losses), 9)
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertLess(losses[-1], 0.6 * 0.6931)  # where it begins: log 2
        accuracies = [float(number) for number in re.findall(r"accuracy ([0-9.]+)", printed)]
        self.assertGreaterEqual(accuracies[-1], 0.9)

    def test_the_documents_show_what_is_printed(self):
        with open(os.path.join(ROOT, "docs", "gradients.md"), encoding="utf-8") as file:
            shown = re.search(r"```console\n((?:\$ opsrun .*\n)+)((?:run .*\n)+)\.\.\.\n```", file.read())
        with tempfile.TemporaryDirectory() as folder:
            for words in shown[1].splitlines():
                printed = self.call(*(os.path.join(folder, word) if word == "train.yaml" else word
                                      for word in words.split()[2:]))
        for line, other in zip(shown[2].splitlines(), printed.splitlines()):
            self.assertEqual(re.sub(r"[0-9.]+", "N", line), re.sub(r"[0-9.]+", "N", other))
            for number, also in zip(re.findall(r"[0-9.]+", line), re.findall(r"[0-9.]+", other)):
                self.assertAlmostEqual(float(number), float(also), places=4)

    def test_its_points_are_those_that_points_py_draws(self):
        script = os.path.join(os.path.dirname(MODEL), "points.py")
        drawn = subprocess.run([sys.executable, "-B", script], capture_output=True, text=True, check=True).stdout
        with open(MODEL, encoding="utf-8") as file:
            written = re.findall(r"\[-?[0-9.]+, -?[0-9]\.[0-9]+\]", file.read())
        self.assertEqual(written, re.findall(r"\[[^\]]*\]", drawn))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

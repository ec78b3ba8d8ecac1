"""train_test.py: examples/train learns, from YAML alone.

usage: train_test.py OPSRUN ROOT

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

"""plugins_of_test.py: scripts/run builds the plugins that a graph needs: each example finds its ops in those alone.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import subprocess
import tempfile
import unittest

from built import BUNDLED, OPSRUN, ROOT


def plugins_of(*words):
    run = subprocess.run([ROOT / "scripts/plugins_of", *words], check=True, capture_output=True, text=True)
    return run.stdout.split()


class PluginsOf(unittest.TestCase):
    def test_an_example_finds_its_ops(self):
        for graph in sorted((ROOT / "examples").glob("*.yaml")):
            plugins = plugins_of("run", graph)
            if plugins == ["bundled_plugins"]:
                continue
            with self.subTest(graph.name), tempfile.TemporaryDirectory() as places:
                for plugin in plugins:
                    (pathlib.Path(places) / f"{plugin}.so").symlink_to(BUNDLED / f"{plugin}.so")
                words = [OPSRUN, "check", "--no-default-plugins", "--plugins", places, graph]
                check = subprocess.run(words, capture_output=True, text=True)
                self.assertIn(check.returncode, (0, 3))  # 3: some examples read arrays that a clone does not have
                self.assertNotRegex(check.stderr, "G201|K301")

    def test_a_gradient_may_use_any_op(self):
        self.assertEqual(plugins_of("grad", ROOT / "examples/slope.yaml", "--of", "loss"), ["bundled_plugins"])

    def test_only_what_is_named(self):
        self.assertEqual(plugins_of(ROOT / "examples/quickstart.yaml"), ["zero_out"])

    def test_all_without_a_graph_or_for_an_unknown_op(self):
        self.assertEqual(plugins_of("ops"), ["bundled_plugins"])
        self.assertEqual(plugins_of(ROOT / "examples/five_mistakes.yaml"), ["bundled_plugins"])

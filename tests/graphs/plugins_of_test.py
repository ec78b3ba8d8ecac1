"""plugins_of_test.py: scripts/run builds the plugins that a graph needs: each example finds its ops in those alone.

usage: plugins_of_test.py --opsrun PROGRAM --build DIR ROOT

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import pathlib
import subprocess
import tempfile
import unittest

OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("--opsrun", required=True)
OPTIONS.add_argument("--build", type=pathlib.Path, required=True)
OPTIONS.add_argument("root", type=pathlib.Path)
OPTIONS = OPTIONS.parse_args()


def plugins_of(*words):
    run = subprocess.run([OPTIONS.root / "scripts/plugins_of", *words], check=True, capture_output=True, text=True)
    return run.stdout.split()


class PluginsOf(unittest.TestCase):
    def test_an_example_finds_its_ops(self):
        for graph in sorted((OPTIONS.root / "examples").glob("*.yaml")):
            plugins = plugins_of("run", graph)
            if plugins == ["bundled_plugins"]:
                continue
            with self.subTest(graph.name), tempfile.TemporaryDirectory() as places:
                for plugin in plugins:
                    (pathlib.Path(places) / f"{plugin}.so").symlink_to(OPTIONS.build / f"lib/opsrun/{plugin}.so")
                words = [OPTIONS.opsrun, "check", "--no-default-plugins", "--plugins", places, graph]
                check = subprocess.run(words, capture_output=True, text=True)
                self.assertIn(check.returncode, (0, 3))  # 3: some examples read arrays that a clone does not have
                self.assertNotRegex(check.stderr, "G201|K301")

    def test_a_gradient_may_use_any_op(self):
        self.assertEqual(plugins_of("grad", OPTIONS.root / "examples/slope.yaml", "--of", "loss"), ["bundled_plugins"])

    def test_only_what_is_named(self):
        self.assertEqual(plugins_of(OPTIONS.root / "examples/quickstart.yaml"), ["zero_out"])

    def test_all_without_a_graph_or_for_an_unknown_op(self):
        self.assertEqual(plugins_of("ops"), ["bundled_plugins"])
        self.assertEqual(plugins_of(OPTIONS.root / "examples/five_mistakes.yaml"), ["bundled_plugins"])


if __name__ == "__main__":
    unittest.main(argv=[__file__])

"""load_option_test.py: what --load of opsrun plugins and opsrun inspect finds, and that nothing is loaded without it.

usage: load_option_test.py OPSRUN BAD_PLUGINS [unittest's arguments]

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

OPSRUN, BAD_PLUGINS = sys.argv[1:3]


class LoadOption(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def add(self, plugin):
        return shutil.copy(os.path.join(BAD_PLUGINS, plugin + ".so"), self.folder.name)

    def call(self, *arguments):
        return subprocess.run([OPSRUN, *arguments, "--no-default-plugins", "--plugins", self.folder.name],
                              capture_output=True, check=False, text=True)

    def test_plugins_shows_the_spec_with_a_caret(self):
        self.add("bad_spec")
        self.assertTrue(self.call("plugins").stdout.startswith("compatible  bad_spec"))
        lines = self.call("plugins", "--load").stdout.splitlines()
        self.assertTrue(lines[0].startswith("refused     bad_spec"), lines)
        spec = next(i for i, line in enumerate(lines) if line.strip() == "x: in32")
        self.assertEqual(lines[spec + 1].index("^"), lines[spec].index("in32"))

    def test_inspect_shows_the_spec_with_a_caret(self):
        path = self.add("bad_spec")
        self.assertEqual(self.call("inspect", path).returncode, 0)
        done = self.call("inspect", "--load", path)
        self.assertEqual(done.returncode, 4)
        lines = done.stderr.splitlines()
        spec = next(i for i, line in enumerate(lines) if line.strip() == "x: in32")
        self.assertEqual(lines[spec + 1].index("^"), lines[spec].index("in32"))

    def test_a_good_plugin_is_ok(self):
        path = self.add("good")
        self.assertTrue(self.call("plugins", "--load").stdout.startswith("ok "))
        self.assertIn("good.so: ok\n", self.call("inspect", "--load", path).stdout)

    def test_nothing_is_loaded_without_it(self):
        path = self.add("crashes")
        self.assertEqual(self.call("plugins").returncode, 0)
        self.assertEqual(self.call("inspect", path).returncode, 0)
        self.assertNotEqual(self.call("inspect", "--load", path).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

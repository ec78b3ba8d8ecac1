"""probe_test.py: plugins are tried in a separate process: what that detects, and that opsrun itself is not affected.

usage: probe_test.py OPSRUN BAD_PLUGINS [unittest's arguments]

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
import sys
import unittest

from in_folder import FolderTest

OPSRUN, BAD_PLUGINS = sys.argv[1:3]
GRAPH = "opsrun: 1\nfeeds: {x: {value: [7], dtype: int32}}\nnodes: {z: {op: %s, in: x}}\noutputs: []\n"


class Probe(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        self.cache = self.folder / "cache"

    def add(self, plugin):
        return shutil.copy(os.path.join(BAD_PLUGINS, plugin + ".so"), self.plugins)

    def call(self, *arguments, **environment):
        return subprocess.run([OPSRUN, *arguments, "--no-default-plugins", "--plugins", self.plugins], check=False,
                              capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.cache), **environment})

    def graph(self, op):
        path = self.folder / f"{op}.yaml"
        path.write_text(GRAPH % op)
        return path

    def verdicts(self):
        return sorted(each for each in self.cache.rglob("*") if each.is_file())

    def test_a_cache_that_others_write_to_is_not_used(self):
        path = self.add("good")
        folder = self.cache / "opsrun/verdicts"
        folder.mkdir(parents=True)
        for mode in (0o777, 0o775):
            folder.chmod(mode)
            self.assertIn("good.so: ok\n", self.call("inspect", path).stdout)
            self.assertEqual(self.verdicts(), [])

    def test_a_cache_is_made_for_its_user_alone(self):
        path = self.add("good")
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.call("inspect", path)
        self.assertEqual(len(self.verdicts()), 1)
        self.assertEqual((self.cache / "opsrun/verdicts").stat().st_mode & 0o777, 0o700)

    def test_a_crash_costs_one_plugin(self):
        path = self.add("crashes")
        self.add("good")
        self.assertIn("ok          good", self.call("plugins").stdout)
        inspected = self.call("inspect", path)
        self.assertEqual(inspected.returncode, 4)
        self.assertIn("it crashed the probe process with SIGABRT while it was being loaded", inspected.stdout)
        needs_it = self.call("run", self.graph("Crashes"))
        self.assertEqual(needs_it.returncode, 4)
        self.assertIn("with SIGABRT", needs_it.stderr)
        self.assertEqual(self.call("check", self.graph("Good")).returncode, 0)
        self.assertLess(self.call("run", "--no-probe", self.graph("Crashes")).returncode, 0)

    def test_a_run_opens_what_it_needs_and_remembers_it(self):
        self.add("crashes")
        self.add("good")
        graph = self.graph("Good")
        for _ in range(2):
            self.assertEqual(self.call("check", graph).returncode, 0)
            self.assertEqual(len(self.verdicts()), 1)

    def test_a_cache_that_is_damaged_or_read_only_is_as_if_it_were_not_there(self):
        self.add("good")
        graph = self.graph("Good")
        self.assertEqual(self.call("check", graph).returncode, 0)
        [verdict] = self.verdicts()
        for damage in ("", "opsrun verdict 1\n", "\0" * 100, verdict.read_text()[:-5]):
            verdict.write_text(damage)
            done = self.call("check", graph)
            self.assertEqual((done.returncode, done.stderr.count("warning")), (0, 0), done.stderr)
        nowhere = self.folder / "file"
        nowhere.write_text("no folder")
        self.assertEqual(self.call("check", graph, XDG_CACHE_HOME=str(nowhere)).returncode, 0)
        self.assertEqual(self.call("check", graph, XDG_CACHE_HOME="relative", HOME="").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

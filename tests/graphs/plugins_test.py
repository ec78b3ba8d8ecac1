"""plugins_test.py: what opsrun says of plugins as JSON agrees with the text; plugins are tried in a separate process: what
that detects, and that opsrun itself is not affected.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import shutil

from built import BAD_PLUGINS
from in_folder import FolderTest

GRAPH = "opsrun: 1\nfeeds: {x: {value: [7], dtype: int32}}\nnodes: {z: {op: %s, in: x}}\noutputs: []\n"


class Probe(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        self.cache = self.folder / "cache"

    def add(self, plugin):
        return shutil.copy(BAD_PLUGINS / f"{plugin}.so", self.plugins)

    def opsrun(self, *words, **environment):
        return super().opsrun(*words, "--no-default-plugins", "--plugins", self.plugins,
                              **{"XDG_CACHE_HOME": str(self.cache), **environment})

    def graph(self, op):
        return self.write(f"{op}.yaml", GRAPH % op)

    def verdicts(self):
        return sorted(each for each in self.cache.rglob("*") if each.is_file())

    def test_a_cache_that_others_write_to_is_not_used(self):
        path = self.add("good")
        folder = self.cache / "opsrun/verdicts"
        folder.mkdir(parents=True)
        for mode in (0o777, 0o775):
            folder.chmod(mode)
            self.assertIn("good.so: ok\n", self.opsrun("inspect", path).stdout)
            self.assertEqual(self.verdicts(), [])

    def test_a_cache_is_made_for_its_user_alone(self):
        path = self.add("good")
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.opsrun("inspect", path)
        self.assertEqual(len(self.verdicts()), 1)
        self.assertEqual((self.cache / "opsrun/verdicts").stat().st_mode & 0o777, 0o700)

    def test_a_crash_costs_one_plugin(self):
        path = self.add("crashes")
        self.add("good")
        self.assertIn("ok          good", self.opsrun("plugins").stdout)
        inspected = self.opsrun("inspect", path)
        self.assertEqual(inspected.returncode, 4)
        self.assertIn("it crashed the probe process with SIGABRT while it was being loaded", inspected.stdout)
        needs_it = self.opsrun("run", self.graph("Crashes"))
        self.assertEqual(needs_it.returncode, 4)
        self.assertIn("with SIGABRT", needs_it.stderr)
        self.assertEqual(self.opsrun("check", self.graph("Good")).returncode, 0)
        self.assertLess(self.opsrun("run", "--no-probe", self.graph("Crashes")).returncode, 0)

    def test_a_run_opens_what_it_needs_and_remembers_it(self):
        self.add("crashes")
        self.add("good")
        graph = self.graph("Good")
        for _ in range(2):
            self.assertEqual(self.opsrun("check", graph).returncode, 0)
            self.assertEqual(len(self.verdicts()), 1)

    def test_a_cache_that_is_damaged_or_read_only_is_as_if_it_were_not_there(self):
        self.add("good")
        graph = self.graph("Good")
        self.assertEqual(self.opsrun("check", graph).returncode, 0)
        [verdict] = self.verdicts()
        for damage in ("", "opsrun verdict 1\n", "\0" * 100, verdict.read_text()[:-5]):
            verdict.write_text(damage)
            done = self.opsrun("check", graph)
            self.assertEqual((done.returncode, done.stderr.count("warning")), (0, 0), done.stderr)
        nowhere = self.write("file", "no folder")
        self.assertEqual(self.opsrun("check", graph, XDG_CACHE_HOME=str(nowhere)).returncode, 0)
        self.assertEqual(self.opsrun("check", graph, XDG_CACHE_HOME="relative", HOME="").returncode, 0)


class PluginsJson(FolderTest):
    def test_every_plugin_has_the_verdict_of_the_table(self):
        places = ["--no-default-plugins", "--plugins", BAD_PLUGINS]
        plugins = json.loads(self.opsrun("plugins", "--json", *places).stdout)
        rows = [line for line in self.opsrun("plugins", *places).stdout.splitlines() if not line.startswith(" ")]
        self.assertEqual([(each["verdict"], each["file"]) for each in plugins],
                         [(row.split()[0], row[row.index("/"):]) for row in rows])
        self.assertEqual({each["verdict"] for each in plugins}, {"ok", "refused"})
        for each in plugins:
            refused = [check for check in each["checks"] if check["state"] == "refused"]
            self.assertEqual(each["verdict"] == "refused", len(refused) == 1, each["file"])
            self.assertTrue(all(check["remedy"] for check in refused))

    def test_inspect_says_the_same_of_one_file(self):
        file = str(BAD_PLUGINS / "named.so")
        [plugin] = json.loads(self.opsrun("inspect", "--no-probe", "--json", file).stdout)
        self.assertEqual((plugin["name"], plugin["version"]), ("acme.images", "1.4.0"))
        self.assertEqual(plugin["ops"], ["Good", "Other"])
        self.assertEqual(plugin["kernels"][0]["device"], "CPU")
        self.assertEqual(plugin["units"][0]["min_level"], 1)
        [probed] = json.loads(self.opsrun("inspect", "--json", file).stdout)
        self.assertEqual((plugin["verdict"], probed["verdict"]), ("compatible", "ok"))
        self.assertEqual(probed["checks"][-1]["check"], "probe")

"""lock_test.py: opsrun lock, and what later commands make of the file that it writes.

SPDX-License-Identifier: Apache-2.0
"""

import shutil

import npy
from built import BUILD
from in_folder import FolderTest

GRAPH = """opsrun: 1
feeds:
  x: {value: [1.5, 2], dtype: float32}
  w: {npy: w.npy}
nodes:
  s: {op: Scale, in: x}
  t: {op: Scale, in: w}
outputs: [s, t]
"""
COMMANDS = ("run", "check", "plan", "config", "graph --dot", "compile -o other.opsplan", "bench", "report")


class Lock(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("graph.yaml", GRAPH)
        npy.write(self.folder / "w.npy", "float32 [2] 1 2")

    def opsrun(self, *words, version=1, **how):
        """With this version of a plugin alone."""
        folder = self.folder / f"v{version}"
        folder.mkdir(exist_ok=True)
        if not (folder / "v.so").exists():
            shutil.copy(BUILD / "tests" / "plugins" / "versions" / f"v{version}.so", folder / "v.so")
        return super().opsrun(*words, "--plugins", str(folder), XDG_CACHE_HOME="/dev/null", **how)

    def lock(self, *words, version=1):
        done = self.opsrun("lock", "graph.yaml", *words, version=version)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return (self.folder / "graph.lock").read_text()

    def test_writes_the_same_bytes_each_time(self):
        first = self.lock()
        self.assertTrue(first.startswith("opsrun_lock: 1\n"))
        (self.folder / "graph.lock").unlink()
        self.assertEqual(self.lock(), first)
        self.assertEqual(self.lock(), first)
        self.assertEqual(self.lock("--update"), first)

    def test_another_version_is_judged_as_by_compat(self):
        self.lock()
        done = self.opsrun("check", "graph.yaml", version=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: graph.lock is not up to date: plugin 'v': the file is from another build", done.stderr)
        self.assertEqual(self.opsrun("check", "-q", "graph.yaml", version=2).stderr, "")
        done = self.opsrun("check", "--frozen", "graph.yaml", version=2)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("op 'Scale' does not match the lock: attr", done.stderr)
        self.assertIn("graph.yaml:6:11", done.stderr)
        self.lock("--update", version=2)
        self.assertEqual(self.opsrun("check", "--frozen", "graph.yaml", version=2).returncode, 0)

    def test_a_plugin_that_was_built_again_is_a_remark(self):
        self.lock()
        plugin = self.folder / "v1" / "v.so"
        plugin.write_bytes(plugin.read_bytes() + b"\0")
        self.assertEqual(self.opsrun("check", "graph.yaml").returncode, 0)
        done = self.opsrun("check", "--frozen", "graph.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the file is from another build", done.stderr)

    def test_every_command_that_plans_refuses_another_array(self):
        self.lock()
        npy.write(self.folder / "w.npy", "float32 [2] 1 3")
        for command in COMMANDS:
            name, *options = command.split()
            done = self.opsrun(name, "graph.yaml", *options)
            self.assertEqual(done.returncode, 3, command)
            self.assertIn("error[G225]: feed 'w' does not match the lock: its array has other elements", done.stderr, command)
        self.assertFalse((self.folder / "other.opsplan").exists())

    def test_a_compiled_graph_has_the_same_lock(self):
        self.lock()
        self.assertEqual(self.opsrun("compile", "-q", "graph.yaml").returncode, 0)
        self.assertEqual(self.opsrun("check", "--frozen", "graph.opsplan").returncode, 0)
        done = self.opsrun("check", "--frozen", "graph.opsplan", version=2)
        self.assertIn("error[G225]: op 'Scale' does not match the lock", done.stderr)
        self.assertIn("graph.opsplan:6:11", done.stderr)
        self.assertEqual(self.opsrun("lock", "graph.opsplan").returncode, 2)

    def test_a_large_array_is_compared_if_nothing_may_change(self):
        count = 1 << 18
        npy.write(self.folder / "w.npy", f"float32 [{count}] " + "1 " * count)
        self.lock()
        npy.write(self.folder / "w.npy", f"float32 [{count}] " + "1 " * (count - 1) + "2")
        self.assertEqual(self.opsrun("check", "graph.yaml").returncode, 0)
        self.assertIn("its array has other elements", self.opsrun("check", "--frozen", "graph.yaml").stderr)
        done = self.opsrun("lock", "graph.yaml")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "0 differences safe, 1 unsafe"))

    def test_replaces_no_file_that_is_something_else(self):
        self.write("graph.lock", "version = 4\n")
        for words in ((), ("--update",)):
            self.assertEqual(self.opsrun("lock", "graph.yaml", *words).returncode, 3)
        self.assertEqual((self.folder / "graph.lock").read_text(), "version = 4\n")
        self.write("graph.lock", "opsrun_lock: 1\nops: 5\n")
        self.assertEqual(self.opsrun("lock", "graph.yaml").returncode, 3)
        self.lock("--update")

    def test_an_unreadable_one_is_an_error(self):
        (self.folder / "graph.lock").mkdir()
        done = self.opsrun("check", "graph.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("error[G226]", done.stderr)
        self.assertIn("graph.lock", self.opsrun("lock", "graph.yaml").stderr)

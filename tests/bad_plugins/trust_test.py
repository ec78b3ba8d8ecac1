"""trust_test.py: what opsrun says about plugins that others can change, and environment variables in programs with more
rights than their user.

SPDX-License-Identifier: Apache-2.0
"""

import grp
import json
import os
import shutil
import unittest

from built import BAD_PLUGINS, OPSRUN
from in_folder import FolderTest

GRAPH = "opsrun: 1\nnodes:\n  a: {op: Good, in: []}\noutputs: []\n"


class Trust(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "p/good.so"
        self.plugin.parent.mkdir(mode=0o755)
        shutil.copy(BAD_PLUGINS / "good.so", self.plugin)
        self.plugin.chmod(0o644)
        self.environment = {"XDG_CACHE_HOME": str(self.folder / "cache"), "HOME": str(self.folder)}

    def call_opsrun(self, *words):
        return self.opsrun(*words, "--no-default-plugins", "--plugins", "p", **self.environment)

    def state(self, *words):
        [plugin] = json.loads(self.call_opsrun("plugins", "--json", *words).stdout)
        return plugin["verdict"]

    def test_a_writable_plugin_is_refused_with_the_command_that_fixes_it(self):
        self.assertEqual(self.state(), "ok")
        self.plugin.chmod(0o602)
        done = self.call_opsrun("plugins")
        self.assertIn("others can write to it: its mode is 0602", done.stdout)
        command = f"chmod o-w {self.plugin}"
        self.assertIn(f"fix: run {command}, or accept it with --allow-writable", done.stdout)
        self.assertEqual(self.state("--allow-writable"), "ok")
        self.assertEqual(self.call_opsrun("plugins", "--strict").returncode, 1)
        self.call("sh", "-c", command)
        self.assertEqual(self.state(), "ok")

    def test_no_variable_weakens_that(self):
        self.plugin.chmod(0o602)
        self.environment["OPSRUN_ALLOW_WRITABLE"] = "1"
        self.assertEqual(self.state(), "refused")

    def test_commands_that_open_a_file_refuse_it_too(self):
        self.plugin.parent.chmod(0o707)
        for words in (["inspect", "p/good.so"], ["compat", "p/good.so", "p/good.so"], ["install", "p/good.so", "--to", "to"]):
            done = self.call_opsrun(*words)
            self.assertEqual(done.returncode, 4, words)
            self.assertIn("error[P104]", done.stderr)
            self.assertIn(f"others can replace it: the directory {self.plugin.parent} has mode 0707", done.stderr)
            self.assertEqual(self.call_opsrun(*words, "--allow-writable").returncode, 0, words)

    def test_a_file_beside_a_plugin_counts_too(self):
        beside = self.write("p/good.opsrun.yaml", "opsrun_ops: 1\nops: {}\n")
        beside.chmod(0o602)
        done = self.call_opsrun("inspect", "p/good.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("good.opsrun.yaml: others can write to it: its mode is 0602", done.stderr)
        self.assertEqual(self.call_opsrun("inspect", "p/good.so", "--allow-writable").returncode, 0)

    def test_verdicts_that_others_can_write_are_not_used(self):
        self.call_opsrun("plugins")
        verdicts = self.folder / "cache/opsrun/verdicts"
        self.assertEqual(len(list(verdicts.iterdir())), 1)
        verdicts.chmod(0o702)
        self.assertIn(f"{verdicts} is not used: others can write to it: its mode is 0702; run chmod go-w {verdicts}",
                      self.call_opsrun("plugins").stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives a program to any group")
    def test_a_program_with_more_rights_ignores_the_environment(self):
        program = self.folder / "bin/opsrun"
        program.parent.mkdir()
        shutil.copy(OPSRUN, program)
        os.chown(program, 0, grp.getgrnam("daemon").gr_gid)
        listed = []
        for mode in (0o755, 0o2755):
            program.chmod(mode)
            done = self.call(program, "plugins", "--json", "--no-probe",
                             OPSRUN_PLUGIN_PATH=str(self.plugin.parent), HOME="/nowhere")
            listed.append([plugin["file"] for plugin in json.loads(done.stdout)])
        self.assertIn(str(self.plugin), listed[0])
        if program.stat().st_mode & 0o2000 and os.statvfs(self.folder).f_flag & os.ST_NOSUID == 0:
            self.assertNotIn(str(self.plugin), listed[1])

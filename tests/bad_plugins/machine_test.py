"""machine_test.py: if the machine cannot load a plugin, the message does not blame the plugin.

SPDX-License-Identifier: Apache-2.0
"""

import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from built import BAD_PLUGINS, OPSRUN, SANITIZED
from in_folder import FolderTest

GRAPH = "opsrun: 1\nfeeds: {x: {value: [7], dtype: int32}}\nnodes: {z: {op: Good, in: x}}\noutputs: []\n"
BLAME = ("build it", "copy it again", "plugin's author", "internal error")


class Machine(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        self.write("g.yaml", GRAPH)

    def call(self, *words, **how):
        done = super().call(*words, XDG_CACHE_HOME=tempfile.mkdtemp(dir=self.folder), **how)
        for word in BLAME:
            self.assertNotIn(word, done.stderr)
        return done

    def check(self, *options, limit=None):
        return self.opsrun("check", "g.yaml", "--no-default-plugins", "--plugins", "plugins", *options, limit=limit)

    @unittest.skipIf(SANITIZED, "UndefinedBehaviorSanitizer looks at objects through a pipe")
    def test_without_descriptors(self):
        shutil.copy(BAD_PLUGINS / "good.so", self.plugins)
        ends = []
        for most in range(4, 20):
            done = self.check(limit=(resource.RLIMIT_NOFILE, most))
            if done.returncode != 0:
                self.assertIn("too many open files", done.stdout + done.stderr.lower())
            ends.append(done.returncode)
        self.assertEqual(ends[-1], 0)
        self.assertIn(4, ends)

    @unittest.skipIf(SANITIZED, "sanitizers take terabytes of addresses")
    def test_without_memory(self):
        shutil.copy(BAD_PLUGINS / "good.so", self.plugins)
        for options in ((), ("--no-probe",)):
            least, enough = 1000, 256_000  # kilobytes
            while enough - least > 50:
                middle = (least + enough) // 2
                works = self.check(*options, limit=(resource.RLIMIT_AS, middle * 1024)).returncode == 0
                least, enough = (least, middle) if works else (middle, enough)
            ends = set()
            for kilobytes in range(enough, enough - 3000, -100):
                done = self.check(*options, limit=(resource.RLIMIT_AS, kilobytes * 1024))
                # The system could not start the program, or the C++ runtime could not reserve memory for exceptions.
                if done.returncode == 127 or done.stderr.startswith("terminate called"):
                    break
                ends.add(done.returncode)
                if done.returncode == 5:
                    self.assertIn("error[D1", done.stderr)
            self.assertLessEqual(ends, {0, 5})
            self.assertIn(5, ends)

    def test_a_file_system_that_forbids_executing(self):
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True, check=False).returncode:
            self.skipTest("needs a file system of its own")
        for options in ("", "--no-probe"):
            done = self.call("unshare", "-rm", "sh", "-c",
                             f"mount -t tmpfs -o noexec tmpfs plugins && cp '{BAD_PLUGINS}/good.so' plugins && "
                             f"exec '{OPSRUN}' check g.yaml --no-default-plugins --plugins plugins {options}")
            self.assertEqual(done.returncode, 4)
            self.assertIn("it is on a file system where files cannot be executed (mount option noexec)", done.stderr)
            self.assertIn("mount this one without noexec", done.stderr)

    def test_a_library_that_cannot_be_read_is_not_missing(self):
        shutil.copy(BAD_PLUGINS / "needs_absent_library.so", self.plugins)
        (self.folder / "opsrun_test_absent.so").symlink_to("opsrun_test_absent.so")
        done = self.opsrun("inspect", "plugins/needs_absent_library.so", LD_LIBRARY_PATH=str(self.folder))
        self.assertEqual(done.returncode, 4)
        self.assertIn(f"it needs the library {self.folder}/opsrun_test_absent.so, which cannot be read: too many levels of "
                      "symbolic links", done.stderr)
        self.assertIn("correct the symbolic link", done.stderr)

    def test_a_file_that_nobody_may_read(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        shutil.copy(BAD_PLUGINS / "good.so", self.plugins)
        (self.plugins / "good.so").chmod(0)
        done = self.check()
        self.assertEqual(done.returncode, 3)
        self.assertIn("plugins/good.so may have it, but is not used: it cannot be read: permission denied; make it readable",
                      done.stderr)

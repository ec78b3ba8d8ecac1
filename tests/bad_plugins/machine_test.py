"""machine_test.py: if the machine cannot load a plugin, the message does not blame the plugin.

usage: machine_test.py OPSRUN BAD_PLUGINS [SANITIZER]

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

OPSRUN, BAD_PLUGINS = sys.argv[1], pathlib.Path(sys.argv[2])
SANITIZED = len(sys.argv) > 3 and sys.argv[3] not in ("", "OFF")
GRAPH = "opsrun: 1\nfeeds: {x: {value: [7], dtype: int32}}\nnodes: {z: {op: Good, in: x}}\noutputs: []\n"
BLAME = ("build it", "copy it again", "plugin's author", "internal error")


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        (self.folder / "g.yaml").write_text(GRAPH)

    def call(self, *words, limit=None, **environment):
        cache = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
                              preexec_fn=limit and (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))),
                              env={**os.environ, "XDG_CACHE_HOME": cache, **environment})
        for word in BLAME:
            self.assertNotIn(word, done.stderr)
        return done

    def check(self, *options, limit=None):
        return self.call(OPSRUN, "check", "g.yaml", "--no-default-plugins", "--plugins", "plugins", *options, limit=limit)

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
        done = self.call(OPSRUN, "inspect", "plugins/needs_absent_library.so", LD_LIBRARY_PATH=str(self.folder))
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""own_place_test.py: opsrun finds itself where it is, and takes nothing from the folder that it is called in.

usage: own_place_test.py OPSRUN LIBRARY OPEN_LOCALLY ZERO_OUT [unittest's arguments]

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OPSRUN, LIBRARY, OPEN_LOCALLY, ZERO_OUT = sys.argv[1:5]
GRAPH = "opsrun: 1\nfeeds: {x: {value: [7, 8], dtype: int32}}\nnodes: {z: {op: ZeroOut, in: x}}\noutputs: [z]\n"


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class OwnPlace(unittest.TestCase):
    """An install, and the folder `hostile`, in which somebody else has put everything that an install has."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(os.path.realpath(folder.name))
        self.install, self.hostile = self.root / "install", self.root / "hostile"
        for place in (self.install / "bin", self.install / "lib/opsrun", self.hostile / "lib/opsrun", self.hostile / "here/opsrun"):
            place.mkdir(parents=True)
        shutil.copy(OPSRUN, self.install / "bin/opsrun")
        shutil.copy(LIBRARY, self.install / "lib/libopsrun.so.1")
        shutil.copy(ZERO_OUT, self.install / "lib/opsrun/zero_out.so")
        script(self.hostile / "libexec/opsrun/opsrun-probe", f"#!/bin/sh\ntouch {self.root}/executed\n")
        shutil.copy(ZERO_OUT, self.hostile / "lib/opsrun/planted.so")
        shutil.copy(LIBRARY, self.hostile / "lib/libopsrun.so.1")
        (self.hostile / "here/graph.yaml").write_text(GRAPH)

    def call(self, *words, here, path=None, **environment):
        done = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False, timeout=60,
                              env={"PATH": path or "/usr/bin:/bin", "HOME": "/nowhere", **environment})
        self.assertFalse((self.root / "executed").exists(), "a program of the current folder was executed")
        return done

    def test_a_program_on_the_path_is_not_a_folder_of_its_name(self):
        path = f"{self.install}/bin"
        doctor = self.call("opsrun", "doctor", "--json", here=self.hostile / "here", path=path)
        self.assertIn(str(self.install / "bin/opsrun"), json.loads(doctor.stdout)["program"])
        plugins = self.call("opsrun", "plugins", here=self.hostile / "here", path=path).stdout
        self.assertIn(str(self.install / "lib/opsrun/zero_out.so"), plugins)
        self.assertNotIn("planted", plugins)
        self.assertEqual(self.call("opsrun", "graph.yaml", here=self.hostile / "here", path=path).returncode, 0)

    def test_a_link_leads_to_the_install(self):
        (self.hostile / "bin").mkdir()
        (self.hostile / "bin/opsrun").symlink_to(self.install / "bin/opsrun")
        plugins = self.call("bin/opsrun", "plugins", here=self.hostile).stdout
        self.assertIn(str(self.install / "lib/opsrun/zero_out.so"), plugins)
        self.assertNotIn("planted", plugins)

    def test_a_library_that_was_opened_by_a_relative_path(self):
        self.assert_library_finds_its_plugins("lib/libopsrun.so.1")

    def test_a_library_from_a_relative_entry_of_the_search_path(self):
        self.assert_library_finds_its_plugins("libopsrun.so.1", LD_LIBRARY_PATH="lib")

    def assert_library_finds_its_plugins(self, library, **environment):
        (self.hostile / "lib/opsrun/zero_out.so").write_text("not the plugin")
        done = self.call(OPEN_LOCALLY, library, "--in", self.hostile, here=self.install, **environment)
        self.assertEqual((done.returncode, done.stdout), (0, "7\n"), done.stderr)

    def test_the_program_that_draws_is_not_one_of_the_current_folder(self):
        script(self.hostile / "here/dot", f"#!/bin/sh\ntouch {self.root}/executed\n")
        for path in ("", ".", ":/nowhere", "/nowhere::"):
            done = self.call(self.install / "bin/opsrun", "graph", "graph.yaml", "-o", "graph.svg",
                             here=self.hostile / "here", path=path or ".")
            self.assertIn("there is no program 'dot' on the PATH", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])

"""own_place_test.py: opsrun finds its own files, and uses nothing from the current folder.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import shutil
import subprocess
import unittest

from built import BUILD, BUNDLED, LIBRARY, OPSRUN, SANITIZED
from in_folder import FolderTest

ZERO_OUT = BUNDLED / "zero_out.so"
GRAPH = "opsrun: 1\nfeeds: {x: {value: [7, 8], dtype: int32}}\nnodes: {z: {op: ZeroOut, in: x}}\noutputs: [z]\n"


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class OwnPlace(FolderTest):
    """An install, and the folder `hostile`, which contains foreign copies of everything that an install has."""

    def setUp(self):
        super().setUp()
        self.install, self.hostile = self.folder / "install", self.folder / "hostile"
        for place in (self.install / "bin", self.install / "lib/opsrun", self.hostile / "lib/opsrun", self.hostile / "here/opsrun"):
            place.mkdir(parents=True)
        shutil.copy(OPSRUN, self.install / "bin/opsrun")
        shutil.copy(LIBRARY, self.install / "lib/libopsrun.so.1")
        shutil.copy(ZERO_OUT, self.install / "lib/opsrun/zero_out.so")
        self.plant(self.hostile)
        shutil.copy(LIBRARY, self.hostile / "lib/libopsrun.so.1")
        (self.hostile / "here/graph.yaml").write_text(GRAPH)

    def call(self, *words, here, path=None, **environment):
        done = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False, timeout=60,
                              env={"PATH": path or "/usr/bin:/bin", "HOME": "/nowhere", **environment})
        self.assertFalse((self.folder / "executed").exists(), "a program of the current folder was executed")
        return done

    def plant(self, prefix):
        """Puts foreign files where an install would have its own."""
        script(prefix / "libexec/opsrun/opsrun-probe", f"#!/bin/sh\ntouch {self.folder}/executed\n")
        (prefix / "lib/opsrun").mkdir(parents=True, exist_ok=True)
        shutil.copy(ZERO_OUT, prefix / "lib/opsrun/planted.so")
        script(prefix / "share/opsrun/sdk/cmake/flags.txt", "compile -I@SDK@/planted\n")

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
        done = self.call(BUILD / "bin/open_locally", library, "--in", self.hostile, here=self.install, **environment)
        self.assertEqual((done.returncode, done.stdout), (0, "7\n"), done.stderr)

    def test_names_with_breaks_and_blanks(self):
        for name in ("a blank", "a\nbreak", "a\\012text", "gone (deleted)"):
            shutil.copytree(self.install, self.folder / name)
            doctor = self.call(self.folder / name / "bin/opsrun", "doctor", "--json", here=self.hostile)
            self.assertEqual(json.loads(doctor.stdout)["program"], str(self.folder / name / "bin/opsrun"))
            found = {place["directory"]: place["plugins"] for place in json.loads(doctor.stdout)["plugins"]}
            self.assertEqual(found.get(f"{self.folder / name}/lib/opsrun"), 1, found)

    def test_a_program_that_the_loader_was_asked_to_start(self):
        with open(OPSRUN, "rb") as file:
            loader = re.search(rb"/[!-~]*/ld-linux[!-~]*", file.read()).group().decode()
        doctor = self.call(loader, self.install / "bin/opsrun", "doctor", "--json", here=self.hostile)
        self.assertEqual(json.loads(doctor.stdout)["program"], str(self.install / "bin/opsrun"))

    def test_a_folder_that_everybody_adds_to_is_not_an_install(self):
        shared = self.folder / "shared"
        self.plant(shared)
        for below in ("mine", "mine/bin"):
            (shared / below).mkdir()
            program = shutil.copy(OPSRUN, shared / below / "opsrun")
            shared.chmod(0o1777)
            self.assertNotIn("planted", self.call(program, "plugins", here=self.folder).stdout)
            self.assertNotIn(f"{shared}/libexec", self.call(program, "doctor", here=self.folder).stdout)
            sdk = self.call(program, "sdk", "--cflags", here=self.folder)
            self.assertEqual((sdk.returncode, sdk.stdout), (4, ""))
            self.call(program, "check", "--plugins", self.install / "lib/opsrun", self.hostile / "here/graph.yaml",
                      here=self.folder)

    @unittest.skipIf(SANITIZED, "LeakSanitizer needs /proc")
    def test_without_proc_nothing_is_searched_beside_the_program(self):
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /tmp"], capture_output=True, check=False).returncode:
            self.skipTest("needs a file system of its own")
        program = self.install / "bin/opsrun"
        for command in ("plugins", "sdk --cflags", "doctor"):
            done = self.call("unshare", "-rm", "sh", "-c",
                             f"mount -t tmpfs none /proc && exec '{program}' {command}", here=self.hostile)
            self.assertNotIn("planted", done.stdout)
            self.assertEqual(done.returncode, 4 if command.startswith("sdk") else 0, done.stderr)

    def test_the_home_of_another_user_is_not_searched(self):
        home = self.folder / "home"
        folder = home / ".local/lib/opsrun"
        folder.mkdir(parents=True)
        shutil.copy(ZERO_OUT, folder / "planted.so")
        program = self.install / "bin/opsrun"
        self.assertIn("planted", self.call(program, "plugins", here=self.folder, HOME=str(home)).stdout)
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        os.chown(folder, 12345, 12345)
        listed = self.call(program, "plugins", here=self.folder, HOME=str(home))
        self.assertNotIn("planted", listed.stdout)
        self.assertIn(f"'{folder}' cannot be searched: it belongs to another user; to use it, name it in OPSRUN_PLUGIN_PATH",
                      listed.stderr)

    def test_a_link_of_another_user_in_a_shared_folder_is_not_followed(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        shared, mine = self.folder / "shared", self.folder / "mine"
        shared.mkdir()
        shared.chmod(0o1777)
        mine.write_text("kept")
        (shared / "graph.dot").symlink_to(mine)
        os.lchown(shared / "graph.dot", 12345, 12345)
        done = self.call(self.install / "bin/opsrun", "graph", self.hostile / "here/graph.yaml", "-o", shared / "graph.dot",
                         "--dot", here=self.folder)
        self.assertIn("permission denied", done.stderr)
        self.assertEqual(mine.read_text(), "kept")

    def test_the_program_that_draws_is_not_one_of_the_current_folder(self):
        script(self.hostile / "here/dot", f"#!/bin/sh\ntouch {self.folder}/executed\n")
        for path in ("", ".", ":/nowhere", "/nowhere::"):
            done = self.call(self.install / "bin/opsrun", "graph", "graph.yaml", "-o", "graph.svg",
                             here=self.hostile / "here", path=path or ".")
            self.assertIn("there is no program 'dot' on the PATH", done.stderr)

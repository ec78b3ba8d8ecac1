"""levels_test.py: plugins and hosts of different levels of the contract.

Builds opsrun once more in level_2 of the build, from the draft of a level 2 (draft.py), with clang++ if it is installed, and
one plugin for each level and compiler; then each plugin runs in each host.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import draft
import gates
import matrix_test
from built import BUILD, OPSRUN, ROOT

HERE = ROOT / "tests/abi"
DRAFT_BUILD = BUILD / "level_2"
SECOND = DRAFT_BUILD / "bin/opsrun"

# The host of level 1, that of level 2, and that of level 2 in the mode for level 1.
HOSTS = {"1": [OPSRUN], "2": [SECOND], "2 as 1": [SECOND, "--abi-level", "1"]}

# What a plugin sees with three threads: level and size of the table, the length of the node's name, its threads.
OLD, PLAIN, NEW = "[  1 248  -1   3]", "[  2 256  -1   3]", "[  2 256   4   2]"
# The same from a program that embeds opsrun.
OLD_LINE, PLAIN_LINE, NEW_LINE = "1 248 -1 3\n", "2 256 -1 3\n", "2 256 4 2\n"

GRAPH = """opsrun: 1
nodes: {seen: {op: Seen}}
outputs: [seen]
"""


def build_draft():
    """Builds the project with level 2: the program and the library, unoptimized, since optimizing doubles the time."""
    kept = ["CMAKE_MAKE_PROGRAM", "OPSRUN_SANITIZE"]
    given = ["-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++"]
    if shutil.which("clang++") is None:
        kept, given = [*kept, "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"], []
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        name, _, value = line.partition("=")
        if name.split(":")[0] in kept:
            given.append(f"-D{name}={value}")
    given += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    off = [f"-DOPSRUN_{part}=OFF" for part in ("TESTS", "BENCH")]
    for words in (["cmake", "-S", ROOT, "-B", DRAFT_BUILD, "-G", "Ninja", "-DOPSRUN_DRAFT_LEVEL_2=ON", *given, *off],
                  ["cmake", "--build", DRAFT_BUILD, "--target", "opsrun", "opsrun_library"]):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\n{done.stderr}\nthe draft of level 2 does not build")


class Levels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build_draft()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "1").mkdir()
        (cls.folder / "2").mkdir()
        snapshot = gates.header_of(HERE / "level_1").read_text()
        (cls.folder / "1/c_api.h").write_text(snapshot)
        (cls.folder / "2/c_api.h").write_text(draft.draft(snapshot))
        (cls.folder / "g.yaml").write_text(GRAPH)
        cls.compilers = [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]

    def plugin(self, header, *flags, compiler="gcc"):
        """A folder with only the plugin, built from the header of a level."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.compile(compiler, header, [*flags, "-shared", HERE / "levels/seen.c"], folder / "seen.so")
        return folder

    def compile(self, compiler, header, words, to):
        subprocess.run([compiler, "-std=c11", "-O1", "-fPIC", f"-I{self.folder / header}", *words, "-o", to], check=True,
                       capture_output=True)

    def run_in(self, host, plugins):
        return self.run_program(*HOSTS[host], "g.yaml", "--threads", "3", "--no-default-plugins", "--plugins", plugins)

    def run_program(self, *words):
        return subprocess.run(words, cwd=self.folder, text=True, capture_output=True, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})

    def assert_sees(self, host, plugins, seen):
        done = self.run_in(host, plugins)
        self.assertEqual((done.returncode, done.stdout), (0, f"seen  int64 [4]\n{seen}\n"), done.stderr)

    def test_a_plugin_uses_level_2_where_it_asks_for_it_and_the_host_has_it(self):
        for header, flags, seen_in_2 in (("1", [], PLAIN), ("2", [], PLAIN), ("2", ["-DOPSRUN_USE_LEVEL=2"], NEW)):
            for compiler in self.compilers:
                plugins = self.plugin(header, *flags, compiler=compiler)
                for host, seen in {"1": OLD, "2": seen_in_2, "2 as 1": OLD}.items():
                    with self.subTest(header=header, flags=flags, compiler=compiler, host=host):
                        self.assert_sees(host, plugins, seen)

    def test_a_newer_header_hides_its_names_until_they_are_asked_for(self):
        with self.assertRaises(subprocess.CalledProcessError):
            self.compile("gcc", "2", ["-DOPSRUN_TARGET_LEVEL=2", "-DOPSRUN_USE_LEVEL=1", "-c", HERE / "levels/seen.c"],
                         self.folder / "none.o")

    def test_a_plugin_that_requires_level_2_is_refused_below(self):
        plugins = self.plugin("2", "-DOPSRUN_TARGET_LEVEL=2")
        self.assert_sees("2", plugins, NEW)
        for host in ("1", "2 as 1"):
            with self.subTest(host=host):
                done = self.run_in(host, plugins)
                self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
                self.assertIn("needs level 2 of opsrun, but this opsrun offers 1", done.stderr)

    def test_a_plugin_that_does_not_ask_is_caught_by_a_host_of_level_1(self):
        plugins = self.plugin("2", "-DOPSRUN_USE_LEVEL=2", "-DBLIND")
        self.assert_sees("2", plugins, NEW)
        for host, what in {"1": "byte 248", "2 as 1": "the slot 'node_name'"}.items():
            with self.subTest(host=host):
                done = self.run_in(host, plugins)
                self.assertEqual(done.returncode, -11, done.stderr)
                self.assertIn("in the kernel of node 'seen' (op Seen): "
                              f"it used {what} of opsrun_host, which level 1 does not have", done.stderr)

    def test_what_lies_beyond_the_lowest_level_of_a_plugins_notes_is_not_read(self):
        plugins = self.plugin("2", "-DOPSRUN_USE_LEVEL=2")
        second = self.folder / "second.o"
        unit = self.folder / "another_unit.c"
        unit.write_text('#include "c_api.h"\nOPSRUN_C_PLUGIN_NOTE(plugin_note_of_another_unit);\n')
        self.compile("gcc", "1", ["-c", unit], second)
        self.compile("gcc", "2", ["-DOPSRUN_USE_LEVEL=2", "-shared", HERE / "levels/seen.c", second], plugins / "seen.so")
        # The slot is in the table, as the plugin asked; the field was not read.
        self.assert_sees("2", plugins, "[  2 256   4   3]")

    def test_programs_and_libraries_and_plugins_of_both_levels_in_all_pairs(self):
        libraries = {1: BUILD / "lib/libopsrun.so.1", 2: DRAFT_BUILD / "lib/libopsrun.so.1"}
        headers = {1: [ROOT / "host/embed/include", ROOT / "sdk/include"], 2: [DRAFT_BUILD / "draft"]}
        plugins = {1: self.plugin("1"), 2: self.plugin("2", "-DOPSRUN_USE_LEVEL=2")}
        seen = {(1, 1): OLD_LINE, (1, 2): OLD_LINE, (2, 1): PLAIN_LINE, (2, 2): NEW_LINE}  # by library and plugin
        for (program_level, folders), (plugin_level, plugin) in itertools.product(headers.items(), plugins.items()):
            program = self.program(f"program_{program_level}", folders)
            for first, second in ((1, 1), (1, 2), (2, 1), (2, 2)):
                with self.subTest(program=program_level, plugin=plugin_level, libraries=(first, second)):
                    done = self.run_program(program, "g.yaml", plugin, libraries[first], libraries[second])
                    one, other = seen[first, plugin_level], seen[second, plugin_level]
                    self.assertEqual((done.stdout, done.stderr), (2 * (one + other) + other, ""))

    def test_a_program_that_needs_level_2_is_told_so_by_a_library_of_level_1(self):
        program = self.program("with_tag", [DRAFT_BUILD / "draft"], "-DWITH_TAG")
        plugins = self.plugin("1")
        old, new = (folder / "lib/libopsrun.so.1" for folder in (BUILD, DRAFT_BUILD))
        self.assertEqual(self.run_program(program, "g.yaml", plugins, new, new).stdout, 5 * PLAIN_LINE)
        done = self.run_program(program, "g.yaml", plugins, old, old)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("opsrun_run_options has fields that opsrun", done.stderr)

    def program(self, name, headers, *flags):
        """two_hosts.c, built with these headers."""
        to = self.folder / name
        subprocess.run(["gcc", "-std=gnu11", "-O1", *(f"-I{folder}" for folder in headers), *flags,
                        HERE / "levels/two_hosts.c", "-ldl", "-o", to], check=True, capture_output=True)
        return to

    def test_builds_of_other_compilers_and_languages_run_in_level_2(self):
        some = ["g++ c++17 O0", "g++ c++2b O3 ndebug", "clang++ c++20 O0", "clang++ c++2b O2 lto", "level_1 gcc c17 O2 lto",
                "level_1 clang c2x"]
        results = matrix_test.results_of([HOSTS["2"], HOSTS["2 as 1"]], some)
        self.assertEqual(len(results), len(some), results)
        self.assertEqual([each for each in results if each[1] == "failed"], [])

"""packages_test.py: what looked_for.py reads, and what check_packages.py reports.

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import check_packages
import looked_for
from small_tree import SmallTree


class Packages(SmallTree):
    """The whole table of packages.py, and a small project that needs three of its packages."""

    def setUp(self):
        super().setUp()
        self.write("host/CMakeLists.txt", "find_package(fmt REQUIRED)\ntarget_link_libraries(a PRIVATE fmt::fmt)\n")
        self.write("tests/CMakeLists.txt", "find_package(GTest REQUIRED)\ntarget_link_libraries(b GTest::gtest GTest::gmock)\n")
        self.write("python/requirements.txt", "numpy==2.0\n")
        self.write("scripts/frameworks", "#!/bin/bash\npackages=(jax)\n")
        self.write("scripts/all", "#!/bin/bash\n" + "".join(f"{name.split()[1]} x\n" for name in check_packages.packages.OPTIONAL))
        self.setup("libfmt-dev", "libgtest-dev libgmock-dev")

    def setup(self, to_run, to_test):
        self.write("scripts/setup", f"#!/bin/bash\nto_run=({to_run})\nto_test=({to_test})\n")

    def assert_looks_for(self, path, content, *things):
        self.write(path, content)
        self.assertEqual({thing for thing, _ in looked_for.of_file(self.root, path)}, set(things))

    def test_accepts_what_is_installed(self):
        self.assertEqual(check_packages.check(self.root), [])

    def test_refuses_a_package_that_is_not_installed(self):
        self.setup("libfmt-dev", "libgtest-dev")
        self.assert_finds(check_packages.check, "tests/CMakeLists.txt:2", "GTest::gmock", "libgmock-dev")

    def test_refuses_a_package_that_is_installed_for_tests_only(self):
        self.setup("", "libfmt-dev libgtest-dev libgmock-dev")
        problems = check_packages.check(self.root)
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("libfmt-dev for tests only", problems[0])

    def test_refuses_a_package_that_nobody_needs(self):
        self.setup("libfmt-dev graphviz=dot", "libgtest-dev libgmock-dev")
        self.assert_finds(check_packages.check, "scripts/setup:1", "graphviz")

    def test_refuses_a_tool_that_no_package_is_known_to_have(self):
        self.write("tests/a_test.py", "import subprocess\nsubprocess.run(['strace', 'x'])\n")
        self.assert_finds(check_packages.check, "tests/a_test.py:2", "program strace")

    def test_refuses_a_table_that_the_installed_packages_do_not_bear_out(self):
        if check_packages.installed.dependencies().keys() >= {"grep"}:
            [problem] = check_packages.installed.check({"program grep": "grep", "program strace": "grep"})
            self.assertIn("grep is installed, and has no program strace", problem)

    def test_reads_cmake(self):
        self.assert_looks_for("a.cmake", "find_program(A NAMES ld.bfd ld REQUIRED) # find_package(B)\nfind_path(C c.h HINTS d)\n"
                              "find_package(Python 3.11 REQUIRED COMPONENTS Interpreter ${x})\nadd_test(x COMMAND sh y)\n",
                              "program ld.bfd", "program ld", "header c.h", "component Interpreter", "program sh")

    def test_reads_python(self):
        self.assert_looks_for("a.py", "import os, subprocess\nimport yaml.x\nfrom subprocess import run as r\n"
                              "def f(words):\n  subprocess.run([*words, 'x'])\ndef g():\n  for c in ('gcc', 'clang'):\n"
                              "    subprocess.run(c)\nf(['nm', '-D'])\nsubprocess.run([os.path.join('a', 'b')])\n",
                              "module yaml", "program nm", "program gcc", "program clang")

    def test_reads_shell_scripts(self):
        self.assert_looks_for("a.sh", "f() { sed x; }\nx=$(LC_ALL=C sort \"$(find a)\") && f; echo \"a; b\" 'c | d' # e; g\n"
                              "case $x in h) i=(j k) ;; esac\nif command -v tee > l; then n=$((o)); \"$p\" q \\\n r; fi\n"
                              "\"$cmake\" -S a -B b\n",
                              "generator Unix Makefiles", "program sed", "program sort", "program find", "program tee")


if __name__ == "__main__":
    unittest.main()

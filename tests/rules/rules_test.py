"""rules_test.py: each rule finds what it is there to find: it is fed small trees that break it.

SPDX-License-Identifier: Apache-2.0
"""

import check_commands
import check_docs_links
import check_english
import check_errors
import check_headers
import check_packages
import check_refusals
import check_snippets
import check_words
import count_lines
import looked_for
from small_tree import SmallTree


class Commands(SmallTree):
    def test_accepts_files_and_names_of_tests(self):
        self.write("tests/CTestTestfile.cmake", 'add_test([=[a.b]=] "/usr/bin/python3" "-B" "a.py" "Case.test_b")\n')
        self.assertEqual(check_commands.check(self.root), [])

    def test_finds_the_name_of_a_target_behind_a_wrapper(self):
        self.write("tests/a/CTestTestfile.cmake", '# CMake\nadd_test([=[a]=] "sh" "--" "Python3::Interpreter" "-B")\n')
        self.assert_finds(check_commands.check, "tests/a/CTestTestfile.cmake:2", "$<TARGET_FILE:Python3::Interpreter>")


class CountLines(SmallTree):
    def test_counts_lines_that_are_not_blank_and_sources_by_folder(self):
        self.write("a/b/c.cc", "int n;\n\n  \nint m;\n")
        self.write("a/d.md", "text\n")
        self.write("README.md", "text\n")
        paths = ["a/b/c.cc", "a/d.md", "README.md"]
        self.assertEqual(dict(count_lines.count(self.root, paths)), {"a": [3, 1], ".": [1, 0]})
        self.assertEqual(dict(count_lines.count(self.root, paths, "a")), {"a/b": [2, 1], "a": [1, 0]})


class DocsLinks(SmallTree):
    def test_accepts_what_exists(self):
        self.write("host/a.h", "")
        self.write("host/a.cc", "")
        self.write("docs/b.md", "# C: `c`\n[a](../host/a.h) [c](#c-c) [d](https://numpy.org) `host/a.{h,cc}` `host/*.h` `host/`\n")
        self.write("README.md", "[c](docs/b.md#c-c)\n")
        self.assertEqual(check_docs_links.check(self.root), [])

    def test_refuses_what_does_not_exist(self):
        self.write("host/a.h", "")
        self.assert_refuses(
            check_docs_links.check,
            ("docs/b.md", "one\n[a](a.md#part)\n", "docs/b.md:2", "a.md#part leads nowhere"),
            ("docs/b.md", "# A\n[a](#a) [b](#b)\n", "docs/b.md:2", "#b leads nowhere"),
            ("docs/decisions.md", "- [a](#2026-a)\n\n## 2026: A\n\n## 2026: B\n\n[b](#2026-b)\n", "no link to #2026-b"),
            ("README.md", "`host/plan/plan.h`\n", "README.md:1", "no host/plan/plan.h"),
            ("README.md", "`host/a.{h,cc}`\n", "no host/a.{h,cc}"))

    def test_leaves_fenced_blocks_alone(self):
        self.write("README.md", "```\n`host/a.h` [a](b.md)\n```\n")
        self.assertEqual(check_docs_links.check(self.root), [])


class English(SmallTree):
    def test_accepts_plain_sentences(self):
        self.write("README.md", "It is not a file. There is no other one. It is no longer used.\n")
        self.write("host/a.cc", 'F("it is not a list");  // who reads it is no question here\n#include "is no list"\n')
        self.assertEqual(check_english.check(self.root), [])

    def test_refuses_replaced_words_in_public_text(self):
        self.assert_refuses(
            check_english.check,
            ("docs/a.md", "The shape hangs on it.\n", "docs/a.md:1", "depends on"),
            ("host/a/b.cc", 'F("\'{}\' is no list");\n', "host/a/b.cc:1", "is not a"),
            ("tests/graphs/a.err", "error[G208]: 'a' is no list\n", "tests/graphs/a.err:1", "is not a"),
            ("sdk/include/opsrun/a.h", "// The index has not the size.\n", "sdk/include/opsrun/a.h:1", "does not match"))


class Errors(SmallTree):
    PAGE = "# G204: a title\n\nWords.\n\nExit code: 3.\n\n## Example\n\n```console\n$ opsrun check a\n```\n"

    def setUp(self):
        super().setUp()
        self.write("host/plan/a.cc", 'p.Error("G204", "text");\n')
        self.write("docs/errors/G204.md", self.PAGE)
        self.write("tests/graphs/a.err", "error[G204]: text\n")

    def test_accepts_a_code_that_is_explained_shown_and_tested(self):
        self.assertEqual(check_errors.check(self.root), [])

    def test_refuses_other_codes_and_pages(self):
        page = "docs/errors/G204.md"
        self.assert_refuses(
            check_errors.check,
            ("host/cli/main.cc", 'puts("error[P106]: text");\n', "host/cli/main.cc:1", "P106 has no page"),
            ("docs/errors/G299.md", self.PAGE.replace("G204", "G299"), "docs/errors/G299.md:1", "no message of the host"),
            (page, self.PAGE.replace("Exit code", "Ends with"), f"{page}:1", "a page begins"),
            (page, self.PAGE.split("## Example")[0], f"{page}:1", "no example"))

    def test_refuses_a_code_that_no_test_prints(self):
        self.write("tests/graphs/a.err", "error[G205]: text\n")
        self.assert_finds(check_errors.check, "docs/errors/G204.md:1", "no .err")

    def test_takes_the_code_of_a_json_line(self):
        self.write("tests/graphs/a.err", '{"level":"error","code":"G204"}\n')
        self.assertEqual(check_errors.check(self.root), [])

    def test_keeps_the_list_of_codes(self):
        self.write("docs/diagnostics.md", "one\n<!-- codes -->\n<!-- /codes -->\n")
        self.assert_finds(check_errors.check, "docs/diagnostics.md", "--write")
        self.assertEqual(check_errors.check(self.root, write=True), [])
        self.assertIn("| [G204](errors/G204.md) | a title |", self.read("docs/diagnostics.md"))
        self.assertEqual(check_errors.check(self.root), [])


class Headers(SmallTree):
    PAGE = ("<!-- headers: absl -->\n{}<!-- /headers -->\n<!-- headers: tensorflow -->\n{}<!-- /headers -->\n"
            "<!-- headers: missing -->\n{}<!-- /headers -->\n")

    def setUp(self):
        super().setUp()
        self.write("compat/headers.txt", "# a comment: b.h\nCORE/ = {tensorflow/core}/\n\n"
                   "opsrun_absl/a.h: absl/strings/{b,a}.h absl/opsrun_layer.h\n"
                   "opsrun/a.h\n  opsrun/b.h:\n  CORE/op.h tsl/op.h\n\nstop: make nodes\n  tensorflow/core/graph.h\n")
        self.write("docs/port_a_tensorflow_op.md", self.PAGE.format("", "", ""))

    def test_brings_the_page_up_to_date(self):
        self.assertEqual(len(check_headers.check(self.root)), 3)
        self.assertEqual(check_headers.check(self.root, write=True), [])
        self.assertEqual(self.read("docs/port_a_tensorflow_op.md"), self.PAGE.format(
            "- `absl/strings/`: `a.h`, `b.h`\n", "- `tensorflow/core/`, `tsl/`: `op.h`\n",
            "- Make nodes. `tensorflow/core/`: `graph.h`\n"))

    def test_finds_a_header_that_is_not_listed(self):
        check_headers.check(self.root, write=True)
        self.write("compat/headers.txt", self.read("compat/headers.txt") + "\nopsrun/new.h: tsl/new.h\n")
        self.assert_finds(check_headers.check, "the list 'tensorflow' is not up to date")


class Refusals(SmallTree):
    def setUp(self):
        super().setUp()
        self.write("host/examine/a.cc", 'return {fmt::format("it has {} of {} bytes"\n "; copy it", a, b), "again"};  // "not a word"\n')
        self.write("tests/graphs/a.err", "error: it has 1 of 2 bytes; copy it\\n")
        told = {each: f"\"{each}\"" for each in check_refusals.NOT_PRINTED}
        self.write("host/plugin/told.cc", "\n,".join(told.values()) + "\n")

    def test_accepts_a_sentence_that_is_printed(self):
        self.assertEqual(check_refusals.check(self.root), [])

    def test_refuses_a_sentence_that_no_test_prints(self):
        self.write("tests/graphs/a.err", "error: it has 1 of 2 bits; copy it\\n")
        self.assert_finds(check_refusals.check, "host/examine/a.cc", "'it has {} of {} bytes; copy it'")

    def test_refuses_an_exception_that_nobody_says(self):
        self.write("host/plugin/told.cc", "")
        self.assertEqual(len(check_refusals.check(self.root)), len(check_refusals.NOT_PRINTED))


class Snippets(SmallTree):
    SOURCE = "int a;\n  // [body]\n  int b;\n    int c;\n  // [/body]\n"

    def test_accepts_a_region_and_a_whole_file(self):
        self.write("a.cc", self.SOURCE)
        self.write("a.yaml", "x: 1\n")
        self.write("a.md", "<!-- snippet: a.cc#body -->\n```cpp\nint b;\n  int c;\n```\n"
                           "<!-- snippet: a.yaml -->\n\n```yaml\nx: 1\n```\n")
        self.assertEqual(check_snippets.check(self.root), [])

    def test_refuses_what_has_no_marker_or_differs(self):
        self.write("a.cc", self.SOURCE)
        self.write("a.out", "3\n")
        self.assert_refuses(check_snippets.check, *(("a.md", content, *parts) for content, *parts in (
            ("<!-- snippet: a.cc#body -->\n```cpp\nint b;\n```\n", "a.md:2", "differs from a.cc"),
            ("words\n```yaml\nx: 1\n```\n", "a.md:2", "yaml without"),
            ("<!-- prose -->\nwords\n```cpp\nint a;\n```\n", "a.md:3", "cpp without"),
            ("<!-- snippet: a.cc#head -->\n```cpp\n```\n", "a.md:2", "no region [head]"),
            ("<!-- snippet: b.cc -->\n```cpp\n```\n", "no file b.cc"),
            ("<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n4\n```\n", "differs from a.out"))))

    def test_write_brings_a_document_up_to_date(self):
        self.write("a.out", "3\n")
        self.write("a.md", "one\n<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n4\n```\ntwo\n")
        self.assertEqual(check_snippets.check(self.root, write=True), [])
        self.assertEqual(self.read("a.md"), "one\n<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n3\n```\ntwo\n")


class Words(SmallTree):
    def test_accepts_clean_files_and_tabs_in_graphs_of_the_tests(self):
        self.write("a.cc", "int a;  // see https://numpy.org\n")
        self.write("tests/graphs/tab.yaml", "a:\n\tb: 1 \n")
        self.assertEqual(check_words.check(self.root), [])

    def test_refuses_other_files(self):
        self.assert_refuses(
            check_words.check,
            ("a.md", "see /wor" + "k/main/host\n", "a path of one machine"),
            ("a.md", "from https:/" + "/packages.example/x\n", "packages.example"),
            ("a.cc", "// TO" + "DO: later\n", "a.cc:1", "a note to self"),
            ("a.md", "one \n", "a.md:1", "trailing spaces"),
            ("scripts/run", "#!/bin/sh\n\techo\n", "scripts/run:2", "a tab"),
            ("a.cc", "int a;\n" * 600, "601 lines"),
            ("a.o", b"\0\1\2", "a binary file"),
            ("a.cc", "int a;", "no line break"))


class Packages(SmallTree):
    """The whole table of packages.py, and a small project that needs three of its packages."""

    def setUp(self):
        super().setUp()
        self.write("host/CMakeLists.txt", "find_package(fmt REQUIRED)\ntarget_link_libraries(a PRIVATE fmt::fmt)\n")
        self.write("tests/CMakeLists.txt", "find_package(GTest REQUIRED)\ntarget_link_libraries(b GTest::gtest GTest::gmock)\n")
        self.write("python/requirements.txt", "numpy==2.0\n")
        self.write("scripts/frameworks", "#!/bin/bash\npackages=(jax)\n")
        optional = [thing.split() for thing in check_packages.packages.OPTIONAL]
        self.write("scripts/all", "#!/bin/bash\n" + "".join(f"{name} x\n" for kind, name in optional if kind == "program"))
        self.write("bench/CMakeLists.txt", "".join(f"find_path(A {name})\n" for kind, name in optional if kind == "header"))
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
        if check_packages.dependencies().keys() >= {"grep"}:
            [problem] = check_packages.untrue({"program grep": "grep", "program strace": "grep"})
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

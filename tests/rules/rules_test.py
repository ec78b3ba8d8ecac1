"""rules_test.py: each rule finds what it is there to find: it is fed small trees that break it.

SPDX-License-Identifier: Apache-2.0
"""

import os
import tempfile
import unittest

import check_commands
import check_docs_links
import check_english
import check_errors
import check_headers
import check_includes
import check_names
import check_packages
import check_refusals
import check_snippets
import check_words
import count_lines
import declarations
import looked_for

HEAD = "// {}: a header.\n// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"


class Tree(unittest.TestCase):
    """A tree of files in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, content):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def assert_finds(self, check, *parts):
        """One problem, which holds all the parts."""
        problems = check(self.root)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])


class Includes(Tree):
    def assert_refuses(self, path, header, reason):
        self.write(path, f"\n#include {header}\n")
        self.assert_finds(check_includes.check, f"{path}:2", reason)

    def test_accepts_what_the_table_allows(self):
        self.write("host/graph/a.cc", '#include "host/base/status.h"\n#include "host/tensor/tensor.h"\n')
        self.write("host/yaml/write_yaml.cc", "#include <yaml.h>\nvoid F() { try { } catch (...) { } }\n")
        self.write("plugins/a/a.cc", '#include "opsrun/op.h"\n#include "a.h"\n#include <vector>\n')
        self.assertEqual(check_includes.check(self.root), [])

    def test_refuses_an_arrow_to_the_right(self):
        self.assert_refuses("host/base/a.cc", '"host/graph/graph.h"', "host/base may not")

    def test_refuses_siblings(self):
        self.assert_refuses("host/graph/a.cc", '"host/plugin/registry.h"', "host/graph may not")

    def test_only_the_testing_room_sees_the_testing_headers(self):
        self.write("host/testing/a.cc", '#include "opsrun/testing/array.h"\n#include "host/run/lane.h"\n')
        self.write("tests/host/testing/a_test.cc", '#include "opsrun/testing/op_test.h"\n')
        self.write("tests/host/testing/ops/ops.cc", '#include "opsrun/op.h"\n')
        self.write("plugins/a/a_test.cc", '#include "opsrun/testing.h"\n#include <gtest/gtest.h>\n')
        self.assertEqual(check_includes.check(self.root), [])
        self.assert_refuses("host/cli/a.cc", '"opsrun/testing/array.h"', "host/cli may not")

    def test_tests_of_plugins_know_neither_host_nor_fakes(self):
        self.assert_refuses("plugins/a/a_test.cc", '"tests/sdk/fake_call.h"', "a plugin includes opsrun/")

    def test_refuses_a_room_that_is_not_in_the_table(self):
        self.assert_refuses("host/common/a.cc", "<vector>", "no room of the table")

    def test_refuses_sdk_headers_in_the_host(self):
        self.assert_refuses("host/plan/a.cc", '"opsrun/op_kernel.h"', "host/plan may not")

    def test_refuses_the_contract_where_no_plugin_is_near(self):
        self.assert_refuses("host/graph/a.cc", '"opsrun/c_api.h"', "host/graph may not")

    def test_refuses_a_second_door_to_yaml(self):
        self.assert_refuses("host/graph/read_graph.cc", "<yaml.h>", "libyaml has one door")

    def test_refuses_a_second_door_to_the_command_line_parser(self):
        self.assert_refuses("host/cli/a.cc", "<CLI/CLI.hpp>", "CLI11 has one door")

    def test_refuses_cuda_outside_its_files(self):
        self.assert_refuses("plugins/a/a.cc", "<cuda_runtime.h>", "CUDA has one door")

    def test_refuses_the_host_in_the_sdk(self):
        self.assert_refuses("sdk/tests.cc", '"host/base/status.h"', "the SDK knows no host")

    def test_refuses_the_host_in_a_plugin(self):
        self.assert_refuses("plugins/a/a.cc", '"host/base/status.h"', "a plugin includes")

    def test_refuses_the_host_in_tests_of_the_sdk(self):
        self.assert_refuses("tests/sdk/a_test.cc", '"host/base/status.h"', "know no host")

    def test_refuses_the_sdk_in_tests_of_the_host(self):
        self.assert_refuses("tests/host/plan/a_test.cc", '"opsrun/op.h"', "know the contract")

    def test_adapters_know_the_library_and_their_framework(self):
        self.write("adapters/jax/native/a.cc", '#include "a.h"\n#include "adapters/common/engine.h"\n#include "opsrun/embed_host.h"\n'
                                               '#include <nanobind/nanobind.h>\n#include <vector>\n')
        self.assertEqual(check_includes.check(self.root), [])
        for header in ('"host/base/status.h"', '"opsrun/op.h"', '"adapters/pytorch/native/op.h"', "<torch/library.h>", '"../a.h"'):
            self.assert_refuses("adapters/jax/native/a.cc", header, "an adapter includes its own headers")

    def test_adapters_have_nothing_of_a_framework_in_common(self):
        self.assert_refuses("adapters/common/a.cc", "<torch/library.h>", "an adapter includes its own headers")

    def test_refuses_more_than_two_includes_in_the_contract(self):
        path = "sdk/include/opsrun/c_api.h"
        head = "/* opsrun/c_api.h: it.\n * SPDX-License-Identifier: Apache-2.0 */\n#pragma once\n"
        self.write(path, head + "#include <string.h>\n")
        self.assert_finds(check_includes.check, f"{path}:4", "stdint and stddef only")

    def test_refuses_exceptions_inside(self):
        self.write("host/run/a.cc", "void F() {\n  try { G(); } catch (...) { }\n}\n")
        self.assert_finds(check_includes.check, "host/run/a.cc", "exceptions stop")

    def test_lets_comments_and_strings_speak_of_exceptions(self):
        self.write("host/run/a.cc", '// try this\nconst char* k = "throw";\n')
        self.assertEqual(check_includes.check(self.root), [])

    def test_refuses_a_header_under_another_name(self):
        self.write("host/base/a.h", HEAD.format("host/base/b.h"))
        self.assert_finds(check_includes.check, "host/base/a.h:1", "begins with '// host/base/a.h:")

    def test_refuses_a_header_without_a_licence(self):
        self.write("host/base/a.h", "// host/base/a.h: a header.\n#pragma once\n")
        self.assert_finds(check_includes.check, "SPDX")

    def test_accepts_another_name_for_a_header(self):
        self.write("compat/opsrun_compat/a.h", '// SPDX-License-Identifier: Apache-2.0\n#include "opsrun/a.h"\n')
        self.assertEqual(check_includes.check(self.root), [])

    def test_refuses_a_header_without_a_guard(self):
        self.write("sdk/include/opsrun/a.h", HEAD.format("opsrun/a.h").replace("#pragma once\n", ""))
        self.assert_finds(check_includes.check, "guard")


class CountLines(Tree):
    def test_counts_lines_that_are_not_blank_and_sources_by_folder(self):
        self.write("a/b/c.cc", "int n;\n\n  \nint m;\n")
        self.write("a/d.md", "text\n")
        self.write("README.md", "text\n")
        paths = ["a/b/c.cc", "a/d.md", "README.md"]
        self.assertEqual(dict(count_lines.count(self.root, paths)), {"a": [3, 1], ".": [1, 0]})
        self.assertEqual(dict(count_lines.count(self.root, paths, "a")), {"a/b": [2, 1], "a": [1, 0]})


class Commands(Tree):
    def test_accepts_files_and_names_of_tests(self):
        self.write("tests/CTestTestfile.cmake", 'add_test([=[a.b]=] "/usr/bin/python3" "-B" "a.py" "Case.test_b")\n')
        self.assertEqual(check_commands.check(self.root), [])

    def test_finds_the_name_of_a_target_behind_a_wrapper(self):
        self.write("tests/a/CTestTestfile.cmake", '# CMake\nadd_test([=[a]=] "sh" "--" "Python3::Interpreter" "-B")\n')
        self.assert_finds(check_commands.check, "tests/a/CTestTestfile.cmake:2", "$<TARGET_FILE:Python3::Interpreter>")


class Headers(Tree):
    PAGE = ("<!-- headers: absl -->\n{}<!-- /headers -->\n<!-- headers: tensorflow -->\n{}<!-- /headers -->\n"
            "<!-- headers: missing -->\n{}<!-- /headers -->\n")

    def setUp(self):
        super().setUp()
        self.write("compat/headers.txt", "# a comment\n\nopsrun_absl/a.h\n  absl/strings/{b,a}.h absl/opsrun_layer.h\n\n"
                   "opsrun/a.h\nopsrun/b.h\n  tensorflow/core/op.h\n\nstop: make nodes\n  tensorflow/core/graph.h\n")
        self.write("docs/port_a_tensorflow_op.md", self.PAGE.format("", "", ""))

    def test_brings_the_page_up_to_date(self):
        self.assertEqual(len(check_headers.check(self.root)), 3)
        self.assertEqual(check_headers.check(self.root, write=True), [])
        self.assertEqual(self.read("docs/port_a_tensorflow_op.md"), self.PAGE.format(
            "- `absl/strings/`: `a.h`, `b.h`\n", "- `tensorflow/core/`: `op.h`\n",
            "- Make nodes: `tensorflow/core/graph.h`\n"))

    def test_finds_a_header_that_is_not_listed(self):
        check_headers.check(self.root, write=True)
        self.write("compat/headers.txt", self.read("compat/headers.txt") + "\nopsrun/new.h\n  tsl/new.h\n")
        self.assert_finds(check_headers.check, "the list 'tensorflow' is not up to date")


class Names(Tree):
    COMPAT = "compat/opsrun_compat/a.h"
    LAYER = "compat/opsrun_absl/a.h"

    def names_in(self, body):
        text = f"namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {{\n{body}\n}}\n"
        return [str(name) for name in declarations.names_of(text)]

    def test_lists_functions_and_constants(self):
        self.assertEqual(self.names_in("""
            // int Commented();
            inline int Add(int a, int (*b)()) { int local = 0; return local + a; }
            template <typename T, typename = std::enable_if_t<sizeof(T) < 4>>
            std::vector<T> Many(const T& t);
            constexpr int kOne = 1, kTwo[2] = {1, 2};
            extern const char* const kText;
            [[nodiscard]] __attribute__((cold)) bool Rare() noexcept;
            inline int Class::Defined() { return 1; }
            static_assert(sizeof(int) == 4, "not a name();");"""), ["Add", "Many", "kOne", "kTwo", "kText", "Rare"])

    def test_lists_classes_and_what_is_public_in_them(self):
        self.assertEqual(self.names_in("""
            class Forward;
            class TF_LOCKABLE Base : public Other<int> {
              int hidden_ = 0;
             public:
              explicit Base(int n) : a_{n}, b_(n) { Call(); }
              ~Base();
              static Base* Make(int n) { return new Base(n); }
              template <typename T>
              T get() const { return T(); }
              bool operator==(const Base&) const;
              Base& operator=(Base other) { return *this; }
              void Compute(int) override;
              friend void Free(Base*) {}
              typedef int value_type;
              struct Inner { int field = 1; };
             protected:
              void Hidden();
             private:
              struct Secret { int x; };
            };"""), ["Base", "Base::Make", "Base::get", "Base::Free", "Base::value_type", "Base::Inner",
                     "Base::Inner::field"])

    def test_lists_enumerators_aliases_and_namespaces(self):
        self.assertEqual(self.names_in("""
            enum Plain : int { kA = 1, kB };
            enum class Scoped { kC };
            namespace io {
            using std::optional;
            using Text = std::string;
            }
            namespace internal { int Hidden(); }
            template <> struct std::hash<int> {};
            template <> struct hash<int> {};"""),
            ["Plain", "kA", "kB", "Scoped", "Scoped::kC", "io::optional", "io::Text"])

    def test_lists_macros_and_what_they_declare(self):
        self.assertEqual([str(name) for name in declarations.names_of("""
#define TF_ONE(x) \\
  Two(x)
#define OPSRUN_MAKE(Name, n) \\
  inline int Make##Name() {  \\
    return n;                \\
  }
OPSRUN_ABSL_BEGIN
OPSRUN_MAKE(First, 1)
#undef OPSRUN_MAKE
OPSRUN_ABSL_END
""")], ["TF_ONE", "MakeFirst"])

    def test_accepts_names_with_tests(self):
        self.write(self.COMPAT, "namespace io {\nint Size();\nclass File { public: int size(); };\n}\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = io::Size() + io::File().size();\n")
        self.assertEqual(check_names.check(self.root), [])

    def test_finds_a_name_without_a_test(self):
        self.write(self.COMPAT, "int Used();\n\nint Unused();\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = Used();  // not Unused\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:3", "no test uses Unused")

    def test_finds_a_method_that_is_called_on_another_class_only(self):
        self.write(self.COMPAT, "class File {\n public:\n  int size();\n};\n")
        self.write("compat/tests/tensorflow/a_test.cc", "File file;\n")
        self.write("compat/tests/tensorflow/b_test.cc", "int n = text.size();\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:3", "no test uses File::size")

    def test_finds_a_header_that_it_cannot_read(self):
        self.write(self.COMPAT, "int A();\n}\nint B();\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:2", "no opening one")

    def test_wants_names_of_the_layer_where_abseil_judges_them(self):
        self.write(self.LAYER, "OPSRUN_ABSL_BEGIN\nint Size();\nOPSRUN_ABSL_END\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = absl::Size();\n")
        self.write("compat/tests/absl/a_test.cc", "int n = other::Size();\n")
        self.assert_finds(check_names.check, f"{self.LAYER}:2", "no test uses Size", "compat/tests/absl/")


class Snippets(Tree):
    SOURCE = "int a;\n  // [body]\n  int b;\n    int c;\n  // [/body]\n"

    def test_accepts_a_region_and_a_whole_file(self):
        self.write("a.cc", self.SOURCE)
        self.write("a.yaml", "x: 1\n")
        self.write("a.md", "<!-- snippet: a.cc#body -->\n```cpp\nint b;\n  int c;\n```\n"
                           "<!-- snippet: a.yaml -->\n\n```yaml\nx: 1\n```\n")
        self.assertEqual(check_snippets.check(self.root), [])

    def test_refuses_text_that_differs(self):
        self.write("a.cc", self.SOURCE)
        self.write("a.md", "<!-- snippet: a.cc#body -->\n```cpp\nint b;\n```\n")
        self.assert_finds(check_snippets.check, "a.md:2", "differs from a.cc")

    def test_refuses_code_without_a_marker(self):
        self.write("a.md", "words\n```yaml\nx: 1\n```\n")
        self.assert_finds(check_snippets.check, "a.md:2", "yaml without")

    def test_a_marker_serves_the_next_block_only(self):
        self.write("a.md", "<!-- prose -->\nwords\n```cpp\nint a;\n```\n")
        self.assert_finds(check_snippets.check, "a.md:3", "cpp without")

    def test_refuses_a_region_that_is_not_there(self):
        self.write("a.cc", self.SOURCE)
        self.write("a.md", "<!-- snippet: a.cc#head -->\n```cpp\n```\n")
        self.assert_finds(check_snippets.check, "a.md:2", "no region [head]")

    def test_refuses_a_file_that_is_not_there(self):
        self.write("a.md", "<!-- snippet: b.cc -->\n```cpp\n```\n")
        self.assert_finds(check_snippets.check, "no file b.cc")

    def test_compares_what_a_command_prints_and_not_the_command(self):
        self.write("a.out", "3\n")
        self.write("a.md", "<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n4\n```\n")
        self.assert_finds(check_snippets.check, "differs from a.out")

    def test_write_brings_a_document_up_to_date(self):
        self.write("a.out", "3\n")
        self.write("a.md", "one\n<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n4\n```\ntwo\n")
        self.assertEqual(check_snippets.check(self.root, write=True), [])
        self.assertEqual(self.read("a.md"), "one\n<!-- snippet: a.out -->\n```console\n$ opsrun a.yaml\n3\n```\ntwo\n")


class Imports(Tree):
    def assert_refuses(self, path, code, *parts):
        self.write(path, code)
        self.assert_finds(check_includes.check, f"{path}:", *parts)

    def test_accepts_what_the_layers_allow(self):
        self.write("python/opsrun/ops.py", "import json\nfrom opsrun import _native, _library\nfrom opsrun._engine import engine\n")
        self.write("adapters/jax/opsrun/jax/_op.py", "from opsrun import _values\nfrom opsrun.jax._call import Call\nimport jax\n")
        self.assertEqual(check_includes.check(self.root), [])

    def test_refuses_imports_of_the_same_layer_and_of_later_ones(self):
        for code in ("from opsrun import ops", "from opsrun._function import Function", "import opsrun._trace", "from opsrun import Tensor",
                     "import opsrun", "from . import ops", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from opsrun import ops"):
            self.assert_refuses("python/opsrun/_op_help.py", code + "\n", "only modules of layers before its own")

    def test_adapters_have_layers_too(self):
        self.assert_refuses("adapters/jax/opsrun/jax/_call.py", "from opsrun.jax import _op\n", "only modules of layers before its own")

    def test_refuses_imports_inside_functions(self):
        self.assert_refuses("python/opsrun/ops.py", "def f():\n    import json\n    from opsrun import _library\n", ":3", "inside a function")

    def test_refuses_a_module_that_is_not_in_the_table(self):
        self.write("python/opsrun/_common.py", "")
        self.write("adapters/mxnet/opsrun/mxnet/__init__.py", "")
        problems = check_includes.check(self.root)
        self.assertEqual([problem.partition(": ")[2] for problem in problems], ["this module is not in the table of check_includes.py"] * 2)

    def test_adapters_know_little_of_the_package_and_nothing_of_each_other(self):
        for code in ("from opsrun import ops", "from opsrun._trace import Trace", "from opsrun.torch import _fake", "import opsrun"):
            self.assert_refuses("adapters/jax/opsrun/jax/_op.py", code + "\n", "an adapter may not import this")


class Words(Tree):
    def assert_refuses(self, path, content, *parts):
        self.write(path, content)
        self.assert_finds(check_words.check, path, *parts)

    def test_accepts_a_clean_file(self):
        self.write("a.cc", "int a;  // see https://numpy.org\n")
        self.assertEqual(check_words.check(self.root), [])

    def test_refuses_a_path_of_one_machine(self):
        self.assert_refuses("a.md", "see /wor" + "k/main/host\n", "a path of one machine")

    def test_refuses_a_link_to_anywhere(self):
        self.assert_refuses("a.md", "from https:/" + "/packages.example/x\n", "packages.example")

    def test_refuses_notes_to_self(self):
        self.assert_refuses("a.cc", "// TO" + "DO: later\n", "a.cc:1", "a note to self")

    def test_refuses_blanks_at_the_end(self):
        self.assert_refuses("a.md", "one \n", "a.md:1", "blanks at the end")

    def test_refuses_tabs_in_sources(self):
        self.assert_refuses("scripts/run", "#!/bin/sh\n\techo\n", "scripts/run:2", "a tab")

    def test_refuses_a_file_that_nobody_reads_to_its_end(self):
        self.assert_refuses("a.cc", "int a;\n" * 600, "601 lines")

    def test_refuses_binary_files(self):
        self.assert_refuses("a.o", b"\0\1\2", "a binary file")

    def test_refuses_a_file_without_a_last_line_break(self):
        self.assert_refuses("a.cc", "int a;", "no line break")

    def test_lets_graphs_of_the_tests_hold_tabs(self):
        self.write("tests/graphs/tab.yaml", "a:\n\tb: 1 \n")
        self.assertEqual(check_words.check(self.root), [])


class English(Tree):
    def assert_refuses(self, path, content, instead):
        self.write(path, content)
        self.assert_finds(check_english.check, f"{path}:1", instead)

    def test_accepts_plain_sentences(self):
        self.write("README.md", "It is not a file. There is no other one. It is no longer used.\n")
        self.write("host/a.cc", 'F("it is not a list");  // who reads it is no question here\n#include "is no list"\n')
        self.assertEqual(check_english.check(self.root), [])

    def test_refuses_replaced_words_in_docs(self):
        self.assert_refuses("docs/a.md", "The shape hangs on it.\n", "depends on")

    def test_refuses_them_in_messages(self):
        self.assert_refuses("host/a/b.cc", 'F("\'{}\' is no list");\n', "is not a")

    def test_refuses_them_in_expected_messages(self):
        self.assert_refuses("tests/graphs/a.err", "error[G208]: 'a' is no list\n", "is not a")

    def test_refuses_them_in_public_headers(self):
        self.assert_refuses("sdk/include/opsrun/a.h", "// The index has not the size.\n", "does not match")


class Refusals(Tree):
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


class Errors(Tree):
    PAGE = "# G204: a title\n\nWords.\n\nExit code: 3.\n\n## Example\n\n```console\n$ opsrun check a\n```\n"

    def setUp(self):
        super().setUp()
        self.write("host/plan/a.cc", 'p.Error("G204", "text");\n')
        self.write("docs/errors/G204.md", self.PAGE)
        self.write("tests/graphs/a.err", "error[G204]: text\n")

    def test_accepts_a_code_that_is_explained_shown_and_tested(self):
        self.assertEqual(check_errors.check(self.root), [])

    def test_refuses_a_code_without_a_page(self):
        self.write("host/cli/main.cc", 'puts("error[P106]: text");\n')
        self.assert_finds(check_errors.check, "host/cli/main.cc:1", "P106 has no page")

    def test_refuses_a_page_of_no_code(self):
        self.write("docs/errors/G299.md", self.PAGE.replace("G204", "G299"))
        self.assert_finds(check_errors.check, "docs/errors/G299.md:1", "no message of the host")

    def test_refuses_a_page_of_another_form(self):
        self.write("docs/errors/G204.md", self.PAGE.replace("Exit code", "Ends with"))
        self.assert_finds(check_errors.check, "docs/errors/G204.md:1", "a page begins")

    def test_refuses_a_page_without_an_example(self):
        self.write("docs/errors/G204.md", self.PAGE.split("## Example")[0])
        self.assert_finds(check_errors.check, "docs/errors/G204.md:1", "no example")

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


class Packages(Tree):
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


class DocsLinks(Tree):
    def test_accepts_what_exists(self):
        self.write("host/a.h", "")
        self.write("host/a.cc", "")
        self.write("docs/b.md", "# C: `c`\n[a](../host/a.h) [c](#c-c) [d](https://numpy.org) `host/a.{h,cc}` `host/*.h` `host/`\n")
        self.write("README.md", "[c](docs/b.md#c-c)\n")
        self.assertEqual(check_docs_links.check(self.root), [])

    def test_refuses_a_link_that_leads_nowhere(self):
        self.write("docs/b.md", "one\n[a](a.md#part)\n")
        self.assert_finds(check_docs_links.check, "docs/b.md:2", "a.md#part leads nowhere")

    def test_refuses_a_link_to_a_heading_that_is_not_there(self):
        self.write("docs/b.md", "# A\n[a](#a) [b](#b)\n")
        self.assert_finds(check_docs_links.check, "docs/b.md:2", "#b leads nowhere")

    def test_refuses_a_decision_that_the_index_lacks(self):
        self.write("docs/decisions.md", "- [a](#2026-a)\n\n## 2026: A\n\n## 2026: B\n\n[b](#2026-b)\n")
        self.assert_finds(check_docs_links.check, "no link to #2026-b")

    def test_refuses_a_path_that_is_not_there(self):
        self.write("README.md", "`host/plan/plan.h`\n")
        self.assert_finds(check_docs_links.check, "README.md:1", "no host/plan/plan.h")

    def test_refuses_half_of_a_pair_that_is_not_there(self):
        self.write("host/a.h", "")
        self.write("README.md", "`host/a.{h,cc}`\n")
        self.assert_finds(check_docs_links.check, "no host/a.{h,cc}")

    def test_leaves_fenced_blocks_alone(self):
        self.write("README.md", "```\n`host/a.h` [a](b.md)\n```\n")
        self.assertEqual(check_docs_links.check(self.root), [])


if __name__ == "__main__":
    unittest.main()

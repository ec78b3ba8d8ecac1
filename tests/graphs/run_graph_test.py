"""run_graph_test.py: the runner detects all kinds of differences. A shell script replaces opsrun.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import run_graph
import short_text
from in_folder import FolderTest

RUNNER = run_graph.__file__


class RunGraph(FolderTest):
    def run_case(self, script, graph, *options):
        """The runner's exit status and output, with `script` as opsrun."""
        opsrun = self.write("opsrun", "#!/bin/sh\n" + script)
        opsrun.chmod(0o755)
        path = self.write("a.yaml", graph)
        done = self.call(sys.executable, "-B", RUNNER, "--opsrun", opsrun, *options, path)
        return done.returncode, done.stdout + done.stderr

    def assert_fails(self, script, graph, words):
        status, output = self.run_case(script, graph)
        self.assertEqual(status, 1)
        self.assertIn(words, output)

    def test_passes_when_all_is_as_expected(self):
        self.write("a.out", "run a.yaml\n")
        self.assertEqual(self.run_case('echo "$@"', "opsrun: 1\n"), (0, ""))

    def test_passes_arguments_before_the_graph(self):
        self.write("a.out", "check --error-format short a.yaml\n")
        self.assertEqual(self.run_case('echo "$@"', "# run: check --error-format short\n")[0], 0)

    def test_runs_several_commands(self):
        self.write("a.out", "$ opsrun one\n$ opsrun two\n3\n$ opsrun four\n4\n")
        script = "case $1 in one|two) echo 3;; four) echo 4;; esac; test $1 != five || exit 1"
        commands = "# command: one\n# command: two\n# command: four\n"
        self.assertEqual(self.run_case(script, commands + "# command: none\n"), (0, ""))
        self.assert_fails(script, commands + "# command: five\n", "exit status 0 0 0 1, expected 0")
        self.assertEqual(self.run_case(script, "# exit: 0 0 0 1\n" + commands + "# command: five\n"), (0, ""))

    def test_runs_a_graph_with_each_row(self):
        self.write("a.out", "# row: 1\\n\\t2\n1\n\t2\n# row: 3\n3\n")
        self.assertEqual(self.run_case("grep -v '^#' $2", "# row: 1\\n\\t2\n# row: 3\n<row>\n"), (0, ""))

    def test_lays_other_graphs_beside(self):
        self.write("b.yaml", "opsrun: 1\n")
        self.write("a.out", "opsrun: 1\n")
        self.assertEqual(self.run_case("cat $1", "# beside: b.yaml\n# command: b.yaml\n"), (0, ""))

    def test_finds_other_output(self):
        self.write("a.out", "1\n")
        self.assert_fails("echo 2", "", "+2")

    def test_finds_output_where_none_is_expected(self):
        self.assert_fails("echo 2 >&2", "", "a.err")

    def test_finds_another_exit_status(self):
        self.assert_fails("exit 4", "# exit: 3\n", "exit status 4, expected 3")

    def test_finds_a_crash(self):
        self.assert_fails("kill -SEGV $$", "", "exit status 139")

    MESSAGES = "error[G204]: a\n --> a.yaml:1:1\n\nwarning[G218]: b\n"
    CLOSING = "\n1 error, 1 warning. For details, run: opsrun explain G204\n"

    def test_leaves_out_the_summary_at_the_end(self):
        self.write("a.err", self.MESSAGES)
        self.assertEqual(self.run_case(f"printf '%s' '{self.MESSAGES + self.CLOSING}' >&2", "")[0], 0)

    def test_finds_a_wrong_summary(self):
        self.write("a.err", self.MESSAGES)
        for wrong in (self.CLOSING.replace("1 error", "2 errors"), self.CLOSING.replace("G204", "G218")):
            self.assert_fails(f"printf '%s' '{self.MESSAGES + wrong}' >&2", "", "run: opsrun explain")

    def test_finds_a_missing_summary_where_it_is_expected(self):
        self.write("a.err", self.MESSAGES + self.CLOSING)
        self.assert_fails(f"printf '%s' '{self.MESSAGES}' >&2", "", "-1 error, 1 warning")

    GRAPH = "# exit: 3\nx: 10\n"
    PRINTED = "error[G204]: a\n --> a.yaml:2:4\n  |\n2 | x: 10\n  |    ^^\n  = help: b\n"
    LABELLED = PRINTED.replace("^^", "^^ c")

    def test_leaves_out_the_lines_that_a_message_quotes(self):
        for printed, folded in ((self.PRINTED, " --> a.yaml:2:4 ^^"), (self.LABELLED, "\n --> a.yaml:2:4\n2 :    ^^ c")):
            self.write("a.err", f"error[G204]: a{folded}\n  = help: b\n")
            self.assertEqual(self.run_case(f"printf '%s' '{printed}' >&2; exit 3", self.GRAPH), (0, ""))

    def test_finds_a_wrong_quotation(self):
        for printed in (self.PRINTED, self.LABELLED):
            self.write("a.err", run_graph.folded(printed, "a.yaml", self.GRAPH.split("\n")))
            for old, new in (("x: 10", "x: 11"), ("\n2 |", "\n1 |"), ("2 |", "2  |"), (" -->", "  -->"), ("2:4", "2:3"), ("   ^^", "  ^^"),
                             ("   ^^", "   ^"), ("  |\n", ""), ("\n  |  ", "\n   |  "), ("a.yaml", "b.yaml"), ("|    ", ":    ")):
                wrong = printed.replace(old, new, 1)
                self.assert_fails(f"printf '%s' '{wrong}' >&2; exit 3", self.GRAPH, "a.err")

    def test_packs_json(self):
        printed = '{\n  "a": [\n    1,\n    {}\n  ]\n}\n'
        self.write("a.out", '{"a": [1, {}]}\n')
        self.assertEqual(self.run_case(f"printf '%s' '{printed}'", ""), (0, ""))
        for old, new in (("1", "2"), ("    1", "   1"), (",\n", ", \n"), ("{}", "{ }"), ("}\n", "}")):
            self.assert_fails(f"printf '%s' '{printed.replace(old, new)}'", "", "a.out")
        self.assertEqual(short_text.packed({"a": [{"b": "c" * 70}, {"b": "d" * 70}]}).count("\n"), 5)

    def test_leaves_out_the_timing(self):
        self.assertEqual(self.run_case("echo 'ok: 1 node in 0.04 ms' >&2", "")[0], 0)

    def test_masks_figures_and_leaves_names(self):
        self.write("a.out", "p90  #, # runs of int32 n1  #\n")
        script = "echo 'p90      1.5 us, 30 runs of int32 n1   12.3 %'"
        self.assertEqual(self.run_case(script, "# mask: figures\n"), (0, ""))

    def test_shows_what_was_written(self):
        self.write("a.out", "x.npy: int32 [2] 1 2\ny.npy: no such file\n")
        self.assertEqual(self.run_case("", "# npy: x.npy int32 [2] 1 2\n# show: x.npy\n# show: y.npy\n")[0], 0)

    def test_runs_scripts_beside_the_graph(self):
        self.write("look.py", "print(open('made').read())\n")
        self.write("a.out", "seven\n7\n\n")
        self.assertEqual(self.run_case("echo 7 > made && echo seven", "# after: look.py\n", "--expect", self.folder), (0, ""))

    def test_finds_a_script_that_fails(self):
        self.write("look.py", "raise SystemExit('nothing here')\n")
        self.assertIn("nothing here", self.run_case("", "# after: look.py\n", "--expect", self.folder)[1])

    def test_hides_where_it_ran(self):
        self.write("a.err", "<here>/a.yaml\n")
        self.assertEqual(self.run_case("echo $PWD/a.yaml >&2", "")[0], 0)

    def test_finds_what_is_left_in_the_home_directory(self):
        self.assert_fails("touch $HOME/junk", "", "left in the home directory: junk")

    def test_refuses_a_directive_that_there_is_not(self):
        self.assertIn("no directive 'exits'", self.run_case("", "# exits: 3\n")[1])

    def test_update_writes_what_is_printed(self):
        self.write("a.err", "old\n")
        self.assertEqual(self.run_case("echo new", "", "--update")[0], 0)
        self.assertEqual((self.folder / "a.out").read_text(), "new\n")
        self.assertFalse((self.folder / "a.err").exists())

    def test_update_keeps_what_is_expected_when_the_exit_status_is_another(self):
        self.write("a.out", "old\n")
        self.assertEqual(self.run_case("echo new; exit 3", "", "--update")[0], 1)
        self.assertEqual((self.folder / "a.out").read_text(), "old\n")

    def test_skips_valgrind_where_there_is_none(self):
        self.assertEqual(self.run_case("", "", "--valgrind", "VALGRIND-NOTFOUND")[0], 77)

"""zoo_test.py: each faulty op of the zoo fails the check that must find it, and no other one.

usage: zoo_test.py OPSRUN ZOO ZOO_HANDLES

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

OPSRUN, ZOO, ZOO_HANDLES = sys.argv[1:4]

# By check. The process ends for those in CRASHES.
FAULTS = {
    "errors": "AbortsIfScalar CrashesIfEmpty DividesByRank ExitsIfEmpty TrustsHandle TrustsNull",
    "shapes": "GuessesOne NeedsRank NeedsSizes SaysScalar",
    "guards": "ReadsBeforeStart ReadsPastEnd WritesBeforeStart WritesPastEnd WritesPastTemporary",
    "inputs": "NegatesInput WritesInput",
    "read_only": "TouchesInput",
    "repeat": "CountsCalls CountsInKernel DrawsWithoutSeed KeepsLastResult",
    "outputs": "AddsToOutput LeavesLastElement ReadsFreshTemporary",
    "unaligned": "WantsAlignment",
    "forward": "AddsFirstForwarded ClearsForwarded ReversesForwarded",
    "in_place": "ReversesInPlace SumsElementwise",
    "loops": "EndsInLastPart MarksFirstOfPart SumsInParts",
    "threads": "LosesUpdates SharesMember SharesStatic",
    "state": "BlocksSignals RoundsUpwards",
    "cancel": "CallsItInternal StopsWithoutAnError",
    "leaks": "KeepsObject KeepsTemporaries LeaksBytes",
    "lifetime": "LeaksObject",
    "gradient": "WrongGradient",
}
CRASHES = ("AbortsIfScalar CrashesIfEmpty DividesByRank ExitsIfEmpty ReadsBeforeStart ReadsPastEnd TouchesInput "
           "TrustsNull").split()
# malloc of a sanitizer does not count bytes; it reports leaks itself.
with open(OPSRUN, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()
NOT_COUNTED = ["KeepsObject", "KeepsTemporaries", "LeaksBytes", "LeaksObject"] if SANITIZED else []
# Only a sanitizer sees these.
SEEN_BY_SANITIZER = "ReadsPastVector"
if SANITIZED:
    FAULTS["errors"] += f" {SEEN_BY_SANITIZER}"
    CRASHES.append(SEEN_BY_SANITIZER)


# Right, as far as they can be checked.
RIGHT = {"Counter", "NeedsOtherPlugin", "Raise", "Right", "WantsVariant", "WantsWord"}


def run(*words, zoo=ZOO):
    return subprocess.run([OPSRUN, "test", zoo, *words], capture_output=True, text=True, timeout=300)


class Zoo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.junit = os.path.join(cls.folder.name, "report.xml")
        cls.result = run("--json", "--junit", cls.junit)
        cls.handles = run("--json", zoo=ZOO_HANDLES)
        cls.ops = {op["op"]: op for result in (cls.result, cls.handles) for op in json.loads(result.stdout)["ops"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def failed(self, op):
        return {check["check"]: check for check in self.ops[op]["checks"] if check["status"] in ("FAILED", "CRASHED")}

    def test_a_right_op_passes_all_checks(self):
        statuses = {check["check"]: check["status"] for check in self.ops["Right"]["checks"]}
        uncounted = {statuses.pop("leaks"), statuses.pop("lifetime")}
        self.assertEqual(set(statuses.values()), {"PASSED"})
        self.assertEqual(uncounted, {"SKIPPED" if SANITIZED else "PASSED"})

    def test_each_fault_fails_its_check_and_no_other(self):
        for check, ops in FAULTS.items():
            for op in ops.split():
                if op in NOT_COUNTED:
                    continue
                with self.subTest(op=op):
                    self.assertEqual(list(self.failed(op)), [check])
                    self.assertEqual(self.ops[op]["status"], "CRASHED" if op in CRASHES else "FAILED")

    def test_each_op_of_the_zoo_is_in_the_table(self):
        listed = {op for ops in FAULTS.values() for op in ops.split()}
        self.assertEqual(set(self.ops), listed | {SEEN_BY_SANITIZER} | RIGHT)

    def test_a_failure_fails_the_program_and_is_a_message(self):
        self.assertEqual(self.result.returncode, 1)
        self.assertIn("error[R511]: op 'WritesInput' fails check 'inputs': the kernel wrote to input 'x'", self.result.stderr)

    @unittest.skipUnless(SANITIZED, "needs a build with AddressSanitizer")
    def test_what_a_sanitizer_finds_is_the_message(self):
        self.assertIn("error[R511]: op 'ReadsPastVector' fails check 'errors': a sanitizer found: AddressSanitizer: "
                      "heap-buffer-overflow", self.result.stderr)

    def test_a_failure_can_be_reproduced(self):
        seed = self.failed("LeavesLastElement")["outputs"]["seed"]
        again = run("--op", "LeavesLastElement", "--reproduce", str(seed))
        self.assertEqual(again.returncode, 1)
        self.assertIn("LeavesLastElement         1", again.stdout)

    def test_the_report_of_a_ci_server_has_all_checks(self):
        suites = {suite.get("name"): suite for suite in xml.etree.ElementTree.parse(self.junit).getroot()}
        self.assertEqual(set(suites), {op["op"] for op in json.loads(self.result.stdout)["ops"]})
        self.assertEqual(len(suites["Right"]), len(self.ops["Right"]["checks"]))
        failure = suites["WritesInput"].find("testcase[@name='inputs']/failure")
        self.assertRegex(failure.text, re.escape("--op WritesInput --reproduce"))
        self.assertIsNotNone(suites["CrashesIfEmpty"].find("testcase[@name='errors']/error"))

    def test_what_was_drawn_is_written_as_a_folder_that_runs(self):
        seed = self.failed("WritesInput")["inputs"]["seed"]
        folder = os.path.join(self.folder.name, "repro")
        again = run("--op", "WritesInput", "--reproduce", str(seed), "--repro-dir", folder)
        self.assertIn(f"note: to run the node alone: opsrun run {folder}", again.stderr)
        self.assertEqual(sorted(os.listdir(folder)), ["graph.yaml", "plugin.yaml", "x.npy"])
        ran = subprocess.run([OPSRUN, "run", folder], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("float32", ran.stdout)
        taken = run("--op", "WritesInput", "--reproduce", str(seed), "--repro-dir", folder)
        self.assertIn("error[R504]: --repro-dir: ", taken.stderr)
        self.assertEqual(taken.returncode, 1)

    def test_a_gradient_with_ops_of_an_absent_plugin_is_skipped_with_advice(self):
        checks = {check["check"]: check for check in self.ops["NeedsOtherPlugin"]["checks"]}
        self.assertEqual(self.ops["NeedsOtherPlugin"]["status"], "PASSED")
        self.assertEqual(checks["gradient"]["status"], "SKIPPED")
        self.assertEqual(checks["gradient"]["advice"], "add the directory of the plugin that has it: --plugins DIR")
        self.assertIn("warning: check 'gradient' of op 'NeedsOtherPlugin' was skipped: the declared gradient cannot be checked "
                      "without other plugins: no op named 'OpOfAnotherPlugin'\n", self.result.stderr)

    def test_an_op_that_accepts_nothing_is_skipped(self):
        self.assertEqual(self.ops["WantsWord"]["status"], "SKIPPED")
        self.assertIn("warning: op 'WantsWord' was not checked: the op accepted none", self.result.stderr)

    def test_handles_come_from_ops_of_the_plugin(self):
        statuses = {check["check"]: check["status"] for check in self.ops["Raise"]["checks"]}
        for check in ("repeat", "outputs", "late", "threads", "cancel", "engine"):
            self.assertEqual(statuses[check], "PASSED", check)
        node = self.failed("CountsInKernel")["repeat"]["node"]
        self.assertRegex(node, r"^counter resource \[\], amount int32 .*; resource from Counter \(start: \d\)$")
        self.assertIn("op 'TrustsHandle' fails check 'errors': the kernel returned OPSRUN_OK, although input 'counter' is a "
                      "handle of another plugin's object", self.handles.stderr)

    def test_handles_that_no_op_makes_are_skipped(self):
        self.assertEqual(self.ops["WantsVariant"]["status"], "SKIPPED")
        self.assertIn("op 'WantsVariant' was not checked: inputs of type variant cannot be drawn: plugin 'zoo_handles' has no op "
                      "that makes one and takes none", self.handles.stderr)

    def with_cases(self, nodes):
        cases = os.path.join(self.folder.name, "cases.yaml")
        with open(cases, "w", encoding="utf-8") as file:
            file.write("opsrun: 1\nfeeds: {x: {value: [1, 2, 3], dtype: float32}}\nnodes:\n" + nodes)
        return cases

    def test_a_case_is_checked_as_if_it_had_been_drawn(self):
        cases = self.with_cases("  a: {op: WantsWord, in: x, attrs: {word: sesame}}\noutputs: [a]\n")
        result = run("--op", "WantsWord", "--cases", cases)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, rf"WantsWord +1 +\d+ +{2 if SANITIZED else 0} +- +PASSED")

    def test_a_case_fails_with_its_name(self):
        cases = self.with_cases("  a: {op: WritesInput, in: x}\noutputs: [a]\n")
        result = run("--op", "WritesInput", "--cases", cases)
        self.assertIn("inputs and attrs: case 'a': x float32 [3]", result.stderr)
        self.assertIn(f"--op WritesInput --cases {cases}", result.stderr)

    def test_a_case_that_the_op_rejects_is_an_error(self):
        cases = self.with_cases("  a: {op: WantsWord, in: x, attrs: {word: salt}}\noutputs: [a]\n")
        result = run("--op", "WantsWord", "--cases", cases)
        self.assertIn("the op rejects this case: op 'WantsWord' does not accept these attrs: word is 'salt', expected 'sesame'", result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_cases_that_cannot_be_used_are_errors(self):
        for nodes, message in (
                ("  a: {op: Right, in: x}\n  b: {op: WantsWord, in: a, attrs: {word: sesame}}\noutputs: [b]\n",
                 "--cases: 'a', an input of node 'b', is not a feed with a value in the graph of --cases"),
                ("  a: {op: Right, in: y}\noutputs: [a]\n",
                 "--cases: 'y', an input of node 'a', is not a feed with a value in the graph of --cases"),
                ("  a: {op: Abs, in: x}\noutputs: [a]\n", "is one of an op of plugin 'zoo'")):
            result = run("--cases", self.with_cases(nodes))
            self.assertIn("error[U005]: ", result.stderr)
            self.assertIn(message, result.stderr)
            self.assertEqual(result.returncode, 2)

    def test_mistakes_in_the_graph_of_cases_are_errors(self):
        result = run("--cases", self.with_cases("  a: {op: Right, inn: x}\noutputs: [a]\n"))
        self.assertIn("error[G102]", result.stderr)
        self.assertEqual(result.returncode, 3)

    def test_an_order_of_somebody_else_is_an_error(self):
        for order in ("junk", "{}", '{"op": 3}'):
            result = run(f"--order={order}")
            self.assertEqual((result.returncode, result.stderr), (2, "error[U005]: --order is for processes of opsrun itself\n"))

    def test_an_unknown_op_is_an_error(self):
        result = run("--op", "Rihgt")
        self.assertIn("error[G201]: plugin 'zoo' has no op 'Rihgt'", result.stderr)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

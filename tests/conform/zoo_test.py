"""zoo_test.py: each faulty op of the zoo fails the check that must find it, and no other one.

usage: zoo_test.py OPSRUN ZOO

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

OPSRUN, ZOO = sys.argv[1:3]

# By check. The process ends for those in CRASHES.
FAULTS = {
    "errors": "AbortsIfScalar CrashesIfEmpty DividesByRank ExitsIfEmpty",
    "shapes": "GuessesOne NeedsRank NeedsSizes SaysScalar",
    "guards": "ReadsBeforeStart ReadsPastEnd WritesBeforeStart WritesPastEnd WritesPastTemporary",
    "inputs": "NegatesInput WritesInput",
    "read_only": "TouchesInput",
    "repeat": "CountsCalls DrawsWithoutSeed KeepsLastResult",
    "outputs": "AddsToOutput LeavesLastElement ReadsFreshTemporary",
    "unaligned": "WantsAlignment",
    "forward": "AddsFirstForwarded ClearsForwarded ReversesForwarded",
    "in_place": "ReversesInPlace SumsElementwise",
    "loops": "EndsInLastPart MarksFirstOfPart SumsInParts",
    "threads": "SharesMember SharesStatic",
    "state": "BlocksSignals RoundsUpwards",
    "cancel": "CallsItInternal StopsWithoutAnError",
    "leaks": "KeepsTemporaries LeaksBytes",
    "lifetime": "LeaksObject",
    "gradient": "WrongGradient",
}
CRASHES = "AbortsIfScalar CrashesIfEmpty DividesByRank ExitsIfEmpty ReadsBeforeStart ReadsPastEnd TouchesInput".split()


def run(*words):
    return subprocess.run([OPSRUN, "test", ZOO, *words], capture_output=True, text=True, timeout=300)


class Zoo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.junit = os.path.join(cls.folder.name, "report.xml")
        cls.result = run("--json", "--junit", cls.junit)
        cls.ops = {op["op"]: op for op in json.loads(cls.result.stdout)["ops"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def failed(self, op):
        return {check["check"]: check for check in self.ops[op]["checks"] if check["status"] in ("FAILED", "CRASHED")}

    def test_a_right_op_passes_all_checks(self):
        self.assertEqual({check["status"] for check in self.ops["Right"]["checks"]}, {"PASSED"})

    def test_each_fault_fails_its_check_and_no_other(self):
        for check, ops in FAULTS.items():
            for op in ops.split():
                with self.subTest(op=op):
                    self.assertEqual(list(self.failed(op)), [check])
                    self.assertEqual(self.ops[op]["status"], "CRASHED" if op in CRASHES else "FAILED")

    def test_each_op_of_the_zoo_is_in_the_table(self):
        listed = {op for ops in FAULTS.values() for op in ops.split()}
        self.assertEqual(set(self.ops), listed | {"Right"})

    def test_a_failure_fails_the_program_and_is_a_message(self):
        self.assertEqual(self.result.returncode, 1)
        self.assertIn("error[R511]: op 'WritesInput' fails check 'inputs': the kernel wrote to input 'x'", self.result.stderr)

    def test_a_failure_can_be_reproduced(self):
        seed = self.failed("LeavesLastElement")["outputs"]["seed"]
        again = run("--op", "LeavesLastElement", "--reproduce", str(seed))
        self.assertEqual(again.returncode, 1)
        self.assertIn("LeavesLastElement         1", again.stdout)

    def test_the_report_of_a_ci_server_has_all_checks(self):
        suites = {suite.get("name"): suite for suite in xml.etree.ElementTree.parse(self.junit).getroot()}
        self.assertEqual(set(suites), set(self.ops))
        self.assertEqual(len(suites["Right"]), len(self.ops["Right"]["checks"]))
        failure = suites["WritesInput"].find("testcase[@name='inputs']/failure")
        self.assertRegex(failure.text, re.escape("--op WritesInput --reproduce"))
        self.assertIsNotNone(suites["CrashesIfEmpty"].find("testcase[@name='errors']/error"))

    def test_an_unknown_op_is_an_error(self):
        result = run("--op", "Rihgt")
        self.assertIn("error[G201]: plugin 'zoo' has no op 'Rihgt'", result.stderr)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

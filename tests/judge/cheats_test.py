"""cheats_test.py: opsrun test --against refuses each cheat of the zoo with the check that is made for it, and passes ops
that are no cheats.

usage: cheats_test.py OPSRUN CHEATS REFERENCE

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

OPSRUN, CHEATS, REFERENCE = sys.argv[1:4]

# By the checks that may refuse them: which of two comes first can depend on the machine.
REFUSED = {
    "spec": "HasOtherSpec",
    "errors": "CrashesIfLarge ExitsEarly ForgesError PatchesCompare SaysOtherShape",
    "processes": "ForksToWork StartsDaemon StartsSibling TracesItself WaitsForFork",
    "results": "FloatForDouble HonestIfModest HonestIfPositive HonestIfSmall "
    "HonestNearOne HopesForFreed IsAllNan IsAllZero KeepsResource KeepsStatic KeepsTensor KillsJudge LeavesOutput "
    "PatchesWrite ReadsOwnMemory ReplaysAddress ReplaysAddressPrefix ReplaysEverySecond ReplaysLastAddress ReplaysPrefix "
    "ReplaysSamples ReplaysShape SamplesRows SearchesMappings StopsJudge TrustsOutput WantsNan WantsPattern WantsZeros "
    "WorksAtEnd WorksAtExit WorksInNextCall",
    "results sizes": "HonestAtFirst HonestForAWhile HonestForKernel HonestIfShort",
    "sizes": "HonestForOneSize HonestForVectors HonestIfPower HonestIfRound",
    "inputs": "FillsSharedMemory RestoresInput WritesPastOutput ZeroesInput ZeroesLastInput",
    "late": "SaysDoneFirst WorksHalfLater WorksInPool WorksInThread",
    "late threads": "WorksBesidesCall",
    "accuracy": "GuessesExp RoundsInputs ShortensExp",
    "accuracy results": "SumsInBfloat16 SumsInHalf",
}
# They compute what they should, and what they do besides makes them no faster.
USELESS = "ReplaysContent SearchesOrWorks StopsClock".split()
# Refused where a processor is free for their threads.
BUSY = "BringsThreads".split()
HONEST = "Honest IsFaster IsFasterToo IsSlower".split()

SHAPES = {"Gram": "32,32", "Softmax": "64,64", "Soften": "4096", "Square": "4096", "SumRows": "16,1024"}
WORDS = {
    "FloatForDouble": ["--dtype", "float64"],
    "IsFaster": ["--warm"],
    "KillsJudge": ["--sandbox"],
    "StopsJudge": ["--sandbox"],
}
WORDS.update({op: ["--dtype", "float32"] for checks in REFUSED if "accuracy" in checks for op in REFUSED[checks].split()})


def tasks():
    with open(os.path.join(os.path.dirname(__file__), "ops.h"), encoding="utf-8") as text:
        return {op: task for task, op in re.findall(r"OP\((\w+), (\w+)\)", text.read())}


def judge(op, task, *more):
    command = [OPSRUN, "test", CHEATS, "--against", REFERENCE, "--op", op, "--shape", SHAPES[task], "--json"]
    command += ["--threads", "1", "--seconds", "0.2", "--seed", "7", *WORDS.get(op, []), *more]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if result.returncode not in (0, 1):
        return {"op": op, "status": f"exit code {result.returncode}: {result.stderr}", "checks": []}
    return json.loads(result.stdout)["ops"][0] | {"returncode": result.returncode, "stderr": result.stderr}


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tasks = tasks()
        with concurrent.futures.ThreadPoolExecutor(4) as several:
            cls.ops = dict(zip(cls.tasks, several.map(judge, cls.tasks, cls.tasks.values())))

    def assert_passes(self, op):
        found = self.ops[op]
        self.assertEqual((found["status"], found.get("returncode")), ("PASSED", 0), found)
        self.assertTrue(0 < found["ratio_low"] <= found["ratio"] <= found["ratio_high"], found)

    def test_each_cheat_is_refused_by_its_check(self):
        for checks, ops in REFUSED.items():
            for op in ops.split():
                with self.subTest(op=op):
                    failed = [each for each in self.ops[op]["checks"] if each["status"] in ("FAILED", "CRASHED")]
                    self.assertEqual(len(failed), 1, self.ops[op]["status"])
                    self.assertIn(failed[0]["check"], checks.split(), failed)
                    self.assertEqual(self.ops[op]["returncode"], 1)
                    self.assertIn(f"error[R512]: op '{op}' fails check '{failed[0]['check']}'", self.ops[op]["stderr"])

    def test_cheats_that_compute_all_the_same_pass(self):
        for op in USELESS:
            with self.subTest(op=op):
                self.assert_passes(op)

    def test_threads_of_a_kernel_are_refused_where_they_run(self):
        for op in BUSY:
            failed = [each["check"] for each in self.ops[op]["checks"] if each["status"] in ("FAILED", "CRASHED")]
            self.assertIn(failed, ([], ["threads"]))

    # By a large factor, so it holds on a busy machine, too.
    def test_honest_ops_pass_and_the_faster_one_has_the_smaller_ratio(self):
        for op in HONEST:
            with self.subTest(op=op):
                self.assert_passes(op)
        self.assertLess(self.ops["IsFasterToo"]["ratio"], self.ops["IsSlower"]["ratio"])

    def test_a_time_that_this_machine_cannot_have_is_refused(self):
        found = judge("Honest", self.tasks["Honest"], "--flops", "1e15")
        self.assertEqual([each["check"] for each in found["checks"] if each["status"] == "FAILED"], ["limits"], found)

    def test_each_op_of_the_zoo_is_in_a_table(self):
        listed = [op for ops in REFUSED.values() for op in ops.split()] + USELESS + BUSY + HONEST
        self.assertEqual(sorted(self.tasks), sorted(listed))

    # A cheat that is wrong at once would be found by any test.
    def test_most_cheats_are_right_when_called_once(self):
        graph = "opsrun: 1\nfeeds:\n  x: {random: normal, seed: 3, shape: [32, 32], dtype: float32}\nnodes:\n"
        right = [op for op in self.tasks if re.match("Replays|Keeps|Honest(At|ForKernel|ForAWhile)|SearchesOr|StopsClock|Writes|Forks|Waits|Starts", op)]
        for op in right:
            for plugin in ("cheats", "reference"):
                graph += f"  {op}_{plugin}: {{op: {plugin}.{op}, in: x}}\n"
        outputs = [f"{op}_{plugin}" for op in right for plugin in ("cheats", "reference")]
        graph += f"outputs: [{', '.join(outputs)}]\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "once.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(graph)
            result = subprocess.run([OPSRUN, path, "--plugins", os.path.dirname(CHEATS), "--json"], capture_output=True,
                                    text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = {output["name"]: output for output in json.loads(result.stdout)["outputs"]}
        for op in right:
            with self.subTest(op=op):
                self.assertEqual(found[f"{op}_cheats"]["values"], found[f"{op}_reference"]["values"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

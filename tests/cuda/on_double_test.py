"""on_double_test.py: plugins whose GPU kernels a C++ compiler compiled compute the same on the fake driver as on the
CPU.

The program runs each graph on the CPU, and on the fake driver with both of its schedules and both orders of the threads
in a block. Results must be equal byte for byte, and the fake driver must have no reports.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import json
import os
import pathlib
import re
import tempfile
import unittest

import fake_driver
import npy
from built import BUNDLED, DOUBLE
from fake_driver import opsrun

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/write_a_gpu_op.md"
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
X = {"x": {"value": [1, 2, 3], "dtype": "int32"}}


def on_double(*words, **environment):
    return opsrun(*words, libraries=[DOUBLE], OPSRUN_DOUBLE_STRICT="1", **environment)


def chain(names):
    """A node for each letter, on the one before it; the first one on x."""
    return {name: {"op": "Example", "in": before} for before, name in zip("x" + names, names)}


class OnDouble(fake_driver.Test):
    def assert_as_on_cpu(self, path):
        status, expected, errors = opsrun("run", path)
        self.assertEqual((status, "[" in expected), (0, True), errors)
        for schedule, threads in itertools.product(["eager", "lazy"], ["forward", "reverse"]):
            with self.subTest(schedule=schedule, threads=threads):
                status, found, errors = on_double("run", path, "--device", "gpu", "--strict-placement",
                                                  OPSRUN_DOUBLE_SCHEDULE=schedule, OPSRUN_DOUBLE_THREADS=threads)
                self.assertEqual((status, found), (0, expected), errors)

    def test_example_for_every_type(self):
        types = FLOATS + INTS
        self.assert_as_on_cpu(self.graph(
            {t: {"random": "uniform", "seed": 7, "low": 0, "high": 50, "shape": [7], "dtype": t} for t in types},
            {f"y_{t}": {"op": "Example", "in": t} for t in types}, [f"y_{t}" for t in types]))

    def test_sizes_around_those_of_blocks(self):
        sizes = [0, 1, 255, 256, 257, 5000]
        self.assert_as_on_cpu(self.graph(
            {f"x{n}": {"random": "normal", "seed": n, "shape": [n], "dtype": "float32"} for n in sizes},
            {f"y{n}": {"op": "Example", "in": f"x{n}"} for n in sizes}, [f"y{n}" for n in sizes]))

    def test_the_guide_lists_the_ops_without_gpu_kernels(self):
        guide = GUIDE.read_text(encoding="utf-8").split("\n## What runs on the CPU\n")[1].split("\n## ")[0]
        listed = [name for row in re.findall(r"^\| (`.*?) \|", guide, re.M) for name in re.findall(r"`(\w+)`", row)]
        status, found, errors = on_double("ops", "--json", "--plugins", BUNDLED)
        self.assertEqual(status, 0, errors)
        self.assertEqual(sorted(listed), sorted(op["op"] for op in json.loads(found) if op["devices"] == ["cpu"]))

    def test_an_error_that_comes_late_is_that_of_its_node(self):
        graph = self.graph(X, chain("abcd"), ["d"])
        # Lazy: in the wait at the end. Eager: in the next call, which is for a later node.
        for schedule, threads, number in itertools.product(["lazy", "eager"], ["1", "2"], range(4)):
            with self.subTest(schedule=schedule, threads=threads, number=number):
                status, _, errors = on_double("run", graph, "--device", "gpu", "--threads", threads,
                                              OPSRUN_DOUBLE_LATE=str(number + 1), OPSRUN_DOUBLE_SCHEDULE=schedule)
                self.assertEqual(status, 1)
                self.assertIn(f"node '{'abcd'[number]}' failed: INTERNAL: its work on gpu:0 failed: gpu:0: an illegal "
                              "memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)", errors)
                self.assertEqual(errors.count("error["), 1, errors)

    def test_nodes_that_a_card_launches_as_a_whole(self):
        graph = self.graph(X, chain("abcd"), ["b", "d"])
        _, plan, _ = on_double("plan", graph, "--device", "gpu")
        self.assertIn("graphs   steps 0 to 1 on gpu:0, as one CUDA graph from the second run on\n"
                      "         steps 3 to 4 on gpu:0, as one CUDA graph from the second run on\n", plan)
        for schedule, words in itertools.product(["eager", "lazy"], [[], ["--no-cuda-graph"], ["--threads", "1"]]):
            status, found, errors = on_double("run", graph, "--device", "gpu", "--repeat", "4", *words,
                                              OPSRUN_DOUBLE_SCHEDULE=schedule)
            self.assertEqual((status, found), (0, "b  int32 [3]\n[ 4  8 12]\nd  int32 [3]\n[16 32 48]\n"), errors)
            self.assertNotIn("warning", errors)
        for words, node in [([], "node 'c' failed: INTERNAL: its work, or that of a later node up to 'd' ("
                                 "without CUDA graphs, which of them is known), on gpu:0 failed: "),
                            (["--no-cuda-graph"], "node 'd' failed: INTERNAL: its work on gpu:0 failed: ")]:
            status, _, errors = on_double("run", graph, "--device", "gpu", "--repeat", "4", *words,
                                          OPSRUN_DOUBLE_LATE="12", OPSRUN_DOUBLE_SCHEDULE="lazy")
            self.assertEqual(status, 1)
            self.assertIn(node, errors)

    def test_two_cards_copy_directly_where_the_driver_lets_them(self):
        nodes = {name: {"op": "Example", "in": source, "device": f"gpu:{card}"}
                 for name, source, card in (("a", "x", 0), ("b", "a", 1), ("c", "b", 0), ("d", "b", 1), ("e", "c", 1))}
        graph = self.graph(X, nodes, ["d", "e"])
        for peers, copies in ("1", ["a to gpu:1", "b to gpu:0", "c to gpu:1"]), ("0", ["a to cpu", "a to gpu:1", "b to cpu"]):
            environment = {"OPSRUN_DOUBLE_DEVICES": "2", "OPSRUN_DOUBLE_PEERS": peers}
            _, plan, errors = on_double("plan", graph, **environment)
            found = re.findall(r"copy of (\w to [\w:]+)", plan)
            self.assertEqual(found[:3], copies, errors)
            for schedule, pools, threads in itertools.product(["eager", "lazy"], "01", "12"):
                status, found, errors = on_double("run", graph, "--repeat", "4", "--threads", threads, **environment,
                                                  OPSRUN_DOUBLE_SCHEDULE=schedule, OPSRUN_DOUBLE_POOLS=pools)
                self.assertEqual((status, found), (0, "d  int32 [3]\n[ 8 16 24]\ne  int32 [3]\n[16 32 48]\n"), errors)

    def test_few_integers_of_constants_stay_on_the_cpu_if_the_kernel_for_a_card_would_wait(self):
        nodes = {"y": {"op": "InvertPermutation", "in": "p"}, "z": {"op": "InvertPermutation", "in": "p", "device": "gpu"},
                 "u": {"op": "InvertPermutation", "in": "fed"}, "s": {"op": "Neg", "in": "p"}}
        feeds = {"p": {"value": [1, 0], "dtype": "int32"}, "fed": {"dtype": "int32", "shape": [2]}}
        _, plan, errors = on_double("plan", self.graph(feeds, nodes, list(nodes)), "--device", "gpu")
        for step in ["y = InvertPermutation on cpu", "z = InvertPermutation on gpu:0", "u = InvertPermutation on gpu:0",
                     "s = Neg on gpu:0"]:
            self.assertIn(step, plan, errors)

    def test_a_trace_says_where_each_step_ran(self):
        graph = self.graph(X, chain("a") | {"b": {"op": "Example", "in": "a", "device": "cpu"}}, ["b"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            status, _, errors = on_double("run", graph, "--device", "gpu", "--trace", path)
            self.assertEqual(status, 0, errors)
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        self.assertEqual({event["name"]: event["args"]["device"] for event in events if event.get("cat") == "node"},
                         {"a": "gpu:0", "a to cpu": "gpu:0", "b": "cpu"})

    def test_the_first_nan_is_that_of_its_node(self):
        graph = self.graph({"x": {"value": [1, ".nan"], "dtype": "float32"}}, chain("ab"), ["b"])
        status, _, errors = on_double("run", graph, "--device", "gpu", "--nan-check", OPSRUN_DOUBLE_SCHEDULE="lazy")
        self.assertEqual(status, 1)
        self.assertIn("node 'a' failed: OUT_OF_RANGE: output 'input_times_two' has 1 NaN, the first at [1]", errors)

    def test_a_card_that_is_not_there_is_an_error_that_says_what_to_do_about_it(self):
        for device, words, remedy in [(None, ["--device", "gpu:1"], "--device cpu"), ("gpu:1", [], "write device: cpu")]:
            node = {"op": "Example", "in": "x"} | ({"device": device} if device else {})
            graph = self.graph(X, {"a": node}, ["a"])
            status, _, errors = on_double("run", graph, *words, CUDA_VISIBLE_DEVICES="0")
            self.assertEqual(status, 5)
            self.assertIn("device 'gpu:1' cannot be used: this machine has 1 GPU (CUDA_VISIBLE_DEVICES is '0')", errors)
            self.assertIn(f"use gpu:0, or run on the CPU: {remedy}\n", errors)

    def test_a_card_without_memory_is_an_error(self):
        graph = self.graph(X, chain("a"), ["a"])
        status, _, errors = on_double("run", graph, "--device", "gpu", OPSRUN_DOUBLE_MEMORY="100")
        self.assertEqual(status, 5)
        self.assertIn("D101", errors)

    def test_a_failing_call_of_the_driver_is_an_error_and_nothing_else(self):
        graph = self.graph({"x": {"dtype": "int32", "shape": [3]}}, chain("ab"), ["b"])
        # The minimum number of calls of each function; its failure ends the run.
        calls = {"cuStreamCreate": 3, "cuEventCreate": 1, "cuMemPoolCreate": 1, "cuMemAllocFromPoolAsync": 1,
                 "cuMemAllocHost": 1, "cuMemcpyHtoDAsync": 1, "cuMemcpyDtoHAsync": 1, "cuEventRecord": 2,
                 "cuStreamWaitEvent": 2, "cuStreamSynchronize": 1, "cuDevicePrimaryCtxRetain": 1, "cuInit": 1,
                 "cuCtxPushCurrent": 11}
        for call, number in ((call, number + 1) for call, most in calls.items() for number in range(most)):
            with self.subTest(call=call, number=number), tempfile.TemporaryDirectory() as folder:
                npy.write(f"{folder}/x.npy", "int32 [3] 0 0 0")
                status, _, errors = opsrun("run", graph, "--device", "gpu", "--feed", f"x={folder}/x.npy",
                                           libraries=[DOUBLE], OPSRUN_DOUBLE_FAIL=f"{call}:{number}:46")
                self.assertIn(status, (1, 5), errors)
                self.assertIn("error[", errors)
                self.assertNotIn("opsrun double", errors)

    def test_nodes_that_cannot_be_captured_run_one_by_one(self):
        graph = self.graph(X, chain("ab"), ["b"])
        for call in ["cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"]:
            with self.subTest(call=call):
                status, found, errors = on_double("run", graph, "--device", "gpu", "--repeat", "4",
                                                  OPSRUN_DOUBLE_FAIL=f"{call}:1:46")
                self.assertEqual((status, found), (0, "b  int32 [3]\n[ 4  8 12]\n"), errors)
                self.assertIn("warning: nodes 'a' to 'b' are not launched as one CUDA graph: gpu:0: ", errors)

    def test_a_plugin_for_cards_is_not_for_the_double(self):
        graph = self.graph(X, chain("a"), ["a"])
        status, found, errors = on_double("plan", graph, "--device", "gpu", plugins=BUNDLED)
        self.assertEqual((status, "a = Example on cpu" in found), (0, True), errors)

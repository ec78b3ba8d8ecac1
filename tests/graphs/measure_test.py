"""measure_test.py: traces and bench documents as other programs read them.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

from built import TEST_PLUGINS
from in_folder import FolderTest

GRAPH = """opsrun: 1
feeds: {x: {fill: 1, shape: [100000], dtype: int32}}
nodes:
  a: {op: TestAdd, in: [x, x]}
  b: {op: TestNonzero, in: x}
  c: {op: TestAdd, in: [a, b]}
outputs: {c: {from: c, npy: c.npy}}
"""


class Measure(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)

    def opsrun(self, *words):
        return super().opsrun(*words, "--plugins", TEST_PLUGINS)

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def test_a_trace_has_each_node_of_each_run_inside_its_run(self):
        done = self.opsrun("run", "g.yaml", "--trace", "t.json", "--repeat", "20", "--concurrency", "2", "--threads", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [event for event in self.read("t.json")["traceEvents"] if event["ph"] == "X"]
        runs = {event["name"]: event for event in events if event["cat"] == "run"}
        nodes = [event for event in events if event["cat"] == "node"]
        self.assertEqual(len(runs), 20)
        self.assertEqual(len(nodes), 60)
        for node in nodes:
            run = runs[f"run {node['args']['run']}"]
            self.assertLessEqual(run["ts"], node["ts"])
            self.assertLessEqual(node["ts"] + node["dur"], run["ts"] + run["dur"] + 0.002)

    def test_a_trace_is_written_of_a_run_that_failed(self):
        self.write("f.yaml", GRAPH.replace("TestNonzero, in: x", "TestFail, in: x, attrs: {message: no}"))
        self.assertEqual(self.opsrun("run", "f.yaml", "--trace", "t.json").returncode, 1)
        events = self.read("t.json")["traceEvents"]
        self.assertTrue([event for event in events if event["name"] == "run 0"][0]["args"]["failed"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["f.yaml", "g.yaml", "t.json"])

    def test_a_trace_has_the_parts_that_kernels_tell_inside_their_node(self):
        self.write("m.yaml", "opsrun: 1\nfeeds: {x: {fill: 1.5, shape: [1, 99, 512, 3], dtype: float32}}\n"
                   "nodes: {m: {op: MedianPool, in: x, attrs: {ksize: [5, 5], strides: [1, 1]}}}\noutputs: [m]\n")
        done = self.opsrun("run", "m.yaml", "--trace", "t.json", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [event for event in self.read("t.json")["traceEvents"] if event["ph"] == "X"]
        [node] = [event for event in events if event["cat"] == "node"]
        parts = [event for event in events if event["cat"] == "part"]
        self.assertTrue(parts)
        for part in parts:
            self.assertEqual((part["name"], part["args"]), ("rows", {"node": "m", "run": 0}))
            self.assertLessEqual(node["ts"], part["ts"])
            self.assertLessEqual(part["ts"] + part["dur"], node["ts"] + node["dur"] + 0.002)

    ISOLATED = ("run", "g.yaml", "--isolate", "all", "--threads", "1")

    def test_a_trace_has_isolated_nodes_inside_their_round_trip(self):
        done = self.opsrun(*self.ISOLATED, "--trace", "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = {event["name"]: event for event in self.read("t.json")["traceEvents"] if event["ph"] == "X"}
        self.assertEqual(set(events), {"run 0", "round trip of a", "a", "b", "c"})
        trip = events["round trip of a"]
        begin = trip["ts"]
        for name in ("a", "b", "c"):
            self.assertEqual((events[name]["tid"], events[name]["cat"]), (trip["tid"], "node"))
            self.assertLessEqual(begin, events[name]["ts"])
            begin = events[name]["ts"] + events[name]["dur"] - 0.002
        self.assertLessEqual(begin, trip["ts"] + trip["dur"])

    def test_a_profile_has_the_own_times_of_isolated_nodes(self):
        done = self.opsrun(*self.ISOLATED, "--profile", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in (r"a +test_ops\.TestAdd +1 ", r"b +test_ops\.TestNonzero +1 ",
                    r"round trip of a +test_ops\.\(round trip\) +1 ", "host "):
            self.assertRegex(done.stdout + done.stderr, row)
        document = json.loads(self.opsrun("bench", "g.yaml", "--isolate", "all", "--seconds", "50ms", "--json").stdout)
        self.assertEqual(sorted(node["name"] for node in document["nodes"]), ["a", "b", "c", "round trip of a"])
        self.assertAlmostEqual(document["run"]["median_ns"] / 3, document["run"]["ns_per_node"])
        drawn = json.loads(self.opsrun("graph", "g.yaml", "--isolate", "all", "--profile", "--seconds", "50ms",
                                       "--json").stdout)
        self.assertGreater(drawn["times"]["round_trips_ns"], 0)
        self.assertTrue(all(node["time"]["ns"] > 0 and "with" not in node["time"] for node in drawn["nodes"]))
        page = self.opsrun("report", "g.yaml", "--isolate", "all", "--seconds", "50ms").stdout
        self.assertIn("round trip of a", page)

    def test_what_bench_prints_can_be_compared_with(self):
        old = self.opsrun("bench", "g.yaml", "--seconds", "50ms", "--json")
        self.assertEqual(old.returncode, 0, old.stderr)
        document = json.loads(old.stdout)
        self.assertEqual(sorted(node["name"] for node in document["nodes"]), ["a", "b", "c"])
        self.assertAlmostEqual(sum(node["share"] for node in document["nodes"]), 1)
        self.write("old.json", old.stdout)
        new = self.opsrun("bench", "g.yaml", "--seconds", "50ms", "--compare", "old.json")
        self.assertEqual(new.returncode, 0, new.stderr)
        self.assertRegex(new.stdout, r"\na run +old +new +ratio\nmin ")
        self.assertRegex(new.stdout, r"\n\d of 3 nodes changed by more than the noise\n")

    def test_bench_writes_no_outputs(self):
        self.opsrun("bench", "g.yaml", "--seconds", "10ms")
        self.assertEqual(os.listdir(self.folder), ["g.yaml"])

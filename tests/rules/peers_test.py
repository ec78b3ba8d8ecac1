"""peers_test.py: the table and the picture of bench/run_peers.py, and what it does with peers that fail.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

from small_tree import SmallTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/peers")]
import check_peers  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402
import run_peers  # noqa: E402
from cases import CASES, PEERS  # noqa: E402


def case_of(part, title, threads=1):
    return next(case for case in CASES if (case.part, case.title, case.threads) == (part, title, threads))


def data_of(*rows):
    """rows: (case, {peer: median, or why there is none})."""
    def found(value):
        return {"error": value} if isinstance(value, str) else {"median": value, "least": value * 0.9}

    return {"machine": "2 x Processor", "settings": ["Threads: all."],
            "peers": {"opsrun": "0.1.0", "onnx": "1.2", "tensorflow": {"missing": "not installed"}, "torch": "2.0", "numpy": "2.4"},
            "rows": {name: {"turns": 3, "peers": {peer: found(value) for peer, value in peers.items()}}
                     for case, peers in rows for name, _ in case.rows()}}


CHAIN, TANH, REQUESTS = case_of("a", "Sub of 4 numbers"), case_of("i", "Tanh of 1,000,000", 2), case_of("f", "")


class Report(unittest.TestCase):
    def line(self, data, start):
        lines = [line for line in report.text(data).splitlines() if line.startswith(start)]
        self.assertEqual(len(lines), 1, report.text(data))
        return lines[0].split()

    def test_a_row_has_the_median_and_the_least_of_each_peer_in_one_unit(self):
        data = data_of((CHAIN, {"opsrun": 4e-8, "onnx": 4.2e-7, "torch": 7e-7}))
        self.assertEqual(self.line(data, "Sub of 4")[4:], [
            "ns", "40", "[36]", "420", "[378]", "(1)", "700", "[630]", "(2)", "ONNX", "Runtime", "10.50"])
        self.assertIn("(1) not installed\n(2) not measured\n", report.text(data))

    def test_the_best_one_may_be_faster_than_opsrun(self):
        data = data_of((TANH, {"opsrun": 1.2e-3, "onnx": 1.5e-3, "torch": 2e-3, "numpy": 9e-4}))
        self.assertEqual(self.line(data, "Tanh")[3:6] + self.line(data, "Tanh")[-2:], ["2", "us", "1200", "NumPy", "0.75"])

    def test_the_file_has_a_line_for_each_row(self):
        data = data_of((CHAIN, {"opsrun": 4e-8, "onnx": "no headers"}), (TANH, {"opsrun": 1e-3}))
        self.assertEqual(json.loads(report.stored(data)), data)
        self.assertEqual(report.stored(data).count("no headers"), 1)

    def test_the_same_reason_is_one_footnote(self):
        data = data_of((CHAIN, {"opsrun": 4e-8, "onnx": "no headers", "torch": 7e-7}), (TANH, {"opsrun": 1e-3, "onnx": "no headers"}))
        self.assertEqual(report.text(data).count("no headers"), 1)
        self.assertEqual(self.line(data, "Tanh")[-1], "-")

    def test_requests_have_two_rows(self):
        data = data_of((REQUESTS, {"opsrun": 1e-3, "onnx": 2e-3}))
        self.assertEqual([self.line(data, start)[-1] for start in ("time a request", "p99 of waiting")], ["2.00", "2.00"])

    def test_numbers_have_at_most_two_digits_behind_the_point(self):
        self.assertEqual([report.number(value) for value in (0.5, 9.94, 12.3, 1234.5)], ["0.5", "9.9", "12", "1234"])

    def test_the_picture_is_xml_with_each_mark_inside(self):
        data = data_of((CHAIN, {"opsrun": 1e-8, "onnx": 4e-7, "torch": "it <fails>"}), (TANH, {"opsrun": 1e-3, "numpy": 9e-4}))
        svg = xml.fromstring(report.picture(data))
        width, height = float(svg.get("width")), float(svg.get("height"))
        name = "{http://www.w3.org/2000/svg}"
        circles = [(float(each.get("cx")), float(each.get("cy"))) for each in svg.iter(f"{name}circle")]
        self.assertEqual(len(circles), 2)  # the legend and the one row of ONNX Runtime
        for x, y in circles:
            self.assertTrue(report.LEFT < x < width or y < report.TOP, x)
            self.assertTrue(0 < y < height, y)
        self.assertIn("Tanh of 1,000,000, 2 threads", [each.text for each in svg.iter(f"{name}text")])

    def test_a_peer_that_is_as_fast_is_on_the_line(self):
        svg = xml.fromstring(report.picture(data_of((CHAIN, {"opsrun": 1e-8, "onnx": 1e-8}))))
        one = next(each for each in svg.iter() if each.get("class") == "one").get("d")
        dot = [each.get("cx") for each in svg.iter() if each.get("cx")][-1]
        self.assertTrue(one.startswith(f"M{dot} "), (one, dot))


class Rule(SmallTree):
    def test_finds_a_table_that_is_not_of_the_data(self):
        self.write("bench/results/peers.json", json.dumps(data_of((CHAIN, {"opsrun": 4e-8, "onnx": 4.2e-7}))))
        self.write("docs/peers.svg", "")
        self.assertEqual(check_peers.check(self.root, write=True), [])
        self.assertEqual(check_peers.check(self.root), [])
        self.write("bench/results/peers.txt", self.read("bench/results/peers.txt").replace("420", "42"))
        self.assert_finds(check_peers.check, "bench/results/peers.txt", "--write")


class FakeWorkers:
    """answers: by peer, what it answers to requests, by their name."""

    def __init__(self, answers):
        self.answers = answers
        self.pythons = dict.fromkeys(answers, "python")

    def get(self, peer, _threads):
        worker = unittest.mock.Mock(peer=peer)
        worker.ask = lambda do, **_: self.answer(peer, do)
        return worker

    def settle(self):
        pass

    def answer(self, peer, do):
        found = self.answers[peer][do]
        if isinstance(found, str):
            raise run_peers.PeerError(found)
        return dict(found)


def prepared(*values):
    return {"way": "", "ns": 1e6, "results": {"run": {"shape": [len(values)], "values": list(values)}}}


class Measuring(SmallTree):
    def rows(self, **answers):
        case = case_of("c", "Sub of 4 numbers")
        rows = run_peers.Measurement(case, FakeWorkers(answers), True, self.root).measure()
        return rows[case.name]["peers"]

    def test_times_are_divided_by_the_nodes(self):
        rows = self.rows(opsrun={"prepare": prepared(1.0), "turn": {"time": 3.231e-3}})
        self.assertAlmostEqual(rows["opsrun"]["median"], 1e-6)

    def test_a_peer_whose_result_differs_is_not_measured(self):
        rows = self.rows(opsrun={"prepare": prepared(1.0, 2.0), "turn": {"time": 1}},
                         onnx={"prepare": prepared(1.0, 2.001), "turn": {"time": 2}}, torch={"prepare": prepared(1.0, 2.1)},
                         numpy={"prepare": prepared(1.0)})
        self.assertIn("median", rows["onnx"])
        self.assertEqual(rows["torch"], {"error": "the result of run differs from the first peer's"})
        self.assertIn("differs", rows["numpy"]["error"])

    def test_not_a_number_agrees_with_nothing(self):
        self.assertIn("differs", self.rows(opsrun={"prepare": prepared(float("nan"))})["opsrun"]["error"])

    def test_a_peer_that_fails_is_left_out(self):
        rows = self.rows(opsrun={"prepare": prepared(1.0), "turn": {"time": 1}}, onnx={"prepare": "no headers"},
                         torch={"prepare": prepared(1.0), "turn": "the process ended"})
        self.assertEqual((rows["onnx"], rows["torch"]), ({"error": "no headers"}, {"error": "the process ended"}))
        self.assertIn("median", rows["opsrun"])

    def test_rows_of_another_machine_or_version_are_left_behind(self):
        data = data_of((CHAIN, {"opsrun": 4e-8}))
        self.write("peers.json", json.dumps({**data, "rows": {**data["rows"], "a case that is no longer measured": {}}}))
        path = pathlib.Path(self.root, "peers.json")
        self.assertEqual(run_peers.earlier(path, data), data["rows"])
        self.assertEqual(run_peers.earlier(path, {**data, "peers": dict.fromkeys(PEERS, "3")}), {})


class Processes(unittest.TestCase):
    def test_a_turn_waits_until_no_process_works(self):
        workers, answers = processes.Workers({}), iter([True, True, False])
        workers.is_any_running = lambda: next(answers)
        workers.settle()
        self.assertEqual(list(answers), [])

    def test_a_process_works_if_one_of_its_threads_does(self):
        def workers_of(pid):
            workers = processes.Workers({})
            workers.kept["a", 1] = unittest.mock.Mock(process=unittest.mock.Mock(pid=pid, poll=lambda: None))
            return workers

        self.assertTrue(workers_of(os.getpid()).is_any_running())
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as sleeping:
            workers = workers_of(sleeping.pid)
            while workers.is_any_running():
                pass

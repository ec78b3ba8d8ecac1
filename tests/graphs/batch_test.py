"""batch_test.py: opsrun batch: what it runs, what it writes, and what it does after failures, kills and changes.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

import built
import npy
from in_folder import FolderTest

PLUGINS = os.path.join(built.BUILD, "tests/plugins/graph_ops")
SCALE = """
opsrun: 1
feeds:
  x: {dtype: float32, shape: [-1]}
  k: {dtype: float32, shape: []}
nodes:
  y: {op: Mul, in: [x, k]}
outputs: [y]
"""
CRASHED = [-signal.SIGSEGV, 1, 66] if built.SANITIZED else [-signal.SIGSEGV]  # sanitizers' own exit codes
FATE = """
opsrun: 1
feeds: {x: {dtype: int32, shape: [-1]}}
nodes: {y: {op: TestFate, in: x}}
outputs: [y]
"""


class Batch(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("scale.yaml", SCALE)
        self.write("fate.yaml", FATE)

    def array(self, name, *values):
        (self.folder / name).parent.mkdir(exist_ok=True)
        npy.write(str(self.folder / name), f"float32 [{len(values)}] {' '.join(map(str, values))}")

    def manifest(self, *fates):
        self.write("items.csv", "id,x\n" + "".join(f"i{i},[{fate}]\n" for i, fate in enumerate(fates)))

    def batch(self, *words, graph="scale.yaml", code=0, **how):
        done = self.opsrun("batch", graph, "--out", "out", "--plugins", PLUGINS, *words, **how)
        self.assertIn(done.returncode, CRASHED if code == CRASHED else [code], done.stderr)
        return done

    def fates(self, *words, **how):
        return self.batch("--inputs", "items.csv", *words, graph="fate.yaml", **how)

    def records(self, name="journal.jsonl"):
        """The last record of each item, and how many have ended."""
        last, count = {}, collections.Counter()
        for line in (self.folder / "out" / name).read_text().splitlines():
            record = json.loads(line)
            if "id" in record and record["status"] != "unchanged":
                last[record["id"]] = record
                count[record["id"]] += 1
        return last, count

    def to_run(self, *words, **how):
        lines = self.batch("--dry-run", *words, **how).stdout.splitlines()
        return {item["id"]: item["why"] for item in map(json.loads, lines)}

    def results(self):
        shown = {path.stem: npy.show(str(path)) for path in (self.folder / "out").glob("*.npz")}
        return {id_: [float(word) for word in text.split("]")[1].split()] for id_, text in shown.items()}


class Items(Batch):
    def test_all_kinds_of_manifests_give_the_results_of_single_runs(self):
        for name, values in (("a", (1, 2)), ("b", (3,)), ("c", ())):
            self.array(f"x/{name}.npy", *values)
        npy.write(str(self.folder / "half.npy"), "float32 [] 0.5")
        self.write("csv.csv", 'id,x,k,note\r\na,x/a.npy,0.5,"one, two"\r\nb,[3],5e-1,\r\n"c",[],0.5,""\r\n')
        self.write("lines.jsonl", '{"id": "a", "x": "x/a.npy", "k": 0.5}\n\n{"id": "b", "x": {"value": [3]}, "k": {"file": "half.npy"}}\n'
                                  '{"id": "c", "x": [], "k": 0.5}\n')
        expected = {}
        for name in "abc":
            self.opsrun("scale.yaml", "--feed", f"x=x/{name}.npy", "--feed", "k=half.npy", "--output", f"y={name}_.npy")
            expected[name] = (self.folder / f"{name}_.npy").read_bytes()
        for words in (["--inputs", "csv.csv"], ["--inputs", "lines.jsonl"], ["--feed", "x=x/*.npy", "--feed", "k=half.npy"],
                      ["--inputs", "csv.csv", "--group", "2", "--concurrency", "3"]):
            self.batch("--npy", *words)
            found = {path.stem: path.read_bytes() for path in (self.folder / "out").glob("*.npy")}
            self.assertEqual(found, expected, words)
            (self.folder / "out").rename(self.folder / f"out_{len(list(self.folder.iterdir()))}")

    def test_items_of_a_group_are_told_apart_by_their_rows(self):
        self.write("items.jsonl", "".join(json.dumps({"x": list(range(n))}) + "\n" for n in (3, 0, 2, 1)))
        npy.write(str(self.folder / "k.npy"), "float32 [] 2")
        self.batch("--inputs", "items.jsonl", "--feed", "k=k.npy", "--group", "3")
        self.assertEqual(self.results(), {"1": [0, 2, 4], "2": [], "3": [0, 2], "4": [0]})

    def test_an_item_of_a_group_that_fails_does_not_take_the_others_along(self):
        self.manifest(1, 15, 2)
        self.fates("--group", "3", "--keep-going", code=1)
        self.assertEqual(self.results(), {"i0": [1], "i2": [2]})

    def test_mistakes_are_found_before_anything_runs(self):
        self.write("items.jsonl", '{"id": "a", "x": [1], "k": 1}\n{"id": "a", "x": [1], "k": 1}\nnothing\n{"id": "b", "x": "none.npy"}\n'
                                  '{"id": "../b", "x": [[1]], "k": {"file": 1}}\n{"id": "c", "x": [[1]], "k": "k.npy"}\n')
        done = self.batch("--inputs", "items.jsonl", "--error-format", "short", code=3)
        places = [line.split(": ")[0] for line in done.stderr.splitlines()]
        self.assertEqual(places, [f"items.jsonl:{n}:1" for n in (2, 3, 4, 5, 5, 6, 6)])
        self.assertEqual(self.results(), {})

    def test_what_cannot_be_read_fails_alone_with_keep_going(self):
        self.write("items.csv", "id,x,k\na,none.npy,1\nb,[1],1\nc,[1],wrong.npy\n")
        self.write("wrong.npy", "no array")
        self.batch("--inputs", "items.csv", "--keep-going", code=1)
        last, _ = self.records()
        self.assertEqual({id_: record["status"] for id_, record in last.items()}, {"a": "failed", "b": "ok", "c": "failed"})
        self.assertEqual(last["a"]["errors"][0]["code"], "F302")

    def test_kernels_with_state_begin_anew_for_each_item(self):
        self.write("random.yaml", "opsrun: 1\nfeeds: {n: {dtype: int32, shape: [1]}}\nnodes: {y: {op: RandomUniform, in: n, "
                                  "attrs: {dtype: float32, seed: 7}}}\noutputs: [y]\n")
        self.write("items.jsonl", '{"n": [2]}\n{"n": [2]}\n')
        self.batch("--inputs", "items.jsonl", graph="random.yaml")
        results = self.results()
        self.assertEqual(results["1"], results["2"])


class Journal(Batch):
    def setUp(self):
        super().setUp()
        self.array("a.npy", 1)
        self.array("b.npy", 2)
        self.write("items.csv", "id,x,k\na,a.npy,1\nb,b.npy,1\nc,[3],1\n")

    def runs(self, *words, **how):
        return self.batch("--inputs", "items.csv", *words, **how)

    def test_the_same_command_runs_nothing_again(self):
        self.assertEqual(self.to_run("--inputs", "items.csv"), dict.fromkeys("abc", "new"))
        self.assertFalse((self.folder / "out").exists())
        self.runs()
        done = self.runs("--json")
        self.assertEqual({key: json.loads(done.stdout)[key] for key in ("items", "ok", "failed", "ran", "complete")},
                         {"items": 3, "ok": 3, "failed": 0, "ran": 0, "complete": True})
        self.assertEqual(set(self.records()[1].values()), {1})

    def test_what_changed_runs_again_and_says_why(self):
        self.runs()
        self.array("a.npy", 7)
        (self.folder / "out/b.npz").unlink()
        self.write("items.csv", "id,x,k\na,a.npy,1\nb,b.npy,1\nc,[3],2\nd,[4],1\n")
        self.assertEqual(self.to_run("--inputs", "items.csv"),
                         {"a": "inputs changed", "b": "result missing", "c": "inputs changed", "d": "new"})
        self.runs()
        self.assertEqual(self.results(), {"a": [7], "b": [2], "c": [6], "d": [4]})
        self.write("scale.yaml", SCALE.replace("[x, k]", "[k, x]"))
        self.assertEqual(self.to_run("--inputs", "items.csv"), dict.fromkeys("abcd", "graph changed"))

    def test_a_changed_plugin_runs_again(self):
        self.runs("--plugins", os.path.join(built.BUILD, "lib/opsrun"))
        self.call("sh", "-c", f"mkdir own && cp {built.BUILD}/lib/opsrun/math_ops.so own && echo >> own/math_ops.so")
        self.assertEqual(self.to_run("--inputs", "items.csv", "--plugins", "own"), dict.fromkeys("abc", "plugins changed"))

    def test_a_file_that_was_only_touched_does_not_run_again(self):
        self.runs()
        before = os.stat(self.folder / "out/a.npz").st_mtime_ns
        os.utime(self.folder / "a.npy", (1, 1))
        self.assertEqual(self.to_run("--inputs", "items.csv"), {"a": "inputs changed"})
        self.assertEqual(json.loads(self.runs("--json").stdout)["ran"], 0)
        self.assertEqual(os.stat(self.folder / "out/a.npz").st_mtime_ns, before)
        self.assertEqual(self.to_run("--inputs", "items.csv"), {})

    def test_a_line_that_was_cut_off_is_none(self):
        self.runs()
        path = self.folder / "out/journal.jsonl"
        path.write_text(path.read_text()[:-20])
        self.assertEqual(self.to_run("--inputs", "items.csv"), {"c": "interrupted"})
        self.runs()
        self.assertEqual(self.to_run("--inputs", "items.csv"), {})

    def test_shards_share_a_folder_and_their_journals_can_be_joined(self):
        for i in (1, 2, 3, 4):
            self.runs("--shard", f"{i}/4")
        self.assertEqual(self.results(), {"a": [1], "b": [2], "c": [3]})
        self.assertEqual(self.to_run("--inputs", "items.csv"), {})
        self.assertEqual(self.opsrun("batch", "--merge", "--out", "out").returncode, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").glob("*.jsonl")), ["journal.jsonl"])
        self.assertEqual(self.to_run("--inputs", "items.csv"), {})
        self.assertEqual(set(self.records()[1]), {"a", "b", "c"})

    def test_a_folder_that_another_batch_uses_is_refused(self):
        (self.folder / "out").mkdir()
        with open(self.folder / "out/journal.lock", "a", encoding="utf-8") as file:
            holder = subprocess.Popen(["flock", "-n", str(file.name), "sleep", "60"])
            try:
                time.sleep(0.3)
                self.assertIn("R509", self.runs(code=1).stderr)
                self.assertIn("R509", self.runs("--shard", "1/2", code=1).stderr)
            finally:
                holder.kill()
                holder.wait()


class Failures(Batch):
    def test_the_first_failure_stops_or_does_not(self):
        self.manifest(1, 15, 2, 15, 3)
        self.assertIn("R401", self.fates(code=1).stderr)
        self.assertEqual(set(self.records()[0]), {"i0", "i1"})
        self.fates("--keep-going", code=1)
        self.assertEqual(self.results(), {"i0": [1], "i2": [2], "i4": [3]})
        self.assertEqual(self.to_run("--inputs", "items.csv", graph="fate.yaml"), {})
        self.assertEqual(self.to_run("--inputs", "items.csv", "--retry-failed", graph="fate.yaml"),
                         dict.fromkeys(["i1", "i3"], "failed before"))
        self.manifest(1, 5, 2, 6, 3)
        self.fates()

    def test_so_many_failures_stop(self):
        self.manifest(*[15] * 9)
        self.fates("--keep-going", "--max-failures", "3", code=1)
        self.assertEqual(len(self.records()[0]), 3)

    def test_an_item_that_takes_too_long_fails_alone(self):
        self.manifest(1, 16, 2)
        self.fates("--keep-going", "--item-timeout", "100ms", code=1)
        self.assertEqual([record["status"] for record in self.records()[0].values()], ["ok", "timeout", "ok"])

    def test_an_item_that_cannot_be_stopped_ends_the_program_and_the_next_goes_on(self):
        self.manifest(1, 14, 2)
        self.fates("--keep-going", "--item-timeout", "100ms", code=6)
        self.assertEqual(self.records()[0]["i1"]["status"], "timeout")
        self.fates("--keep-going", code=1)
        self.assertEqual(self.results(), {"i0": [1], "i2": [2]})

    def test_an_item_that_crashes_twice_is_recorded_and_the_others_run(self):
        self.manifest(*range(10), 13, *range(20, 30))
        for _ in range(2):
            self.fates("--keep-going", "--concurrency", "4", code=CRASHED)
        self.fates("--keep-going", "--concurrency", "4", code=1)
        last, count = self.records()
        self.assertEqual({id_ for id_, record in last.items() if record["status"] != "ok"}, {"i10"})
        self.assertEqual((last["i10"]["status"], len(last), max(count.values())), ("crashed", 21, 1))
        self.fates("--retry-failed", code=CRASHED)

    def test_ctrl_c_ends_after_the_items_that_run(self):
        self.manifest(*[16] * 3)
        running = subprocess.Popen([built.OPSRUN, "batch", "fate.yaml", "--inputs", "items.csv", "--out", "out", "--plugins", PLUGINS,
                                    "--item-timeout", "1s", "--keep-going"], cwd=self.folder, stderr=subprocess.PIPE)
        journal = self.folder / "out/journal.jsonl"
        while not journal.exists() or "running" not in journal.read_text():
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[1].decode()
        self.assertEqual((running.returncode, set(self.records()[0])), (130, {"i0"}), said)

    def test_a_full_disk_loses_nothing(self):
        def full():  # as if the disk were: no file grows beyond this
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        self.manifest(*range(20, 40))
        words = [built.OPSRUN, "batch", "fate.yaml", "--inputs", "items.csv", "--out", "out", "--plugins", PLUGINS]
        done = subprocess.run(words, cwd=self.folder, stderr=subprocess.PIPE, text=True, preexec_fn=full, check=False)
        self.assertEqual((done.returncode, "R509" in done.stderr), (1, True), done.stderr)
        self.assertTrue((self.folder / "out/journal.jsonl").read_text().endswith("}\n"))
        self.fates()
        self.assertEqual(self.results(), {f"i{i}": [20 + i] for i in range(20)})
        self.assertEqual(max(self.records()[1].values()), 1)

    def test_kills_at_random_lose_and_double_nothing(self):
        count = int(os.environ.get("OPSRUN_KILLS", "12"))
        self.manifest(*range(100, 100 + 40 * count))
        random.seed(1)
        for _ in range(count):
            running = subprocess.Popen([built.OPSRUN, "batch", "fate.yaml", "--inputs", "items.csv", "--out", "out", "--plugins", PLUGINS,
                                        "--concurrency", "2", "--retry-failed"], cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.01, 0.06))
            running.kill()
            running.wait()
        self.fates("--retry-failed")
        last, times = self.records()
        self.assertEqual(self.results(), {f"i{i}": [100 + i] for i in range(40 * count)})
        self.assertEqual((len(last), {record["status"] for record in last.values()}), (40 * count, {"ok"}))
        self.assertEqual(max(times.values()), 1)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir() if path.name.startswith(".")], [])


if __name__ == "__main__":
    unittest.main()

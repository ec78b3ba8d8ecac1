"""batch_test.py: opsrun batch: what it runs, what it writes, and what runs again.

SPDX-License-Identifier: Apache-2.0
"""

import fcntl
import json
import os
import subprocess
import time
import unittest

import built
import npy
from batches import PLUGINS, SCALE, Batch


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

    def test_what_is_not_made_row_by_row_runs_alone(self):
        self.write("turned.yaml", "opsrun: 1\nfeeds: {x: {dtype: float32, shape: [-1, -1]}, p: {value: [1, 0], dtype: int32}}\n"
                                  "nodes: {y: {op: Transpose, in: [x, p]}}\noutputs: [y]\n")
        self.write("items.jsonl", '{"x": [[1, 2, 3, 4], [5, 6, 7, 8]]}\n' * 2)
        self.batch("--inputs", "items.jsonl", "--group", "2", graph="turned.yaml")
        self.assertEqual(self.results(), dict.fromkeys("12", [1, 5, 2, 6, 3, 7, 4, 8]))

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

    def test_a_manifest_without_titles_or_feeds_is_refused(self):
        for text in ("", "id,y\na,1\na,2\n"):
            self.write("items.csv", text)
            self.assertEqual(self.batch("--inputs", "items.csv", code=3).stderr.count("F401]"), 1 if text == "" else 2)

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

    def test_a_result_that_is_missing_is_made_again_even_if_a_file_was_touched(self):
        self.runs()
        os.utime(self.folder / "a.npy", (1, 1))
        (self.folder / "out/a.npz").unlink()
        self.runs()
        self.assertEqual(self.results()["a"], [1])

    def test_another_format_replaces_the_first(self):
        self.runs()
        self.runs("--npy")
        self.assertEqual({path.suffix for path in (self.folder / "out").iterdir()}, {".npy", ".jsonl", ".lock"})
        self.assertEqual(self.to_run("--inputs", "items.csv"), dict.fromkeys("abc", "result missing"))

    def test_another_file_of_the_same_name_and_time_is_another(self):
        for folder, value in (("v1", 1), ("v2", 2)):
            self.array(f"{folder}/a.npy", value)
            os.utime(self.folder / folder / "a.npy", (1, 1))
        npy.write(str(self.folder / "k.npy"), "float32 [] 1")
        for folder in ("v1", "v2"):
            self.batch("--feed", f"x={folder}/*.npy", "--feed", "k=k.npy")
        self.assertEqual(self.results(), {"a": [2]})

    def test_a_file_that_was_missing_is_noticed_when_it_is_there(self):
        self.write("items.csv", "id,x,k\na,none.npy,1\n")
        self.runs("--keep-going", code=1)
        self.array("none.npy", 5)
        self.runs()
        self.assertEqual(self.results(), {"a": [5]})

    def test_a_manifest_that_changes_while_it_runs_is_an_error(self):
        self.manifest(*[1_000_000] * 2000)
        running = subprocess.Popen([built.OPSRUN, "batch", "fate.yaml", "--inputs", "items.csv", "--out", "out", "--plugins", PLUGINS],
                                   cwd=self.folder, stderr=subprocess.PIPE)
        while not (self.folder / "out/i5.npz").exists():
            time.sleep(0.01)
        self.manifest(*[1_000_000] * 10)
        said = running.communicate(timeout=60)[1].decode()
        self.assertEqual((running.returncode, "R509" in said), (1, True), said)

    def test_a_journal_that_somebody_has_written_is_harmless(self):
        (self.folder / "out").mkdir()
        lines = ["[" * 200_000, '{"ids": [' + "[" * 300 + "]" * 300 + ']}', '{"id": 7, "status": "ok"}', '{"id": "a", "status": []}',
                 '{"ids": "a", "status": "running"}', "\0\xff", '{"id": "b", "status": "ok", "at": "now", "stamp": -1, "bytes": 1e300}']
        (self.folder / "out/journal.jsonl").write_text("\n".join(lines))
        self.write("out/journal-backup.jsonl", "mine")
        self.runs()
        self.assertEqual(self.results(), {"a": [1], "b": [2], "c": [3]})
        self.assertEqual(self.opsrun("batch", "--merge", "--out", "out").returncode, 0)
        self.assertTrue((self.folder / "out/journal-backup.jsonl").exists())

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

    def test_what_was_done_last_counts_whoever_did_it(self):
        for k, words in ((1, ["--shard", "1/1"]), (2, []), (1, [])):
            self.write("items.csv", f"id,x,k\na,a.npy,{k}\n")
            self.runs(*words)
            self.assertEqual(self.results(), {"a": [k]})

    def test_shards_of_another_number_are_refused_until_their_journals_are_joined(self):
        self.runs("--shard", "1/2")
        self.assertIn("--merge", self.runs("--shard", "1/3", code=1).stderr)
        self.opsrun("batch", "--merge", "--out", "out")
        self.runs("--shard", "1/3")

    def test_a_folder_that_another_batch_uses_is_refused(self):
        (self.folder / "out").mkdir()
        with open(self.folder / "out/journal.lock", "a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertIn("R509", self.runs(code=1).stderr)
            self.assertIn("R509", self.runs("--shard", "1/2", code=1).stderr)


if __name__ == "__main__":
    unittest.main()

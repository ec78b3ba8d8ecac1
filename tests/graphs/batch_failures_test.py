"""batch_failures_test.py: opsrun batch after errors, crashes, timeouts, stops, kills, and on a full disk.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

import built
from batches import CRASHED, PLUGINS, Batch


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

    def test_an_item_that_crashed_twice_runs_once_its_input_is_another(self):
        self.manifest(13)
        for _ in range(2):
            self.fates(code=CRASHED)
        self.manifest(5)
        self.fates()
        self.assertEqual(self.results(), {"i0": [5]})

    def test_a_kernel_that_ends_too_late_is_too_late(self):
        self.manifest(1_000_000)
        self.fates("--item-timeout", "1ms", code=1)
        self.assertEqual(self.records()[0]["i0"]["status"], "timeout")

    def test_of_a_group_only_the_item_to_blame_times_out(self):
        self.manifest(1, 14, 2)
        for code in (6, 6, 1):
            self.fates("--keep-going", "--group", "3", "--item-timeout", "100ms", code=code)
        self.assertEqual({id_: record["status"] for id_, record in self.records()[0].items()}, {"i0": "ok", "i1": "timeout", "i2": "ok"})

    def test_who_stops_it_at_once_does_not_blame_items(self):
        self.manifest(14)
        journal = self.folder / "out/journal.jsonl"
        for _ in range(3):
            before = journal.read_text().count("running") if journal.exists() else 0
            running = subprocess.Popen([built.OPSRUN, "batch", "fate.yaml", "--inputs", "items.csv", "--out", "out", "--plugins", PLUGINS],
                                       cwd=self.folder, stderr=subprocess.PIPE)
            while not journal.exists() or journal.read_text().count("running") == before:
                time.sleep(0.01)
            time.sleep(0.2)
            for _ in range(2):
                running.send_signal(signal.SIGTERM)
                time.sleep(0.3)
            running.communicate(timeout=60)
        self.assertEqual(self.to_run("--inputs", "items.csv", graph="fate.yaml"), {"i0": "stopped"})

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

    def test_a_file_system_that_is_full_loses_nothing_and_blames_no_item(self):
        small = "mount -t tmpfs -o size=%s tmpfs out"
        if subprocess.run(["unshare", "-rm", "sh", "-c", "mkdir probe && " + small % "64k" + " || mount -t tmpfs tmpfs probe"],
                          cwd=self.folder, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("this system mounts nothing here")
        self.manifest(*range(20, 420))
        (self.folder / "out").mkdir()
        batch = f"{built.OPSRUN} batch fate.yaml --inputs items.csv --out out --plugins {PLUGINS} --concurrency 2"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", f"""
            {small % "600k"} && for i in 1 2 3; do {batch} --keep-going; echo "ended with $?" >&2; done
            mount -o remount,size=10m out && {batch} && cp -r out kept"""], cwd=self.folder, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("ended with 1")), (0, 3), done.stderr)
        self.assertIn("no space left", done.stderr)
        (self.folder / "out").rmdir()
        (self.folder / "kept").rename(self.folder / "out")
        last, times = self.records()
        self.assertEqual((len(self.results()), {record["status"] for record in last.values()}, max(times.values())), (400, {"ok"}, 1))

    def test_an_array_that_is_written_to_while_it_is_used_is_noticed(self):
        (self.folder / "out").mkdir()
        for does, status in (("replace", "ok"), ("write to", "failed")):
            self.array("w.npy", *range(300_000))
            with subprocess.Popen([built.OPSRUN, "batch", "large.yaml", "--out", "out", "--worker"], cwd=self.folder, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
                worker.stdout.readline()
                for id_, expected in (("a", "ok"), ("b", status)):
                    worker.stdin.write(f'{{"id": "{id_}", "x": 2}}\n\n')
                    worker.stdin.flush()
                    worker.stdout.readline()
                    record = json.loads(worker.stdout.readline())
                    self.assertEqual((record["status"], record.get("errors", [{"code": "F201"}])[0]["code"]), (expected, "F201"))
                    if does == "replace":
                        (self.folder / "w.npy").rename(self.folder / "old.npy")
                    self.array("w.npy", *range(300_000))
                worker.stdin.close()

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

"""batches.py: the base of tests of opsrun batch.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import json
import os
import signal

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
LARGE = """
opsrun: 1
feeds: {w: {npy: w.npy}, x: {dtype: float32}}
nodes: {y: {op: Mul, in: [w, x]}}
outputs: [y]
"""
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
        self.write("large.yaml", LARGE)

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

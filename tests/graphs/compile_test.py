"""compile_test.py: opsrun compile and the files that it writes, where other tests do not look.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

from built import BUILD, OPSRUN
from in_folder import FolderTest

GRAPH = """opsrun: 1
feeds:
  x: {value: [1.5, 2], dtype: float32}
  d: {dtype: float32, shape: [-1]}
nodes:
  s: {op: Scale, in: x}
  e: {op: Stays, in: d, after: s}
outputs: [s, e]
"""
LATER = "opsrun: 1\nfeeds: {x: {dtype: int32, shape: [-1]}}\nnodes: {z: {op: ZeroOut, in: x}}\noutputs: [z]\n"


class Compile(FolderTest):
    def call(self, *words):
        done = subprocess.run([OPSRUN, *words], cwd=self.folder, capture_output=True, timeout=200, check=False,
                              env=dict(os.environ, XDG_CACHE_HOME="/dev/null"))
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def with_version(self, number):
        """Options for a folder with this version of a plugin alone."""
        folder = self.folder / f"v{number}"
        folder.mkdir(exist_ok=True)
        if not (folder / "v.so").exists():
            os.symlink(BUILD / "tests" / "plugins" / "versions" / f"v{number}.so", folder / "v.so")
        return ["--plugins", str(folder)]

    def compiled(self, graph, *options):
        self.write("graph.yaml", graph)
        status, _, err = self.call("compile", "graph.yaml", *options)
        self.assertEqual(status, 0, err)
        (self.folder / "graph.yaml").unlink()

    def test_names_an_op_that_has_changed_and_reads_the_text_again(self):
        self.compiled(GRAPH, *self.with_version(1))
        status, _, err = self.call("check", "graph.opsplan", *self.with_version(1))
        self.assertEqual((status, err), (0, "ok: graph.opsplan: 2 nodes, 2 feeds, 2 outputs\n"))
        status, _, err = self.call("check", "graph.opsplan", *self.with_version(2))
        self.assertEqual(status, 0)
        self.assertIn("warning[G224]: op 'Scale' of plugin", err)
        self.assertIn("opsrun compile graph.opsplan -o graph.opsplan", err)
        status, _, err = self.call("check", "--strict", "graph.opsplan", *self.with_version(2))
        self.assertEqual(status, 3)
        status, _, err = self.call("compile", "graph.opsplan", "-o", "graph.opsplan", *self.with_version(2))
        self.assertEqual(status, 0, err)
        status, _, err = self.call("check", "--strict", "graph.opsplan", *self.with_version(2))
        self.assertEqual(status, 0, err)

    def test_says_where_an_op_that_is_missing_is_used(self):
        self.compiled(GRAPH, *self.with_version(1))
        status, _, err = self.call("check", "graph.opsplan")
        self.assertEqual(status, 3)
        self.assertIn("error[G201]", err)
        self.assertIn("graph.opsplan:6:11", err)

    def test_takes_feeds_of_any_shape(self):
        self.compiled(LATER)
        for count in (1, 5):
            header = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % count
            header = header.ljust(128 - 10 - 1) + "\n"
            (self.folder / "x.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode()
                                                + b"\7\0\0\0" * count)
            status, out, err = self.call("run", "graph.opsplan", "--feed", "x=x.npy")
            self.assertEqual(status, 0, err)
            self.assertEqual(out, f"z  int32 [{count}]\n[{' '.join(['7'] + ['0'] * (count - 1))}]\n")

    def test_is_not_written_over_the_graph_or_after_an_error(self):
        self.write("graph.yaml", LATER)
        self.assertEqual(self.call("compile", "graph.yaml", "-o", "graph.yaml")[0], 2)
        self.write("wrong.yaml", LATER.replace("ZeroOut", "Zeroout"))
        status, _, err = self.call("compile", "wrong.yaml")
        self.assertEqual(status, 3)
        self.assertIn("error[G201]", err)
        self.assertFalse((self.folder / "wrong.opsplan").exists())
        self.assertEqual(self.call("compile", "graph.yaml", "-o", "nowhere/graph.opsplan")[0], 1)

    def test_has_no_need_of_nodes(self):
        self.compiled("opsrun: 1\nfeeds: {x: {value: 1}}\n")
        for words in (["run"], ["check"], ["config"]):
            self.assertEqual(self.call(*words, "graph.opsplan")[0], 0, words)

    def test_is_refused_if_it_ends_early(self):
        self.compiled(LATER)
        whole = (self.folder / "graph.opsplan").read_bytes()
        for size in (8, 100, len(whole) - 1):
            (self.folder / "graph.opsplan").write_bytes(whole[:size])
            status, _, err = self.call("run", "graph.opsplan")
            self.assertEqual(status, 3)
            self.assertIn("error[G015]: 'graph.opsplan' cannot be used: it ", err)

    def test_may_come_through_a_pipe(self):
        self.compiled(LATER.replace("x: {dtype: int32, shape: [-1]}", "x: {value: [4, 5], dtype: int32}"))
        piped = subprocess.run([OPSRUN, "-"], input=(self.folder / "graph.opsplan").read_bytes(), capture_output=True, check=True)
        self.assertEqual(piped.stdout, b"z  int32 [2]\n[4 0]\n")

    def test_is_read_by_all_commands(self):
        self.compiled(LATER.replace("x: {dtype: int32, shape: [-1]}", "x: {value: [4, 5], dtype: int32}"))
        self.write("graph.yaml", LATER.replace("x: {dtype: int32, shape: [-1]}", "x: {value: [4, 5], dtype: int32}"))
        for words in (["plan"], ["config"], ["graph", "--dot"], ["check", "--shapes"], ["run"]):
            of_text, of_compiled = (self.call(*words, name)[:2] for name in ("graph.yaml", "graph.opsplan"))
            self.assertEqual(of_text[0], 0)
            self.assertEqual(of_text[1].replace("graph.yaml", "graph.opsplan"), of_compiled[1], words)
        self.assertEqual(self.call("bench", "--seconds", "0.1", "graph.opsplan")[0], 0)

"""replay_test.py: a node that fails under --repro-dir fails in the same way when its folder is run.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import json
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import tempfile
import unittest

from built import BAD_PLUGINS, BUNDLED, OPSRUN, SANITIZED
from misbehaves_test import SIGNALS

# z is on its way to a sum, and its input is the result of a node.
GRAPH = """opsrun: 1
feeds:
  w: {{value: [3, 4], dtype: int16}}
nodes:
  x: {{op: Neg, in: w}}
  z: {{op: MisbehaveWith, in: x, attrs: {{at: {at}, what: {what}}}}}
  s: {{op: Neg, in: z}}
outputs: [s]
"""
FILES = {"error.txt", "graph.yaml", "plugin.yaml"}


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "plugins").mkdir()
        shutil.copy(BAD_PLUGINS / "misbehaves.so", self.folder / "plugins")
        self.numbers = iter(range(10_000))

    def run_words(self, *words, environment=None):
        """(exit status, the errors, all messages)"""
        done = subprocess.run([OPSRUN, "run", *words, "--error-format=json"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, **(environment or {})}, timeout=300, check=False)
        told = [json.loads(line[line.index('{"'):]) for line in done.stderr.splitlines() if '{"' in line]
        return done.returncode, [each for each in told if each["level"] == "error"], told

    def replay(self, graph, *options, again=(), plugins=("plugins", str(BUNDLED))):
        """Runs the graph and then its folder, and returns the folder and both errors."""
        name = f"d{next(self.numbers)}"
        (self.folder / "g.yaml").write_text(graph, encoding="utf-8")
        words = [f"--plugins={each}" for each in plugins]
        status, errors, told = self.run_words("g.yaml", "--repro-dir", name, *words, *options)
        self.assertEqual(len(errors), 1, told)
        self.assertTrue((self.folder / name).is_dir(), told)
        (said,) = [each for each in errors[0]["help"] if each.startswith("replay this node alone: opsrun run ")]
        again_status, again_errors, told = self.run_words(*said.split(" run ")[1].split(), f"--plugins={plugins[-1]}", *again)
        self.assertEqual(len(again_errors), 1, told)
        self.assertEqual((status, errors[0]["code"]), (again_status, again_errors[0]["code"]), told)
        self.assertIn(errors[0]["message"].split(" (")[0], (self.folder / name / "error.txt").read_text(encoding="utf-8"))
        return self.folder / name, errors[0], again_errors[0]

    def replay_alike(self, graph, *options, **more):
        folder, first, second = self.replay(graph, *options, **more)
        self.assertEqual(first["message"], second["message"])
        return folder

    def elements(self, folder, name):
        """Of a vector in an .npy file."""
        file = (folder / f"{name}.npy").read_bytes()
        end = 10 + struct.unpack("<H", file[8:10])[0]
        (kind, size), data = ast.literal_eval(file[10:end].decode())["descr"][1:3], file[end:]
        if kind == "U":
            size = 4 * int(ast.literal_eval(file[10:end].decode())["descr"][2:])
            return [data[i:i + size].decode("utf-32-le").rstrip("\0") for i in range(0, len(data), size)]
        return [each[0] for each in struct.iter_unpack({"i2": "<h", "f4": "<f"}[kind + size], data)]

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_crashes(self):
        for place, threads in (("compute", 1), ("compute", 2), ("loop", 1), ("loop", 2), ("scribble", 1)):
            for what in SIGNALS:
                with self.subTest(place=place, what=what, threads=threads):
                    folder = self.replay_alike(GRAPH.format(at=place, what=what), f"--threads={threads}")
                    self.assertEqual(self.elements(folder, "x"), [-3, -4])
                    self.assertEqual({each.name for each in folder.iterdir()}, {*FILES, "x.npy"})
        self.assertEqual([each.name for each in self.folder.iterdir() if each.name.startswith(".")], [])

    def test_ends(self):
        for place in ("compute", "loop"):
            for what in ("exit", "exit42", "_exit", "quick_exit", "err", "pthread_exit"):
                with self.subTest(place=place, what=what):
                    folder = self.replay_alike(GRAPH.format(at=place, what=what), "--threads=2")
                    self.assertEqual(self.elements(folder, "x"), [-3, -4])

    def test_errors(self):
        for place in ("compute", "loop", "scribble"):
            for what in ("throw", "throw_int", "bad_alloc"):
                for threads in (1, 2):
                    with self.subTest(place=place, what=what, threads=threads):
                        folder = self.replay_alike(GRAPH.format(at=place, what=what), f"--threads={threads}")
                        self.assertEqual(self.elements(folder, "x"), [-3, -4])
        self.replay_alike(GRAPH.format(at="assign", what="x"))

    def test_the_timeout(self):
        folder = self.replay_alike(GRAPH.format(at="compute", what="hang"), "--timeout=1s", again=("--timeout=1s",))
        self.assertEqual(self.elements(folder, "x"), [-3, -4])

    def replay_isolated(self, graph, *options):
        folder = self.replay_alike(graph, "--isolate=misbehaves", *options)
        self.assertIn("isolate: true", (folder / "graph.yaml").read_text(encoding="utf-8"))
        self.assertEqual(self.elements(folder, "x"), [-3, -4])
        self.assertEqual({each.name for each in folder.iterdir()}, {*FILES, "x.npy"})
        return folder

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_isolated_nodes(self):
        for what in (*SIGNALS, "exit", "exit42", "_exit", "quick_exit", "err", "kill", "throw", "bad_alloc"):
            with self.subTest(what=what):
                self.replay_isolated(GRAPH.format(at="compute", what=what))
        self.replay_isolated(GRAPH.format(at="scribble", what="segv"), "--threads=2")
        self.replay_isolated(GRAPH.format(at="assign", what="x"))
        self.replay_isolated(GRAPH.format(at="compute", what="hang"), "--node-timeout=300ms")
        self.replay_isolated(GRAPH.format(at="compute", what="memory"), "--child-memory=300M")
        folder = self.replay_isolated(GRAPH.format(at="compute", what="segv"), "--sandbox")
        self.assertIn("sandbox: true", (folder / "graph.yaml").read_text(encoding="utf-8"))

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_isolated_nodes_that_follow_each_other(self):
        """Each has inputs of its own; 'c' is a constant, which its process has in the graph."""
        graph = """opsrun: 1
feeds:
  c: {value: [1, 2], dtype: int16}
nodes:
  x: {op: Neg, in: c}
  y: {op: MisbehaveWith, in: c, attrs: {at: none, what: x}}
  z: {op: MisbehaveWith, in: x, attrs: {at: scribble, what: segv}}
  last: {op: MisbehaveWith, in: c, attrs: {at: none, what: x}, after: z}
outputs: [last, y, z]
"""
        folder = self.replay_alike(graph, "--isolate=all", "--threads=1")
        self.assertEqual(self.elements(folder, "x"), [-1, -2])
        folder = self.replay_alike(graph.replace("in: x,", "in: c,"), "--isolate=all")
        self.assertIn("x: {value: [1, 2], dtype: int16}", (folder / "graph.yaml").read_text(encoding="utf-8"))

    def test_isolated_nodes_that_share_a_resource(self):
        """They are one graph, which fails in the same way."""
        graph = """opsrun: 1
feeds:
  w: {value: [3, 4], dtype: int32}
nodes:
  x: {op: Neg, in: w}
  t: {op: HashTable, attrs: {key_dtype: string, value_dtype: int64}}
  fill: {op: LookupTableInsert, in: [t, x, x]}
  size: {op: LookupTableSize, in: t, after: fill}
  s: {op: Neg, in: size}
outputs: [s]
"""
        folder = self.replay_alike(graph, "--isolate=hash_table")
        self.assertEqual({each.name for each in folder.iterdir()}, {*FILES, "keys.npy"})
        self.assertIn("after: [fill]", (folder / "graph.yaml").read_text(encoding="utf-8"))

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_an_isolated_node_in_this_process(self):
        folder = self.replay_isolated(GRAPH.format(at="compute", what="segv"), "--node-timeout=5s")
        status, errors, told = self.run_words(folder.name, "--node-timeout=5s", "--isolate=none")
        self.assertEqual((status, errors[0]["code"]), (-SIGNALS["segv"], "R406"), told)

    def test_a_kernel_that_could_work_in_place(self):
        graph = ("opsrun: 1\nfeeds:\n  w: {value: [4.0, -9.0, 16.0], dtype: float32}\nnodes:\n  y: {op: Neg, in: w}\n"
                 "  z: {op: Sqrt, in: y}\n  s: {op: Neg, in: z}\noutputs: [s]\n")
        for threads in (1, 2):
            folder = self.replay_alike(graph, "--nan-check", f"--threads={threads}")
            self.assertEqual(self.elements(folder, "x"), [-4, 9, -16])

    def test_strings_and_lists(self):
        graph = ("opsrun: 1\nfeeds:\n  a: {value: ['1', 'zwölf', '']}\nnodes:\n  y: {op: StringToNumber, in: a}\n"
                 "outputs: [y]\n")
        folder = self.replay_alike(graph)
        self.assertEqual(self.elements(folder, "string_tensor"), ["1", "zwölf", ""])
        graph = ("opsrun: 1\nfeeds:\n  a: {value: [0.0, 1.0], dtype: float32}\n  b: {value: [-1.0, 1.0], dtype: float32}\n"
                 "  c: {value: [.inf, 1.0], dtype: float32}\n  d: {value: [-.inf, 1.0], dtype: float32}\n"
                 "nodes:\n  inputs_1: {op: AddN, in: [[a, b, c, d]]}\noutputs: [inputs_1]\n")
        folder = self.replay_alike(graph, "--nan-check")
        self.assertEqual(self.elements(folder, "inputs_2"), [float("inf"), 1])
        self.assertEqual(self.elements(folder, "inputs_1_"), [-1, 1])

    def test_what_cannot_be_stored_is_said(self):
        graph = ("opsrun: 1\nfeeds:\n  a: {value: !!binary eAA=}\nnodes:\n  y: {op: StringToNumber, in: a}\noutputs: [y]\n")
        (self.folder / "g.yaml").write_text(graph, encoding="utf-8")
        _, errors, _ = self.run_words("g.yaml", "--repro-dir=d")
        self.assertIn("string_tensor.npy cannot be written", " ".join(errors[0]["notes"]))
        self.assertEqual({each.name for each in (self.folder / "d").iterdir()}, FILES)

    def test_a_handle_is_declared(self):
        graph = ("opsrun: 1\nnodes:\n  v: {op: Variable, attrs: {dtype: float32, shape: [2]}}\n"
                 "  y: {op: ReadVariable, in: v, attrs: {dtype: float32}}\noutputs: [y]\n")
        (self.folder / "g.yaml").write_text(graph, encoding="utf-8")
        _, errors, told = self.run_words("g.yaml", "--repro-dir=d")
        self.assertEqual(len(errors), 1, told)
        self.assertIn("is a resource, which exists only during a run", " ".join(errors[0]["notes"]), told)

    def test_nothing_is_overwritten_or_left(self):
        (self.folder / "g.yaml").write_text(GRAPH.format(at="none", what="x"), encoding="utf-8")
        words = ("g.yaml", "--plugins=plugins", "--repro-dir")
        status, errors, told = self.run_words(*words, "new")
        self.assertEqual((status, errors), (0, []))
        self.assertIn("no node failed, so new was not written", [each["message"] for each in told])
        self.assertEqual({each.name for each in self.folder.iterdir()}, {"g.yaml", "plugins"})
        for place in ("plugins", "g.yaml", "missing/new", "..", ""):
            with self.subTest(place=place):
                status, errors, told = self.run_words(*words, place)
                if place != "":
                    self.assertEqual((status, [each["code"] for each in errors]), (2, ["U005"]), told)
        (self.folder / "empty").mkdir()
        (self.folder / "g.yaml").write_text(GRAPH.format(at="compute", what="throw"), encoding="utf-8")
        self.assertEqual(self.run_words(*words, "empty/")[0], 1)
        self.assertEqual({each.name for each in (self.folder / "empty").iterdir()}, {*FILES, "x.npy"})

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_a_file_that_cannot_be_written(self):
        """The limit of a file's size stands for a full disk."""
        large = GRAPH.replace("value: [3, 4]", "fill: 3, shape: [100000]")
        for what in ("throw", "segv", "exit"):
            with self.subTest(what=what):
                (self.folder / "g.yaml").write_text(large.format(at="compute", what=what), encoding="utf-8")
                done = subprocess.run(["sh", "-c", 'ulimit -f 100; exec "$0" "$@"', OPSRUN, "run", "g.yaml", "--plugins=plugins",
                                       f"--plugins={BUNDLED}", "--repro-dir=d", "--error-format=json"], cwd=self.folder,
                                      capture_output=True, text=True, timeout=300, check=False)
                self.assertIn("the node could not be written to 'd': ", done.stderr)
                self.assertNotIn("opsrun run d", done.stderr)
                self.assertEqual({each.name for each in self.folder.iterdir()}, {"g.yaml", "plugins"})

    def test_the_first_failure_of_several_threads(self):
        nodes = "".join(f"  n{i}: {{op: MisbehaveWith, in: w, attrs: {{at: compute, what: throw}}}}\n" for i in range(16))
        graph = ("opsrun: 1\nfeeds:\n  w: {value: [3, 4], dtype: int16}\nnodes:\n" + nodes + "outputs: [" +
                 ", ".join(f"n{i}" for i in range(16)) + "]\n")
        for concurrency in (1, 3):
            for _ in range(5):
                self.replay_alike(graph, "--threads=4", f"--concurrency={concurrency}", f"--repeat={concurrency}")

    def test_another_plugin(self):
        self.replay(GRAPH.format(at="compute", what="throw"))
        told = self.run_words("d0")[2]
        self.assertEqual([each["message"] for each in told if each["level"] == "warning"], [])
        with open(self.folder / "plugins/misbehaves.so", "ab") as file:
            file.write(b"more")
        told = self.run_words("d0")[2]
        self.assertIn("plugin 'misbehaves'", " ".join(each["message"] for each in told if each["level"] == "warning"))

    def test_a_debugger(self):
        self.replay(GRAPH.format(at="compute", what="throw"))
        status, errors, _ = self.run_words("d0", "--debugger", environment={"PATH": str(self.folder)})
        self.assertEqual((status, errors[0]["code"]), (2, "U005"))
        for name, words in (("lldb", "-o run -- {} run d0 --isolate=none --error-format=json\n"),
                            ("gdb", "-q -ex run --args {} run d0 --isolate=none --error-format=json\n")):
            (self.folder / name).write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
            (self.folder / name).chmod(stat.S_IRWXU)
            done = subprocess.run([OPSRUN, "run", "d0", "--debugger", "--error-format=json"], cwd=self.folder, text=True,
                                  env={**os.environ, "PATH": str(self.folder)}, capture_output=True, timeout=300, check=False)
            self.assertEqual(done.stdout, words.format(os.path.realpath(OPSRUN)), done.stderr)


if __name__ == "__main__":
    unittest.main()

"""streams_test.py: graphs from, and outputs to, pipes and other special files; and incomplete files.

SPDX-License-Identifier: Apache-2.0
"""

import io
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import npy
from built import OPSRUN
from in_folder import FolderTest

GRAPH = "opsrun: 1\nfeeds: {{x: {{fill: 1, shape: [{size}], dtype: uint8}}}}\noutputs: {{x: {{from: x, npy: {file}}}}}\n"


class Streams(FolderTest):
    def write_graph(self, size, file):
        self.write("g.yaml", GRAPH.format(size=size, file=file))

    def opsrun(self, *words, **how):
        return subprocess.run([OPSRUN, *words], cwd=self.folder, stderr=subprocess.PIPE, check=False, **how)

    def test_a_directory_is_no_graph(self):
        directory = os.open(self.folder, os.O_RDONLY)
        done = self.opsrun("run", "-", stdin=directory)
        os.close(directory)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"error[G000]: cannot read standard input: it is a directory\n", done.stderr)

    def run_shell(self, script):
        """The output and status of bash, which runs the program as "$0"."""
        done = self.call("bash", "-c", script, OPSRUN)
        return done.returncode, done.stdout, done.stderr

    def test_the_ending_of_a_file_is_its_format(self):
        self.write_graph(2, "x.npy")
        text = self.opsrun("graph", "g.yaml", stdout=subprocess.PIPE).stdout
        self.assertTrue(text.startswith(b"digraph"))
        for words in (("-o", "g.gv"), ("--dot", "-o", "g.text")):
            self.assertEqual(self.opsrun("graph", "g.yaml", *words).returncode, 0)
            self.assertEqual((self.folder / words[-1]).read_bytes(), text)
        self.assertEqual(self.opsrun("graph", "g.yaml", "-o", "g.jpg").returncode, 2)
        self.assertEqual(self.opsrun("graph", "--dot", "g.yaml", "-o", "g.svg").returncode, 2)

    def test_the_worst_of_several_graphs_counts(self):
        self.write_graph(2, "x.npy")
        done = self.opsrun("check", "g.yaml", "nowhere.yaml", "g.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"g.yaml: 0 nodes, 1 feed, 1 output\n", done.stderr)

    def test_the_places_of_plugins_are_listed_if_there_are_none(self):
        done = self.opsrun("plugins", "--no-default-plugins", "--plugins", self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{self.folder} (--plugins)".encode(), done.stderr)

    def test_a_graph_comes_through_a_pipe(self):
        self.write_graph(3, "x.npy")
        for graph in ("<(cat g.yaml)", "/dev/stdin < <(cat g.yaml)", "/dev/stdin < g.yaml", "- < g.yaml"):
            code, _, messages = self.run_shell(f'"$0" run -q {graph} && mv x.npy y.npy')
            self.assertEqual((code, messages), (0, ""), graph)  # paths are relative to the current folder

    def test_an_error_in_a_graph_from_a_pipe_names_it(self):
        code, _, messages = self.run_shell('"$0" run <(echo "opsrun: 2")')
        self.assertEqual(code, 3)
        self.assertRegex(messages, r"--> /dev/fd/\d+:1:9\n")
        code, _, messages = self.run_shell('"$0" run <(true)')
        self.assertEqual(code, 3)
        self.assertIn("error[G011]: the file is empty", messages)

    def test_feeds_come_through_pipes(self):
        npy.write(self.folder / "x.npy", "int32 [2] 1 2")
        npy.add(self.folder / "z.npz", "z int32 [2] 1 2")
        self.write("g.yaml", "opsrun: 1\nfeeds: {x: {dtype: int32}, z: {dtype: int32}}\noutputs: [x, z]\n")
        expected = "x  int32 [2]\n[1 2]\nz  int32 [2]\n[1 2]\n"
        for script in ('"$0" run -q g.yaml --feed x=<(cat x.npy) --feed z=<(cat z.npz):z',
                       '"$0" run -q g.yaml --feed x=/dev/stdin --feed z=z.npz:z < <(sleep 0.2; cat x.npy)',
                       'mkfifo late; (sleep 0.3; cat z.npz > late) & "$0" run -q g.yaml --feed x=x.npy --feed z=late:z'):
            self.assertEqual(self.run_shell(script), (0, expected, ""), script)

    def test_what_has_no_end_ends_in_an_error(self):
        self.write_graph(3, "x.npy")
        for graph in ("/dev/zero", "/dev/urandom"):
            code, _, messages = self.run_shell(f'"$0" run {graph}')
            self.assertEqual(code, 3)
            self.assertIn(f"error[G000]: cannot read '{graph}': it is neither a regular file nor a pipe\n", messages)
        code, _, messages = self.run_shell('"$0" run <(yes)')
        self.assertEqual(code, 3)
        self.assertRegex(messages, r"error\[G000\]: cannot read '/dev/fd/\d+': it is larger than 67108864 bytes\n")

    def test_an_output_goes_through_a_pipe(self):
        self.write_graph(3, "/dev/stdout")
        done = self.opsrun("run", "g.yaml", stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(npy.text(done.stdout), "uint8 [3] 1 1 1")

    def test_a_trace_follows_what_was_printed(self):
        self.write("g.yaml", "opsrun: 1\nfeeds: {x: {value: [1], dtype: int32}}\noutputs: [x]\n")
        with open(self.folder / "out", "w+b") as out:
            out.write(b"before\n")
            out.flush()
            done = self.opsrun("run", "g.yaml", "--trace", "/dev/stdout", stdout=out)
            self.assertEqual(done.returncode, 0, done.stderr)
            out.seek(0)
            before, trace = out.read().split(b"{", 1)
        self.assertEqual(before, b"before\nx  int32 [1]\n[1]\n")
        self.assertIn("traceEvents", json.load(io.BytesIO(b"{" + trace)))

    def test_a_program_that_is_killed_leaves_no_part_of_an_output(self):
        self.write_graph(500_000_000, "x.npy")
        with subprocess.Popen([OPSRUN, "run", "g.yaml"], cwd=self.folder, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not self.is_writing(process.pid):
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        self.assertLessEqual(set(os.listdir(self.folder)), {"g.yaml", "x.npy"})

    def is_writing(self, pid):
        """Whether a file of the folder is open, even one without a name."""
        try:
            opened = os.listdir(f"/proc/{pid}/fd")
            return any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith(f"{self.folder}/#") for fd in opened)
        except FileNotFoundError:
            return False

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "there is no file system in memory")
    def test_a_graph_below_dev_that_is_a_file_has_a_folder(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            npy.write(f"{folder}/x.npy", "int32 [1] 7")
            pathlib.Path(folder, "g.yaml").write_text("opsrun: 1\nfeeds: {x: {npy: x.npy}}\noutputs: [x]\n", encoding="utf-8")
            done = self.opsrun("run", "-q", f"{folder}/g.yaml", stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, b"x  int32 [1]\n[7]\n")

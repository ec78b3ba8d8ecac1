"""streams_test.py: graphs from, and outputs to, what is not a file in a directory; and files that are not finished.

usage: streams_test.py OPSRUN

SPDX-License-Identifier: Apache-2.0
"""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import npy

OPSRUN = sys.argv[1]

GRAPH = "opsrun: 1\nfeeds: {{x: {{fill: 1, shape: [{size}], dtype: uint8}}}}\noutputs: {{x: {{from: x, npy: {file}}}}}\n"


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write_graph(self, size, file):
        with open(os.path.join(self.folder, "g.yaml"), "w", encoding="utf-8") as graph:
            graph.write(GRAPH.format(size=size, file=file))

    def opsrun(self, *words, **how):
        return subprocess.run([OPSRUN, *words], cwd=self.folder, stderr=subprocess.PIPE, check=False, **how)

    def test_a_directory_is_no_graph(self):
        directory = os.open(self.folder, os.O_RDONLY)
        done = self.opsrun("run", "-", stdin=directory)
        os.close(directory)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"error[G000]: cannot read standard input: it is a directory\n", done.stderr)

    def test_an_output_goes_through_a_pipe(self):
        self.write_graph(3, "/dev/stdout")
        done = self.opsrun("run", "g.yaml", stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(npy.text(done.stdout), "uint8 [3] 1 1 1")

    def test_a_trace_follows_what_was_printed(self):
        with open(os.path.join(self.folder, "out"), "w+b") as out:
            with open(os.path.join(self.folder, "g.yaml"), "w", encoding="utf-8") as graph:
                graph.write("opsrun: 1\nfeeds: {x: {value: [1], dtype: int32}}\noutputs: [x]\n")
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
            return any(os.readlink(f"/proc/{pid}/fd/{fd}").startswith(self.folder + "/#") for fd in opened)
        except FileNotFoundError:
            return False


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

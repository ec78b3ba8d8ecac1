"""outlive_test.py: what a run has started or not finished does not outlive it, even if it is killed.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from built import BAD_PLUGINS, OPSRUN, SANITIZED

PATIENCE = 60
SLEEPS = "#!/bin/sh\nexec /bin/sleep 600\n"
CRASHES = "opsrun: 1\nfeeds: {x: {value: [1], dtype: float32}}\nnodes: {y: {op: Weigh, in: x}}\noutputs: [y]\n"


def processes():
    """{pid: command line} of all processes."""
    found = {}
    for each in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found[int(each.name)] = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found


def children_of(parent):
    with contextlib.suppress(OSError):
        return [int(pid) for pid in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()]
    return []


def wait_for(what):
    """The first result of what() that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.002)
    raise AssertionError("it did not happen")


class Outlive(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def start(self, *words, program=OPSRUN, **more):
        run = subprocess.Popen([program, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def expect_child_to_end(self, run, command):
        """Kills the run while its child, which has this in its command line, is busy."""
        child = wait_for(lambda: [pid for pid in children_of(run.pid) if command in processes().get(pid, "")])[0]
        run.kill()
        run.wait()
        wait_for(lambda: command not in processes().get(child, ""))

    def test_a_probe(self):
        run = self.start("inspect", BAD_PLUGINS / "faults/slow/hangs.so")
        self.expect_child_to_end(run, "opsrun-probe")

    def test_graphviz(self):
        (self.folder / "dot").write_text(SLEEPS, encoding="utf-8")
        (self.folder / "dot").chmod(0o755)
        (self.folder / "g.yaml").write_text("opsrun: 1\nfeeds: {x: {value: [1], dtype: int32}}\nnodes: {y: {op: ZeroOut, in: x}}\n"
                                            "outputs: [y]\n", encoding="utf-8")
        run = self.start("graph", "g.yaml", "-o", "g.svg", env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.expect_child_to_end(run, "sleep 600")

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_a_backtrace(self):
        """In an install whose opsrun-backtrace does not answer."""
        (self.folder / "bin").mkdir()
        shutil.copy(OPSRUN, self.folder / "bin/opsrun")
        program = self.folder / "libexec/opsrun/opsrun-backtrace"
        program.parent.mkdir(parents=True)
        program.write_text(SLEEPS, encoding="utf-8")
        program.chmod(0o755)
        (self.folder / "g.yaml").write_text(CRASHES, encoding="utf-8")
        run = self.start("run", "g.yaml", "--plugins", BAD_PLUGINS / "debugged", program=self.folder / "bin/opsrun")
        self.expect_child_to_end(run, "sleep 600")

    def expect_no_folder(self, op):
        """Kills a run while it writes a failed node."""
        (self.folder / "g.yaml").write_text("opsrun: 1\nfeeds: {x: {fill: 2, shape: [60000000], dtype: float32}}\n"
                                            f"nodes: {{y: {{op: {op}, in: x}}}}\noutputs: [y]\n", encoding="utf-8")
        run = self.start("run", "g.yaml", "--plugins", BAD_PLUGINS / "debugged", "--nan-check", "--repro-dir", "kept")
        wait_for(lambda: any(each.name.startswith(".kept") and any(each.iterdir()) for each in self.folder.iterdir()))
        run.kill()
        run.wait()
        wait_for(lambda: [each.name for each in self.folder.iterdir()] == ["g.yaml"])

    def test_an_unfinished_folder_of_an_error(self):
        self.expect_no_folder("Spread")

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_an_unfinished_folder_of_a_crash(self):
        self.expect_no_folder("Weigh")


if __name__ == "__main__":
    unittest.main()

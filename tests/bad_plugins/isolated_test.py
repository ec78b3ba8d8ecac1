"""isolated_test.py: what a plugin's code must not do, done in a process of its own: an error of one node.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
import unittest
import uuid

from built import BAD_PLUGINS, BUNDLED, OPSRUN, SANITIZED
from misbehaves_test import ENDS, SIGNALS, run

# The nodes before and after 'z' are of the same plugin, and so in the same round trip.
GRAPH = """opsrun: 1
nodes:
  first: {{op: Misbehave, attrs: {{at: none, what: x}}}}
  z: {{op: Misbehave, attrs: {{at: {at}, what: {what}}}}}
  after: {{op: Misbehave, attrs: {{at: none, what: x}}, after: z}}
  last: {{op: Misbehave, attrs: {{at: none, what: x}}}}
outputs: [first, z, after, last]
"""
REST = "first  int32 []\n7\nlast  int32 []\n7\n"

# In three parts, between which another plugin has nodes; 'z' is in the second one, or in the third.
OBJECT = """opsrun: 1
feeds: {{x: {{value: 1, dtype: int32}}}}
nodes:
  made: {{op: MakeObject, attrs: {{at: none, what: x}}}}
  first: {{op: UseObject, in: made, attrs: {{at: none, what: x}}}}
  same: {{op: Identity, in: x, after: first}}
  z: {{op: Misbehave, attrs: {{at: compute, what: {what}}}, after: {after}}}
  again: {{op: Identity, in: x, after: same}}
  used: {{op: UseObject, in: made, attrs: {{at: none, what: x}}, after: again}}
  then: {{op: Identity, in: used}}
  last: {{op: Misbehave, attrs: {{at: none, what: x}}, after: again}}
outputs: [first, z, then, last]
"""


def isolated(at, what, *options, environment=None):
    # With one thread: 'last' tells whether signals are blocked, as they are on a pool's threads.
    return run(at, what, "--isolate", "misbehaves", "--threads", "1", *options, graph=GRAPH.format(at=at, what=what),
               environment=environment)


def processes_with(mark):
    """How many processes have this in their environment."""
    found = 0
    for process in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            found += mark.encode() in process.read_bytes()
    return found


class Isolated(unittest.TestCase):
    def expect(self, answer, code, *words, line=4, results=REST, status=1):
        found_status, found_results, told, stderr = answer
        errors = [each for each in told if each["level"] == "error"]
        self.assertEqual([each["code"] for each in errors], [code], stderr)
        self.assertEqual(found_status, status, stderr)
        text = errors[0]["message"] + "".join(errors[0]["notes"])
        for word in words:
            self.assertIn(word, text)
        self.assertEqual([span["begin"]["line"] for span in errors[0]["spans"]], [line])
        self.assertEqual(found_results, results, stderr)
        return errors[0]

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_crashes(self):
        for what in SIGNALS:
            with self.subTest(what):
                error = self.expect(isolated("compute", what), "R409", "in the kernel of node 'z'",
                                    "2 results are missing because of it: 'z', 'after'")
                self.assertTrue(error["backtrace"] or what in ("overflow", "bus"))
                error = self.expect(isolated("compute", what, "--sandbox"), "R409", "in the kernel of node 'z'")
                self.assertTrue(error["backtrace"] or what in ("overflow", "bus"))

    def test_ends(self):
        for what in ENDS:
            with self.subTest(what):
                self.expect(isolated("compute", what), "R409", "in the kernel of node 'z'")

    def test_errors(self):
        self.expect(isolated("compute", "throw"), "R401", "thrown by a plugin", "'z', 'after'")
        self.expect(isolated("compute", "bad_alloc"), "D401", "std::bad_alloc", status=5)

    def test_objects_are_lost_with_their_process(self):
        for after in ("same", "again"):
            for what, made, lines in (("nothing", ("first", "z", "then", "last"), []), ("_exit", ("first", "last"), [7, 9])):
                with self.subTest(what, after=after):
                    status, results, told, stderr = run(
                        "", "", "--isolate", "misbehaves", "--threads", "1", "--plugins", BUNDLED,
                        graph=OBJECT.format(what=what, after=after))
                    errors = [each for each in told if each["level"] == "error"]
                    self.assertEqual([each["spans"][0]["begin"]["line"] for each in errors], lines, stderr)
                    self.assertEqual({each["code"] for each in errors}, {"R409"} if lines else set())
                    self.assertEqual((status, results), (min(1, len(lines)), "".join(
                        f"{name}  int32 []\n7\n" for name in made)))
                    if lines:
                        self.assertIn("the resource of node 'made' is lost: the process of isolated plugin 'misbehaves'",
                                      errors[1]["message"])
                        self.assertIn("1 result is missing because of it: 'then'", errors[1]["notes"])

    @unittest.skipIf(SANITIZED, "sanitizers need more memory")
    def test_takes_all_memory(self):
        self.expect(isolated("compute", "memory", "--child-memory", "300M"), "D401", "std::bad_alloc", status=5)

    def test_does_not_return(self):
        self.expect(isolated("compute", "hang", "--node-timeout", "300ms"), "R409", "--node-timeout", "node 'z'")
        error = self.expect(isolated("compute", "hang", "--node-timeout", "300ms", "--sandbox"), "R409", "--node-timeout")
        self.assertTrue(SANITIZED or any("misbehaves" in frame["text"] for frame in error["backtrace"]), error)
        error = self.expect(isolated("compute", "hang", "--timeout", "1s"), "R403", "node 'first'", line=3, results="",
                            status=6)
        self.assertIn("--node-timeout", error["help"][1])

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_before_a_run(self):
        for at, words in (("shape", "in the shape function of node 'z'"),
                          ("create", "in the constructor of the kernel of node 'z'")):
            with self.subTest(at):
                self.expect(isolated(at, "segv"), "R409", words, results="")
        self.expect(isolated("create", "throw"), "G216", "thrown by a plugin", results="", status=3)

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_while_it_is_loaded(self):
        for at in ("load", "entry"):
            status, _, told, stderr = isolated("none", "x", environment={"MISBEHAVE": f"{at}:segv"})
            self.assertEqual({each["code"] for each in told if each["level"] == "error"}, {"P201"}, stderr)
            self.assertEqual(status, 4)

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_at_the_end_is_a_warning(self):
        status, results, _, stderr = isolated("destroy", "segv")
        self.assertEqual(status, 0, stderr)
        self.assertIn("z  int32 []\n7\n", results)
        self.assertIn("in the destructor of the kernel of node 'z'", stderr)

    def test_state_of_the_process(self):
        for what in ("chdir", "no_descriptors", "locale", "block_signals", "umask", "handler", "limit", "fork_exit", "thread"):
            with self.subTest(what):
                status, _, told, stderr = isolated("compute", what)
                self.assertEqual(status, 0, stderr)
                self.assertEqual([each for each in told if each["level"] == "error"], [])

    def test_no_process_is_left(self):
        mark = f"MARK={uuid.uuid4()}"
        for what in ("segv", "_exit", "hang", "nothing"):
            isolated("compute", what, "--node-timeout", "300ms", environment=dict([mark.split("=")]))
        self.assertEqual(processes_with(mark), 0)

    def test_ends_with_a_parent_that_is_killed(self):
        mark = f"MARK={uuid.uuid4()}"
        graph = BAD_PLUGINS / f"isolated_{os.getpid()}.yaml"
        graph.write_text(GRAPH.format(at="compute", what="hang"), encoding="utf-8")
        self.addCleanup(graph.unlink)
        parent = subprocess.Popen([OPSRUN, graph, "--no-probe", "--plugins", BAD_PLUGINS, "--isolate", "misbehaves"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env={**os.environ, **dict([mark.split("=")])})
        self.wait_until(lambda: processes_with(mark) == 2)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        self.wait_until(lambda: processes_with(mark) == 0)

    def wait_until(self, condition):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()

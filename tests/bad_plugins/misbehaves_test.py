"""misbehaves_test.py: what a plugin's code must not do, and how the program ends if it does.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from built import BAD_PLUGINS, OPSRUN, SANITIZED

SIGNALS = {"segv": 11, "abort": 6, "ill": 4, "fpe": 8, "bus": 7, "overflow": 11, "terminate": 6, "noexcept": 6}
ENDS = ("exit", "exit42", "_exit", "_Exit", "quick_exit", "err", "pthread_exit")
RESULT = "z  int32 []\n7\n"

GRAPH = """opsrun: 1
nodes:
  z: {{op: Misbehave, attrs: {{at: {at}, what: {what}}}}}
outputs: [z]
"""


def run(at, what, *options, environment=None, graph=None, stderr=subprocess.PIPE, plugin=BAD_PLUGINS / "misbehaves.so",
        error_format="json"):
    """(exit status, results, messages as objects) of a run."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "plugins"))
        shutil.copy(plugin, os.path.join(folder, "plugins/misbehaves.so"))
        with open(os.path.join(folder, "g.yaml"), "w", encoding="utf-8") as file:
            file.write(graph or GRAPH.format(at=at, what=what))
        # The probe would reject plugins that crash while they are opened; here the program itself must report it.
        done = subprocess.run([OPSRUN, "g.yaml", "--no-probe", "--no-default-plugins", "--plugins", "plugins",
                               "--error-format", error_format, *options], cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
                              stderr=stderr, text=True, timeout=120, check=False)
        # A plugin may have left its own line unfinished.
        told = [json.loads(line[line.index('{"'):]) for line in (done.stderr or "").splitlines() if '{"' in line]
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return status, done.stdout, told, done.stderr


def at_load(place, what, *options, stderr=subprocess.PIPE):
    return run("none", "x", *options, environment={"MISBEHAVE": f"{place}:{what}"}, stderr=stderr)


class Misbehaves(unittest.TestCase):
    def expect(self, answer, status, code, *words, line=None):
        found_status, _, told, stderr = answer
        errors = [each for each in told if each["level"] == "error"]
        self.assertEqual([each["code"] for each in errors], [code], stderr)
        self.assertEqual(found_status, status, stderr)
        text = errors[0]["message"] + "".join(errors[0]["notes"])
        for word in ("misbehaves", *words):
            self.assertIn(word, text)
        self.assertEqual([span["begin"]["line"] for span in errors[0]["spans"]], [line] if line else [])

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_a_crash_names_signal_phase_node_and_place(self):
        for place, words in {"shape": ("shape function", "'z'"), "create": ("constructor", "'z'"),
                             "compute": ("kernel", "'z'"), "loop": ("kernel", "'z'"),
                             "destroy": ("destructor", "'z'")}.items():
            for what, number in SIGNALS.items():
                with self.subTest(place=place, what=what):
                    self.expect(run(place, what, "--threads=2"), 128 + number, "R406", *words, line=3)

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_a_crash_without_a_node_names_the_plugin(self):
        for what in ("segv", "abort", "overflow"):
            with self.subTest(what=what):
                number = 128 + SIGNALS[what]
                self.expect(run("resource", what), number, "R406", "resource")
                self.expect(at_load("load", what), number, "P106", "loaded")
                self.expect(at_load("entry", what), number, "P106", "entry")
                self.expect(at_load("shutdown", what), number, "R406", "shutdown")
                self.expect(at_load("unload", what), number, "R406", "misbehaves.so", "static destructor")
        self.expect(run("compute", "thread_segv"), 139, "R406", "misbehaves.so", "thread of its own")

    @unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
    def test_a_file_that_was_rewritten_in_use_is_not_called_broken(self):
        for what, said in {"rewritten": "the file was overwritten while in use", "segv": "remove or rebuild"}.items():
            answer = run("compute", what)
            self.expect(answer, 139, "R406", "'z'", line=3)
            self.assertIn(said, answer[2][-1]["help"][0])

    def test_nobody_else_ends_the_program(self):
        for place in ("shape", "create", "compute", "loop", "destroy"):
            for what in ENDS:
                with self.subTest(place=place, what=what):
                    self.expect(run(place, what, "--threads=2"), 1, "R407", "called", "'z'", line=3)
        for what in ENDS:
            with self.subTest(what=what):
                self.expect(at_load("load", what), 4, "P107", "called", "loaded")
                self.expect(at_load("entry", what), 4, "P107", "called", "entry")
                self.expect(at_load("shutdown", what), 1, "R407", "called", "shutdown")
        self.expect(at_load("unload", "_exit"), 1, "R407", "_exit", "static destructor")
        self.expect(run("compute", "thread_exit"), 1, "R407", "exit", "thread of its own")

    def test_a_child_process_may_end(self):
        status, results, told, _ = run("compute", "fork_exit")
        self.assertEqual((status, results), (0, RESULT))
        self.assertEqual([each["level"] for each in told], ["ok"])

    def test_an_exception_is_the_failure_of_its_node(self):
        for what, said in {"throw": "thrown by a plugin", "throw_int": "unknown type"}.items():
            with self.subTest(what=what):
                self.expect(run("compute", what), 1, "R401", "exception", said, line=3)
                self.expect(run("loop", what, "--threads=2"), 1, "R401", "exception", said, line=3)
                self.expect(run("loop", what, "--threads=1"), 1, "R401", "exception", said, line=3)
                self.expect(run("create", what), 1, "R408", "exception", said, line=3)
                self.expect(run("shape", what), 1, "R408", "exception", said, line=3)
        self.expect(run("make", "throw"), 3, "G216", "exception", "thrown by a plugin", line=3)
        if not SANITIZED:  # their dlopen does not let exceptions through
            self.expect(at_load("load", "throw"), 4, "P201", "static constructors threw an exception: thrown by", line=3)
        self.expect(at_load("entry", "throw"), 4, "P201", "entry threw an exception: thrown by a plugin", line=3)

    def test_no_memory_is_no_mistake_of_the_graph(self):
        for place in ("shape", "create", "compute", "loop"):
            with self.subTest(place=place):
                self.expect(run(place, "bad_alloc", "--threads=2"), 5, "D401", "std::bad_alloc", line=3)

    def test_an_exception_at_the_end_is_told(self):
        for answer in (run("destroy", "throw"), run("resource", "throw"), at_load("shutdown", "throw")):
            self.assertEqual(answer[:2], (0, RESULT))
            self.assertRegex(answer[3], r"warning: (node '.*' .*: )?plugin 'misbehaves' .*threw an exception: thrown by a plugin\n")

    def test_texts_of_any_size(self):
        self.expect(run("fail", "x"), 3, "G216", "cannot be read", line=3)

    def test_the_time_covers_all(self):
        # Long enough to reach the code on a busy machine; in parallel, since they only wait.
        in_node = ("shape", "create", "compute", "destroy")
        elsewhere = {"load": "loaded", "entry": "entry", "shutdown": "shutdown"}
        with concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
            nodes = {place: pool.submit(run, place, "hang", "--timeout=4s") for place in in_node}
            files = {place: pool.submit(at_load, place, "hang", "--timeout=4s") for place in elsewhere}
        for place, answer in nodes.items():
            with self.subTest(place=place):
                self.expect(answer.result(), 6, "R403", "'z'", line=3)
        for place, answer in files.items():
            with self.subTest(place=place):
                self.expect(answer.result(), 6, "R403", elsewhere[place])

    def test_the_time_covers_static_destructors(self):
        status, results, told, _ = at_load("unload", "hang", "--timeout=3050ms")  # long enough to reach the code
        self.assertEqual((status, results, told[-1]["code"]), (6, RESULT, "R403"))
        self.assertIn("after 3050 ms; the work was done, but a static destructor", told[-1]["message"])

    def test_the_time_counts_also_if_nobody_reads_what_is_told(self):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while os.write(writer, b"x" * 4096):
                pass
        except BlockingIOError:
            os.set_blocking(writer, True)
        for place in ("load", "unload"):
            with self.subTest(place=place):
                self.assertEqual(at_load(place, "hang", "--timeout=500ms", stderr=writer)[0], 6)
        with self.subTest(place="compute"):
            self.assertEqual(run("compute", "hang", "--timeout=500ms", stderr=writer)[0], 6)
        with self.subTest("the first of two threads reports, and the second must not end the program with 0"):
            self.assertEqual(run("loop", "quiet_err", "--threads=2", stderr=writer)[0], 1)
        os.close(reader)
        os.close(writer)

    def test_threads_of_the_pool_keep_their_floating_point_mode(self):
        nodes = "".join(f"  n{i}: {{op: Misbehave, attrs: {{at: loop, what: x}}}}\n" for i in range(40))
        graph = ("opsrun: 1\nnodes:\n" + nodes + "  a: {op: Misbehave, attrs: {at: loop, what: flush_to_zero}, after: "
                 + str([f"n{i}" for i in range(40)]).replace("'", "") + "}\noutputs: [" +
                 ", ".join(f"n{i}" for i in range(40)) + "]\n")
        _, results, _, _ = run("", "", "--threads=4", "--repeat=10", graph=graph)
        # Signals are blocked on the pool's threads, which kernels also see as a change.
        self.assertLessEqual(set(results.splitlines()[1::2]), {"7", "27"})

    def test_the_time_covers_reading(self):
        reader, writer = os.pipe()
        with os.fdopen(reader), os.fdopen(writer):
            done = subprocess.run([OPSRUN, "run", "-", "--timeout=300ms", "--error-format=json"], stdin=reader,
                                  capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, json.loads(done.stderr)["code"]), (6, "R403"))

    def test_what_a_plugin_changes_is_set_back(self):
        changes = {"flush_to_zero": "floating-point mode", "block_signals": "signal mask", "locale": "locale",
                   "chdir": "working directory", "umask": "mode of new files", "limit": "resource limits", "timer": "timers",
                   "traps": "floating-point mode (traps)"}
        for what, said in changes.items():
            for answer in (at_load("load", what), at_load("entry", what), run("create", what), run("shape", what),
                           run("compute", what)):
                with self.subTest(what=what):
                    self.assertEqual(answer[:2], (0, RESULT))  # the result shows what its kernel finds changed
                    self.assertIn(f"changed the {said}", answer[3])
        self.assertEqual(run("compute", "flush_to_zero", "--repeat=2")[:2], (0, RESULT))

    def test_a_floating_point_mode_ends_with_its_node(self):
        """The next node is not blamed for changes by the one before."""
        for change, after, said in (("traps", "divide", "traps"), ("flush_to_zero", "x", "subnormal numbers")):
            graph = ("opsrun: 1\nnodes:\n  y: {op: Misbehave, attrs: {at: compute, what: %s}}\n"
                     "  z: {op: Misbehave, attrs: {at: compute, what: %s}, after: y}\noutputs: [z]\n" % (change, after))
            for options in (("--threads=1",), ("--threads=2",), ("--threads=1", "--repeat=3")):
                with self.subTest(change=change, options=options):
                    status, results, _, stderr = run("", "", *options, graph=graph)
                    self.assertEqual((status, results), (0, RESULT), stderr)
                    self.assertIn(f"node 'y' of plugin 'misbehaves' changed the floating-point mode ({said}); opsrun set it back",
                                  stderr)

    @unittest.skipUnless(os.uname().machine == "x86_64", "only this processor has two units")
    def test_what_the_other_unit_keeps_is_found_after_the_nodes(self):
        graph = ("opsrun: 1\nnodes:\n  y: {op: Misbehave, attrs: {at: compute, what: precision}}\n"
                 "  z: {op: Misbehave, attrs: {at: none, what: x}, after: y}\noutputs: [z]\n")
        status, _, _, stderr = run("", "", "--threads=1", graph=graph)
        self.assertEqual(status, 0)
        self.assertIn("one of the nodes 'y' to 'z' changed the floating-point mode (precision)", stderr)

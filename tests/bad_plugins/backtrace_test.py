"""backtrace_test.py: reports of crashes say where in the plugin.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import misbehaves_test
from built import BAD_PLUGINS, BUILD, OPSRUN, ROOT, SANITIZED

HERE = ROOT / "tests/bad_plugins"
SOURCE = (HERE / "misbehaves.cc").read_text(encoding="utf-8")
PLACES = (HERE / "crash_places.h").read_text(encoding="utf-8")
DO = "(anonymous namespace)::Do(std::string const&)"
COMPUTE = "(anonymous namespace)::Compute(void*, opsrun_call*)"


def line_of(text, source=SOURCE):
    return source[:source.index(text)].count("\n") + 1


@unittest.skipIf(SANITIZED, "sanitizers report crashes themselves")
@unittest.skipUnless((BUILD / "libexec/opsrun/opsrun-backtrace").exists(), "this build has no backtraces")
class Backtrace(unittest.TestCase):
    def trace(self, what, *options, at="compute", plugin="with_debug_information", code="R406", **more):
        """The frames of the one error."""
        answer = misbehaves_test.run(at, what, *options, plugin=BAD_PLUGINS / "traced" / f"{plugin}.so", **more)
        errors = [each for each in answer[2] if each["level"] == "error"]
        self.assertEqual([each["code"] for each in errors], [code], answer[3])
        self.message = errors[0]["message"]
        self.notes = errors[0]["notes"]
        return errors[0].get("backtrace", [])

    def expect(self, frames, *functions):
        self.assertEqual([frame["function"] for frame in frames], list(functions), frames)
        for frame in frames:
            self.assertEqual(os.path.basename(frame["module"]), "misbehaves.so")

    def expect_place(self, frame, text, source=SOURCE):
        self.assertEqual((os.path.basename(frame["file"]), frame["line"]),
                         ("misbehaves.cc" if source is SOURCE else "crash_places.h", line_of(text, source)))

    def test_function_file_and_line(self):
        for what in ("segv", "ill", "fpe", "abort", "terminate"):
            with self.subTest(what=what):
                frames = self.trace(what)
                self.expect(frames, DO, COMPUTE)
                self.expect_place(frames[0], f'if (what == "{what}")')
                self.expect_place(frames[1], 'if (kernel.at == "compute")')
                self.assertEqual(frames[0]["text"], f"{DO} at {frames[0]['file']}:{frames[0]['line']}")

    def test_an_exception_that_cannot_be_caught(self):
        frames = self.trace("noexcept")
        self.assertEqual(frames[0]["function"], "(anonymous namespace)::Throw()")
        self.expect(frames[-2:], DO, COMPUTE)

    def test_calls_that_end_the_program(self):
        for what in ("exit", "_exit", "_Exit", "quick_exit", "pthread_exit"):
            with self.subTest(what=what):
                frames = self.trace(what, code="R407")
                self.expect(frames, DO, COMPUTE)
                self.expect_place(frames[0], f'if (what == "{what}")')
        frames = self.trace("quiet_err", code="R407")
        self.expect(frames[-2:], DO, COMPUTE)
        self.assertEqual(self.trace("thread_exit", code="R407")[0]["line"], line_of('if (what == "thread_exit")'))

    def test_what_is_inlined_has_a_frame(self):
        frames = self.trace("inlined")
        self.expect(frames, "WriteAt", "(anonymous namespace)::WriteThroughInlined()",
                    "(anonymous namespace)::CrashAtPlace(std::string const&)", DO, COMPUTE)
        self.expect_place(frames[0], "*place = 1", PLACES)
        self.expect_place(frames[1], "WriteAt(reinterpret_cast", PLACES)
        self.assertIn("SIGSEGV, an invalid memory access at address 0x12340", self.message)

    def test_a_null_pointer(self):
        self.trace("segv")
        self.assertTrue(self.message.endswith("at address 0x0, a null pointer"), self.message)

    def test_without_symbols_there_is_the_place_in_the_file(self):
        frames = self.trace("segv", plugin="without_symbols")
        self.assertEqual(len(frames), 2)
        for frame in frames:
            self.assertRegex(frame["text"], r"^0x[0-9a-f]+ in misbehaves\.so$")
            self.assertEqual((frame["function"], frame["file"], frame["line"]), (None, None, None))

    def test_on_other_threads(self):
        self.assertEqual(self.trace("thread_segv")[0]["function"], DO)
        for at in ("compute", "loop"):
            with self.subTest(at=at):
                frames = self.trace("segv", "--threads=2", at=at)
                self.assertEqual(frames[0]["function"], DO)
                self.assertEqual(os.path.basename(frames[-1]["module"]), "misbehaves.so")

    def test_of_an_infinite_recursion_the_middle_is_left_out(self):
        frames = self.trace("overflow")
        self.assertIn("a stack overflow", self.message)
        self.assertEqual(len(frames), 32)
        left_out = [frame for frame in frames if frame["left_out"] > 0]
        self.assertEqual(len(left_out), 1)
        self.assertRegex(left_out[0]["text"], r"^\.\.\. [\d,]+ frames like these$")
        self.assertIsNone(left_out[0]["function"])
        self.assertGreater(left_out[0]["left_out"], 100)
        self.assertEqual(frames[0]["function"], "(anonymous namespace)::Overflow(char volatile*)")
        self.expect(frames[-2:], DO, COMPUTE)

    def test_a_call_of_nothing(self):
        frames = self.trace("call_nothing")
        self.expect(frames, "(anonymous namespace)::CallNothing()", "(anonymous namespace)::CrashAtPlace(std::string const&)",
                    DO, COMPUTE)
        self.assertIn("a null pointer", self.message)

    def test_a_stack_that_is_lost(self):
        self.expect(self.trace("lose_stack"), "(anonymous namespace)::LoseStack()")
        self.assertEqual(self.trace("smash_stack")[0]["function"], "(anonymous namespace)::SmashStack()")

    def test_a_stack_at_the_end_of_the_addresses(self):
        libc, without_randomization = ctypes.CDLL(None), 0x0040000
        before = libc.personality(0xFFFFFFFF)
        libc.personality(before | without_randomization)
        try:
            self.expect(self.trace("segv", "--threads=1"), DO, COMPUTE)
        finally:
            libc.personality(before)

    def test_closed_descriptors(self):
        frames = self.trace("close_all")
        self.expect(frames, "(anonymous namespace)::CrashAtPlace(std::string const&)", DO, COMPUTE)

    def test_a_file_that_is_gone(self):
        """Its functions are not known, and those of a file that has taken its place would be wrong."""
        for what in ("remove_file", "rewritten"):
            with self.subTest(what=what):
                for frame in self.trace(what):
                    self.assertIsNone(frame["function"])
                    self.assertRegex(frame["text"], r"^0x[0-9a-f]+ in misbehaves\.so")

    def test_names_do_not_write_to_the_terminal(self):
        frames = self.trace("hostile_name")
        self.assertEqual(os.path.basename(frames[0]["file"]), "evil?[31m?name.cc")
        for error_format in ("human", "short"):
            printed = misbehaves_test.run("compute", "hostile_name", error_format=error_format,
                                          plugin=BAD_PLUGINS / "traced/with_debug_information.so")[3]
            self.assertIn("evil?[31m?name.cc:8\n", printed)
            self.assertNotIn("\x1b", printed)

    def test_people_read_lines(self):
        for error_format, indent in {"human": " {6}", "short": " {4}"}.items():
            with self.subTest(error_format=error_format):
                printed = misbehaves_test.run("compute", "segv", error_format=error_format,
                                              plugin=BAD_PLUGINS / "traced/with_debug_information.so")[3]
                lines = "".join(f"{indent}{re.escape(function)} at .*misbehaves.cc:\\d+\n" for function in (DO, COMPUTE))
                self.assertRegex(printed, f" backtrace:\n{lines}$")

    def test_elsewhere(self):
        for place in ("shape", "create", "destroy"):
            with self.subTest(place=place):
                self.assertEqual(self.trace("segv", at=place)[0]["function"], DO)
        for place in ("load", "entry", "shutdown"):
            with self.subTest(place=place):
                frames = self.trace("segv", at="none", code="R406" if place == "shutdown" else "P106",
                                    environment={"MISBEHAVE": f"{place}:segv"})
                self.assertEqual(frames[0]["function"], DO)

    def test_where_it_was_busy_at_the_timeout(self):
        for place in ("create", "compute"):
            with self.subTest(place=place):
                functions = [frame["function"] for frame in self.trace("hang", "--timeout=4s", at=place, code="R403")]
                self.assertIn(DO, functions)

    def test_what_debug_an_op_shows(self):
        """OPSRUN_UPDATE=1 writes it."""
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BAD_PLUGINS / "debugged", os.path.join(folder, "plugins"))
            for each in ("crash", "hang", "wrong", "nan", "leak"):
                shutil.copy(HERE / f"weigh_{each}.yaml", folder)
            for name, words in {"weigh_crash.out": ("weigh_crash.yaml", "--plugins", "plugins"),
                                "weigh_hang.out": ("weigh_hang.yaml", "--plugins", "plugins", "--timeout", "1s"),
                                "weigh_wrong.out": ("weigh_wrong.yaml", "--plugins", "plugins", "--check-memory"),
                                "weigh_nan.out": ("weigh_nan.yaml", "--plugins", "plugins", "--nan-check"),
                                "weigh_full.out": ("weigh_leak.yaml", "--plugins", "plugins", "--repeat", "10000",
                                                   "--memory-limit", "20M"),
                                "weigh_leak.out": ("weigh_leak.yaml", "--plugins", "plugins", "--repeat", "100", "--check-memory"),
                                "weigh_kept.out": ("weigh_crash.yaml", "--plugins", "plugins", "--repro-dir", "crash"),
                                "weigh_replayed.out": ("crash", "--error-format", "short")}.items():
                with self.subTest(name=name):
                    done = subprocess.run([OPSRUN, "run", *words], cwd=folder, capture_output=True, text=True, timeout=120,
                                          check=False)
                    self.expect_shown(name, re.sub(r"(?m)^ok: .*\n", "", done.stderr))  # which has times
            self.expect_shown("weigh_kept.yaml", pathlib.Path(folder, "crash/graph.yaml").read_text(encoding="utf-8"))

    def expect_shown(self, name, text):
        if os.environ.get("OPSRUN_UPDATE"):
            (HERE / name).write_text(text, encoding="utf-8")
        self.assertEqual(text, (HERE / name).read_text(encoding="utf-8"))


class Inputs(unittest.TestCase):
    def test_a_crash_tells_types_shapes_and_device(self):
        graph = ("opsrun: 1\nfeeds:\n  x: {value: [[1, 2, 3]], dtype: int16}\nnodes:\n"
                 "  z: {op: MisbehaveWith, in: x, attrs: {at: compute, what: abort}}\noutputs: [z]\n")
        answer = misbehaves_test.run("", "", graph=graph)
        self.assertIn("inputs: int16 [1, 3]; device: cpu", answer[2][-1]["notes"], answer[3])


if __name__ == "__main__":
    unittest.main()

"""gates_test.py: once a level is frozen, the gates detect every change to it, and accept additions.

Works on a copy of the header, and on a copy of the changelog that declares its level frozen.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import shutil
import sys

import draft
import gates
from built import ROOT
from contract_changes import ADDITIONS, BREAKS, changed
from in_folder import FolderTest

COMPILER = "gcc"
GATES = pathlib.Path(gates.__file__)
TEXT = (ROOT / "sdk/include/opsrun/c_api.h").read_text()


class Gates(FolderTest):
    def setUp(self):
        super().setUp()
        self.header, self.changelog = self.folder / "c_api.h", self.folder / "CHANGELOG.md"
        self.levels = self.folder / "levels"
        self.levels.mkdir()
        self.header.write_text(TEXT)
        self.take_snapshot("level_1")

    def take_snapshot(self, level):
        """Of a level that may be declared frozen."""
        gates.update(self.header, COMPILER, self.levels / level)
        shutil.copy(self.header, self.levels / level / "c_api.txt")

    def call_gates(self, *options):
        return self.call(sys.executable, "-B", GATES, *options, "--changelog", self.changelog, self.header, COMPILER, self.levels)

    def gate(self, text, said="**Level 1 is frozen.**"):
        """The exit status and the output for a header with this text."""
        self.header.write_text(text)
        self.changelog.write_text(f"# Changelog\n\n{said}\n")
        done = self.call_gates()
        return done.returncode, done.stdout + done.stderr

    def test_the_header_itself_passes(self):
        self.assertEqual(self.gate(TEXT), (0, "level 1, frozen: ok\n"))
        self.assertEqual(self.gate(TEXT, "**Level 1 is not frozen.**"), (0, "level 1, a draft: ok\n"))

    def test_every_break_is_noticed(self):
        for what, replacement in BREAKS.items():
            with self.subTest(what):
                status, printed = self.gate(changed(TEXT, replacement))
                self.assertEqual(status, 1, printed)
                self.assertRegex(printed, "lost: |changed: |list|does not compile|had ")

    def test_a_line_that_moves_is_lost(self):
        lines = TEXT.splitlines(keepends=True)
        [at] = [i for i, line in enumerate(lines) if line.startswith("#define OPSRUN_TEMP_PINNED")]
        lines.insert(at - 1, lines.pop(at))
        self.assertEqual(self.gate("".join(lines))[0], 1)

    def assert_is_a_level_2(self, text):
        self.header.write_text(text)
        self.take_snapshot("level_2")
        self.assertEqual(self.gate(text), (0, "level 1, frozen: ok\nlevel 2, a draft: ok\n"))

    def test_additions_pass_in_the_next_level(self):
        for what, replacement in ADDITIONS.items():
            with self.subTest(what):
                self.assert_is_a_level_2(re.sub(r"#define OPSRUN_LEVEL 1u", "#define OPSRUN_LEVEL 2u", changed(TEXT, replacement)))

    def test_slots_and_fields_at_the_end_pass_too(self):
        self.assert_is_a_level_2(draft.draft(TEXT))
        layout = gates.read_layout(self.levels / "level_2/layout.txt")[1]
        for line in ("opsrun_host 232", "opsrun_host.output_is_used 224 8 #1", "opsrun_kernel.optional_outputs 136 8 #1",
                     "opsrun_note_plugin.fp_kernel_2 140 4 #26"):
            self.assertIn(line, layout)

    def test_once_both_are_frozen_neither_changes(self):
        text, frozen = draft.draft(TEXT), "**Level 1 is frozen.**\n**Level 2 is frozen.**"
        self.assert_is_a_level_2(text)
        self.assertEqual(self.gate(text, frozen), (0, "level 1, frozen: ok\nlevel 2, frozen: ok\n"))
        for old, new in [("(*output_is_used)(opsrun_call* call, uint32_t i);", "(*output_is_used)(opsrun_call* call);"),
                         ("uint64_t optional_outputs;", "uint32_t optional_outputs, other;"),
                         ("opsrun_str op, device, label;", "opsrun_str op, label, device;")]:
            with self.subTest(new):
                self.assertEqual(text.count(old), 1)
                self.assertEqual(self.gate(text.replace(old, new), frozen)[0], 1)

    def test_any_change_of_a_draft_asks_for_a_new_snapshot(self):
        for what, replacement in {**BREAKS, "a comment": ADDITIONS["a comment"]}.items():
            with self.subTest(what):
                status, printed = self.gate(changed(TEXT, replacement), "**Level 1 is not frozen.**")
                self.assertEqual(status, 1, printed)

    def test_a_missing_snapshot_fails(self):
        for name in ("c_api.txt", "layout.txt"):
            with self.subTest(name):
                (self.levels / "level_1" / name).rename(self.folder / "away")
                self.assertEqual(self.gate(TEXT)[0], 1)
                (self.folder / "away").rename(self.levels / "level_1" / name)

    def test_another_snapshot_than_that_of_the_draft_fails(self):
        (self.levels / "level_1/c_api.txt").write_text(changed(TEXT, ADDITIONS["a comment"]))
        self.assertIn("c_api.txt has changed", self.gate(changed(TEXT, ADDITIONS["a comment"]))[1])

    def test_a_frozen_level_gets_no_new_snapshot(self):
        self.changelog.write_text("**Level 1 is frozen.**")
        done = self.call_gates("--update")
        self.assertIn("its snapshot never changes", done.stderr)
        self.assertNotEqual(done.returncode, 0)

"""gates_test.py: once a level is frozen, the gates detect every change to it, and accept additions; abidiff agrees about the
types; and its witnesses stay.

Works on a copy of the header, and on a copy of the changelog that declares its level frozen.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import draft
import gates
import signatures
from built import OPSRUN, ROOT
from in_folder import FolderTest

COMPILER = "gcc"
HERE = ROOT / "tests/abi"
TEXT = (ROOT / "sdk/include/opsrun/c_api.h").read_text()

# Changes that a frozen level must not have: old text, new text.
BREAKS = {
    "a field moves": ("opsrun_str op, device, label;", "opsrun_str op, label, device;"),
    "a field changes its type": ("uint64_t run_id;", "int64_t run_id;"),
    "a field is inserted": ("  int32_t rank; /* 0 to", "  int32_t level;\n  int32_t rank; /* 0 to"),
    "a field of a growing struct is inserted": ("  const opsrun_host* host;\n  void* stream;  ",
                                                "  const opsrun_host* host;\n  void* other;\n  void* stream;  "),
    "a field is removed": ("  uint64_t byte_offset; /* 0 */\n", ""),
    "a field is renamed": ("uint64_t forwardable;", "uint64_t forwards;"),
    "slots change places": ("  int32_t (*num_threads)(opsrun_call* call);\n", ""),
    "a parameter changes": ("(*string_swap)(const opsrun_tensor* t, uint64_t i, uint64_t j)",
                            "(*string_swap)(const opsrun_tensor* t, uint32_t i, uint64_t j)"),
    "parameters change places": ("int64_t n, int64_t unit_cost_ns, opsrun_range_fn", "int64_t unit_cost_ns, int64_t n, opsrun_range_fn"),
    "an answer changes": ("  void (*release)(const opsrun_tensor* t);", "  int32_t (*release)(const opsrun_tensor* t);"),
    "a number changes": ("#define OPSRUN_DT_HALF 19 ", "#define OPSRUN_DT_HALF 20 "),
    "a flag changes": ("#define OPSRUN_TENSOR_HOST 4u", "#define OPSRUN_TENSOR_HOST 16u"),
    "a number goes": ("#define OPSRUN_ABORTED 10", "#define OPSRUN_GAVE_UP 10"),
    "a limit changes": ("#define OPSRUN_MAX_RANK 64", "#define OPSRUN_MAX_RANK 32"),
    "a promise changes": ("text and subject are copied", "text and subject are borrowed"),
    "a thread rule changes": ("Nested calls run inline. Returns the first failure. [call*] */",
                              "Nested calls run inline. Returns the first failure. [call] */"),
    "the entry is renamed": ('#define OPSRUN_ENTRY_NAME "opsrun_plugin_v1"', '#define OPSRUN_ENTRY_NAME "opsrun_plugin"'),
    "a note changes its type": ("#define OPSRUN_NOTE_OP 0x4F500103u", "#define OPSRUN_NOTE_OP 0x4F500104u"),
    "the note loses a text": ("char sdk_version[16], compiler[32];", "char sdk_version[32], compiler[16];"),
    "a size of level 1 grows": ("#define OPSRUN_LEVEL_1_SIZE_OP 168u", "#define OPSRUN_LEVEL_1_SIZE_OP 176u"),
    "a list loses a field": (" F(opsrun_op, gradient, 19u)", ""),
    "a list has a field twice": ("F(opsrun_call, lane, 12u)", "F(opsrun_call, lane, 12u) F(opsrun_call, lane, 13u)"),
    "a fingerprint is made in another way": ("* 31u + (uint32_t)sizeof", "* 37u + (uint32_t)sizeof"),
}

# Changes that a later level may have.
ADDITIONS = {
    "a comment": ("/* ======================================================================= Notes",
                  "/* More is said here. */\n/* ======================================================================= Notes"),
    "a data type": ("#define OPSRUN_DT_FLOAT4_E2M1FN 33", "#define OPSRUN_DT_NEW 34\n#define OPSRUN_DT_FLOAT4_E2M1FN 33"),
    "a flag": ("#define OPSRUN_CALL_CAPTURING 1u", "#define OPSRUN_CALL_NEW 2u\n#define OPSRUN_CALL_CAPTURING 1u"),
    "a named interface": ('#define OPSRUN_CUDA_1 "opsrun.cuda/1"',
                          '#define OPSRUN_NEW_1 "opsrun.new/1"\n#define OPSRUN_CUDA_1 "opsrun.cuda/1"'),
}


def changed(text, replacement):
    old, new = replacement
    if text.count(old) != 1:
        raise AssertionError(f"{old!r} is {text.count(old)} times in the header")
    return text.replace(old, new)


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
        return self.call(sys.executable, "-B", gates.__file__, *options, "--changelog", self.changelog, self.header, COMPILER, self.levels)

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

    def test_a_signature_of_a_draft_has_another_number_once_it_changes(self):
        changed_text = changed(TEXT, BREAKS["a parameter changes"])
        status, printed = self.gate(changed_text, "")
        self.assertEqual(status, 1)
        self.assertIn("a signature has changed, but not its number", printed)
        numbers = [re.findall(r"S\(opsrun_host, .*?, (0x\w+)u\)", signatures.with_numbers(text)) for text in (TEXT, changed_text)]
        self.assertNotEqual(*numbers)
        self.assertEqual(signatures.with_numbers(TEXT), TEXT)

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
        for line in ("opsrun_host 256", "opsrun_host.node_name 248 8 #1", "opsrun_kernel.most_threads 144 8 #1",
                     "opsrun_note_plugin.fp_kernel_2 148 4 #27"):
            self.assertIn(line, layout)

    def test_once_both_are_frozen_neither_changes(self):
        text, frozen = draft.draft(TEXT), "**Level 1 is frozen.**\n**Level 2 is frozen.**"
        self.assert_is_a_level_2(text)
        self.assertEqual(self.gate(text, frozen), (0, "level 1, frozen: ok\nlevel 2, frozen: ok\n"))
        for old, new in [("(*node_name)(opsrun_call* call, opsrun_str* name);", "(*node_name)(opsrun_call* call);"),
                         ("uint64_t most_threads;", "uint32_t most_threads, other;"),
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


# Changes that it cannot detect: names and meanings that are not types.
NOT_SEEN = {"parameters change places", "a number changes", "a flag changes", "a number goes", "a limit changes",
            "a promise changes", "a thread rule changes", "the entry is renamed", "a note changes its type",
            "a size of level 1 grows", "a list loses a field", "a list has a field twice",
            "a fingerprint is made in another way"}


@unittest.skipUnless(shutil.which("abidiff"), "abidiff is not installed (package abigail-tools)")
class SecondOpinion(FolderTest):
    """abidiff finds no difference between the types of each level then and now: with OPSRUN_USE_LEVEL, a header of a later
    level declares exactly the types of the earlier one."""

    def library(self, header, level):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "c_api.h").write_text(header)
        words = ["gcc", "-g", "-O0", "-shared", "-fPIC", "-w", f"-DOPSRUN_USE_LEVEL={level}", "-I", folder]
        self.call(*words, HERE / "witness/types.c", "-o", folder / "types.so").check_returncode()
        return folder / "types.so"

    def differences(self, old, new, level=1):
        """The output of abidiff; empty if the two headers declare the same types at this level."""
        done = self.call("abidiff", "--harmless", self.library(old, level), self.library(new, level))
        self.assertIn(done.returncode, (0, 4), done.stderr)  # 4: there are differences
        return done.stdout if done.returncode else ""

    def test_each_level_is_as_it_was(self):
        for folder in HERE.glob("level_*"):
            with self.subTest(folder.name):
                level = int(folder.name.removeprefix("level_"))
                self.assertEqual(self.differences(gates.header_of(folder).read_text(), TEXT, level), "")

    def test_a_later_level_leaves_an_earlier_one_alone(self):
        self.assertEqual(self.differences(TEXT, draft.draft(TEXT)), "")
        self.assertIn("node_name", self.differences(TEXT.replace("OPSRUN_LEVEL 1u", "OPSRUN_LEVEL 2u"),
                                                         draft.draft(TEXT), level=2))

    def test_changes_of_types_are_seen(self):
        for what, replacement in BREAKS.items():
            with self.subTest(what):
                self.assertEqual(self.differences(TEXT, changed(TEXT, replacement)) != "", what not in NOT_SEEN)


class Witnesses(FolderTest):
    """Once a level is frozen, its witnesses must exist, and be those that were built then."""

    def test_frozen_ones_stay_as_they_are(self):
        root = self.folder
        shutil.copytree(HERE, root / "tests/abi", ignore=shutil.ignore_patterns("witnesses"))
        header = root / "sdk/include/opsrun/c_api.h"
        header.parent.mkdir(parents=True)
        shutil.copy(ROOT / header.relative_to(root), header)
        changelog = root / "CHANGELOG.md"
        changelog.write_text("**Level 1 is not frozen.**\n")

        def run(*options):
            done = self.call(sys.executable, "-B", root / "tests/abi/witnesses.py", OPSRUN, *options)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout

        status, printed = run("--keep")
        self.assertEqual(status, 0, printed)
        changelog.write_text("**Level 1 is frozen.**\n")
        self.assertEqual(run(), (0, printed.replace("a draft", "frozen")))
        witness = root / "tests/abi/level_1/witnesses/c_gcc.so"
        built = witness.read_bytes()
        witness.write_bytes(built + b"\0")
        status, printed = run()
        self.assertEqual((status, printed.splitlines()[0]), (1, "level 1, frozen, c_gcc: it was built again"))
        witness.unlink()
        status, printed = run("--keep")
        self.assertEqual(status, 1)
        self.assertIn("c_gcc: it is missing", printed)
        self.assertFalse(witness.exists())

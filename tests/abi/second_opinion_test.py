"""second_opinion_test.py: abidiff finds no difference between the types of each level then and now.

With OPSRUN_USE_LEVEL, a header of a later level declares exactly the types of the earlier one.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import shutil
import sys
import tempfile

import contract_changes
import draft
import gates
from built import ROOT
from in_folder import FolderTest

HEADER = ROOT / "sdk/include/opsrun/c_api.h"
HERE = ROOT / "tests/abi"

if shutil.which("abidiff") is None:
    print("SKIPPED: abidiff is not installed (package abigail-tools)")
    sys.exit(77)

# Changes that it cannot detect: names and meanings that are not types.
NOT_SEEN = {"parameters change places", "a number changes", "a flag changes", "a number goes", "a limit changes",
            "a promise changes", "a thread rule changes", "the entry is renamed", "a note changes its type",
            "a size of level 1 grows", "a list loses a field", "a list has a field twice",
            "a fingerprint is made in another way"}


class SecondOpinion(FolderTest):
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
                self.assertEqual(self.differences(gates.header_of(folder).read_text(), HEADER.read_text(), level), "")

    def test_a_later_level_leaves_an_earlier_one_alone(self):
        text = HEADER.read_text()
        self.assertEqual(self.differences(text, draft.draft(text)), "")
        self.assertIn("output_is_used", self.differences(text.replace("OPSRUN_LEVEL 1u", "OPSRUN_LEVEL 2u"),
                                                         draft.draft(text), level=2))

    def test_changes_of_types_are_seen(self):
        text = HEADER.read_text()
        for what, replacement in contract_changes.BREAKS.items():
            with self.subTest(what):
                changed = contract_changes.changed(text, replacement)
                self.assertEqual(self.differences(text, changed) != "", what not in NOT_SEEN)

"""second_opinion_test.py: abidiff finds no difference between the types of each level then and now.

usage: second_opinion_test.py C_API_H COMPILER [unittest's arguments]      exit status 77: there is no abidiff

With OPSRUN_USE_LEVEL, a header of a later level declares exactly the types of the earlier one.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import contract_changes
import draft
import gates

HEADER, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent

# Changes that it cannot detect: names and meanings that are not types.
NOT_SEEN = {"parameters change places", "a number changes", "a flag changes", "a number goes", "a limit changes",
            "a promise changes", "a thread rule changes", "the entry is renamed", "a note changes its type",
            "a size of level 1 grows", "a list loses a field", "a list has a field twice",
            "a fingerprint is made in another way"}


class SecondOpinion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def library(self, header, level):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "c_api.h").write_text(header)
        words = [COMPILER, "-g", "-O0", "-shared", "-fPIC", "-w", f"-DOPSRUN_USE_LEVEL={level}", "-I", folder]
        subprocess.run([*words, HERE / "witness/types.c", "-o", folder / "types.so"], check=True)
        return folder / "types.so"

    def differences(self, old, new, level=1):
        """The output of abidiff; empty if the two headers declare the same types at this level."""
        done = subprocess.run(["abidiff", "--harmless", self.library(old, level), self.library(new, level)],
                              capture_output=True, text=True, check=False)
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


if __name__ == "__main__":
    if shutil.which("abidiff") is None:
        print("SKIPPED: abidiff is not installed (package abigail-tools)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

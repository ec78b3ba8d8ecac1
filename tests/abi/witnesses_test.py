"""witnesses_test.py: once a level is frozen, its witnesses must exist, and be those that were built then.

SPDX-License-Identifier: Apache-2.0
"""

import shutil
import sys

from built import OPSRUN, ROOT
from in_folder import FolderTest


class Witnesses(FolderTest):
    def test_frozen_ones_stay_as_they_are(self):
        root = self.folder
        shutil.copytree(ROOT / "tests/abi", root / "tests/abi", ignore=shutil.ignore_patterns("witnesses"))
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

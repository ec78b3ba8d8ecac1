"""witnesses_test.py: once a level is frozen, its witnesses must exist, and be those that were built then.

usage: witnesses_test.py OPSRUN [unittest's arguments]

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OPSRUN = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Witnesses(unittest.TestCase):
    def test_frozen_ones_stay_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(ROOT / "tests/abi", root / "tests/abi", ignore=shutil.ignore_patterns("witnesses"))
            header = root / "sdk/include/opsrun/c_api.h"
            header.parent.mkdir(parents=True)
            shutil.copy(ROOT / header.relative_to(root), header)
            changelog = root / "CHANGELOG.md"
            changelog.write_text("**Level 1 is not frozen.**\n")

            def run(*options):
                done = subprocess.run([sys.executable, "-B", root / "tests/abi/witnesses.py", OPSRUN, *options],
                                      capture_output=True, text=True, check=False)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

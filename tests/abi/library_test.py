"""library_test.py: what libopsrun.so shows to programs: the functions of embed.h, of version OPSRUN_1, and its soname.

usage: library_test.py LIBRARY EMBED_H READELF NM

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys
import unittest

LIBRARY, EMBED_H, READELF, NM = sys.argv[1:5]


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


class Library(unittest.TestCase):
    def test_exports_the_functions_of_the_header_and_nothing_else(self):
        with open(EMBED_H, encoding="utf-8") as file:
            declared = re.findall(r"^OPSRUN_EXPORT [\w ]+?[ *]+(opsrun_\w+)\(", file.read(), re.M)
        self.assertGreater(len(declared), 40)
        exported = [line.split()[-1] for line in output_of(NM, "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertEqual(sorted(exported), sorted(["OPSRUN_1"] + [f"{name}@@OPSRUN_1" for name in declared]))

    def test_has_its_soname(self):
        self.assertIn("Library soname: [libopsrun.so.1]", output_of(READELF, "-d", LIBRARY))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

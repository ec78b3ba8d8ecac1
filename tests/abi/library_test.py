"""library_test.py: libopsrun.so exports the functions of its headers, with version OPSRUN_1, and has the right soname.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import unittest

from built import LIBRARY, ROOT


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


class Library(unittest.TestCase):
    def test_exports_the_functions_of_the_headers_and_nothing_else(self):
        headers = (ROOT / "host/embed/include/opsrun").glob("*.h")
        text = "".join(header.read_text(encoding="utf-8") for header in headers)
        declared = re.findall(r"^OPSRUN_EXPORT [\w ]+?[ *]+(opsrun_\w+)\(", text, re.M)
        self.assertGreater(len(declared), 40)
        exported = [line.split()[-1] for line in output_of("nm", "-D", "--defined-only", LIBRARY).splitlines()]
        self.assertEqual(sorted(exported), sorted(["OPSRUN_1"] + [f"{name}@@OPSRUN_1" for name in declared]))

    def test_has_its_soname(self):
        self.assertIn("Library soname: [libopsrun.so.1]", output_of("readelf", "-d", LIBRARY))

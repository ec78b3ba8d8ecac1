"""failure_modes_test.py: failure_modes.md names every mode once, and nothing that does not exist.

SPDX-License-Identifier: Apache-2.0
"""

import re
import unittest

from built import ROOT

HERE = ROOT / "tests/bad_plugins"
MODES = 41
LEAST_PROVOKED = 35
ROWS = [[cell.strip() for cell in line.strip("|\n").split("|")]
        for line in (HERE / "failure_modes.md").read_text().splitlines() if line.startswith("| ") and not line.endswith("| shown by |")]
SOURCES = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*")
                    if path.suffix == ".cc" or path.name == "CMakeLists.txt")


def exists(name):
    """Whether there is a file or a test of this name."""
    if name.endswith(".so"):
        return f"\n{name}: " in "\n" + (HERE / "refused.out").read_text()
    suite, test = name.split(".")[-2:]
    if re.search(rf"TEST(_F|_P)?\({suite},\s*{test}\)", SOURCES) or re.search(rf"NAME {re.escape(name)}\b", SOURCES):
        return True
    if re.search(rf"NAME {re.escape(name)}\$", SOURCES):  # a variable follows
        return True
    return name.startswith("graphs.") and (ROOT / f"tests/graphs/{test}.yaml").exists()


class FailureModes(unittest.TestCase):
    def test_every_mode_has_a_line(self):
        modes = [row[0] for row in ROWS if re.fullmatch(r"F\d+", row[0])]
        self.assertEqual(modes, [f"F{i}" for i in range(1, MODES + 1)])

    def test_most_can_be_provoked(self):
        not_provoked = [row[0] for row in ROWS if row[-2] == "not provoked"]
        self.assertGreaterEqual(MODES - len(not_provoked), LEAST_PROVOKED, not_provoked)

    def test_every_name_exists(self):
        for row in ROWS:
            names = [name for name in re.findall(r"`([^`]+)`", row[-1]) if re.fullmatch(r"[\w.]+", name) and "." in name]
            self.assertTrue(names or row[-2] == "not provoked", row)
            for name in names:
                self.assertTrue(exists(name), f"{row[0]}: {name}")

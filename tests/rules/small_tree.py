"""small_tree.py: a tree of files in a folder of its own, for the tests of the rules.

SPDX-License-Identifier: Apache-2.0
"""

import os
import tempfile
import unittest


class SmallTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, content):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def assert_finds(self, check, *parts):
        """One problem, which holds all the parts."""
        problems = check(self.root)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def assert_refuses(self, check, *rows):
        """A row is a path, its content, and parts of the one problem that this file causes in the tree."""
        for path, content, *parts in rows:
            with self.subTest(path=path, content=content):
                full = os.path.join(self.root, path)
                before = self.read(path) if os.path.isfile(full) else None
                self.write(path, content)
                try:
                    self.assert_finds(check, path, *parts)
                finally:
                    os.remove(full) if before is None else self.write(path, before)

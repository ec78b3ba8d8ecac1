"""small_tree.py: a tree of files in a folder of its own, for the tests of the rules.

SPDX-License-Identifier: Apache-2.0
"""

import os

from in_folder import FolderTest


class SmallTree(FolderTest):
    def setUp(self):
        super().setUp()
        self.root = str(self.folder)

    def read(self, path):
        return (self.folder / path).read_text(encoding="utf-8")

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

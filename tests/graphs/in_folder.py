"""in_folder.py: the base of tests that need a folder.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import tempfile
import unittest


class FolderTest(unittest.TestCase):
    """Each test has an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))

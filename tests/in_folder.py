"""in_folder.py: the base of tests that need a folder.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

import built


class FolderTest(unittest.TestCase):
    """Each test has an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(folder.name))

    def write(self, name, content):
        """The path of a file in the folder with this text, or these bytes."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def call(self, *words, limit=None, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **environment):
        """A program that runs in the folder, with a limit (a resource and a number) and more variables."""
        return subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, text=text,
                              check=False, timeout=300, env={**os.environ, **environment},
                              preexec_fn=limit and (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))))

    def opsrun(self, *words, **how):
        return self.call(built.OPSRUN, *words, **how)

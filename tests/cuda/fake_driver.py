"""fake_driver.py: programs on the fake driver, for the tests in Python.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import tempfile
import unittest

from built import EMULATED, OPSRUN


def run(words, *libraries, **environment):
    """(exit status, stdout, stderr) of a program that finds libraries in these folders."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "LD_LIBRARY_PATH": ":".join(libraries),
                               **environment})
    return done.returncode, done.stdout, done.stderr


def opsrun(command, *words, libraries=(), plugins=EMULATED, **environment):
    """The same of opsrun, with the plugins for the fake driver unless others are given."""
    return run([OPSRUN, command, "--no-probe", "--no-default-plugins", "--plugins", plugins, *words], *libraries, **environment)


def hide(folder, *libraries):
    """Writes files that are not libraries, to be found before the libraries that are installed."""
    for library in libraries:
        with open(os.path.join(folder, library), "w", encoding="utf-8") as file:
            file.write("not a library")


def hide_cublas(folder):
    hide(folder, *(f"libcublas.so.{version}" for version in (13, 12, 11)))


class Test(unittest.TestCase):
    def graph(self, feeds, nodes, outputs):
        """The path of a graph file."""
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8")
        self.addCleanup(file.close)
        text = json.dumps({"opsrun": 1, "feeds": feeds, "nodes": nodes, "outputs": outputs})
        file.write(text.replace('".nan"', ".nan"))
        file.flush()
        return file.name

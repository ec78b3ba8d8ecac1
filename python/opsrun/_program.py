"""The program opsrun, as a command of a Python environment.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import sys

from opsrun import _plugins


def prefix() -> str:
    """The folder that has bin, lib and share, as an install has them."""
    here = os.path.dirname(os.path.abspath(__file__))
    return here if os.path.isdir(os.path.join(here, "bin")) else os.path.dirname(os.path.dirname(here))


def main() -> None:
    """Becomes the program, which also finds the plugins of other packages."""
    program = os.path.join(prefix(), "bin", "opsrun")
    packaged = _plugins.directories()
    if packaged:
        path = [os.environ["OPSRUN_PLUGIN_PATH"]] if os.environ.get("OPSRUN_PLUGIN_PATH") else []
        os.environ["OPSRUN_PLUGIN_PATH"] = os.pathsep.join(path + packaged)
    os.execv(program, [program, *sys.argv[1:]])

"""Plugins by name, for the tests of all adapters.

SPDX-License-Identifier: Apache-2.0
"""

import os

from opsrun._program import prefix

_OWN = os.path.dirname(os.environ["OPSRUN_ADAPTER_OPS"])
_FOLDERS = (_OWN, os.path.join(_OWN, "../plugins/graph_ops"), os.path.join(prefix(), "lib", "opsrun"))


def path_of(name):
    """The file of a plugin of the tests, or of one that comes with opsrun."""
    return next(path for path in (os.path.join(folder, name + ".so") for folder in _FOLDERS) if os.path.exists(path))


class Libraries:
    """libraries.math_ops is what `load` makes of that plugin's file."""

    def __init__(self, load):
        self._load = load

    def __getattr__(self, name):
        return self._load(path_of(name))

"""The plugins that the tests use, loaded into JAX, and into opsrun's own package.

SPDX-License-Identifier: Apache-2.0
"""

import os

import pytest

import opsrun
import opsrun.jax
from opsrun._program import prefix


def plugin_file(name):
    if name == "adapter_ops":
        return os.environ["OPSRUN_ADAPTER_OPS"]
    places = [os.path.join(prefix(), place, name + ".so") for place in ("lib/opsrun", "tests/plugins/graph_ops")]
    return next(path for path in places if os.path.exists(path))


class Libraries:
    """Plugins by name: libraries.math_ops."""

    def __init__(self, load):
        self._load = load

    def __getattr__(self, name):
        return self._load(plugin_file(name))


@pytest.fixture
def plugins():
    """The files."""
    return Libraries(lambda path: path)


@pytest.fixture
def ops():
    """The plugins in JAX."""
    return Libraries(opsrun.jax.load_op_library)


@pytest.fixture
def here():
    """The same files in opsrun's own package."""
    return Libraries(opsrun.load_op_library)

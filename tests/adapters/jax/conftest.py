"""The plugins that the tests use, loaded into JAX, and into opsrun's own package.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
from libraries import Libraries

import opsrun
import opsrun.jax

plugins = pytest.fixture(lambda: Libraries(str))  # the files
ops = pytest.fixture(lambda: Libraries(opsrun.jax.load_op_library))
here = pytest.fixture(lambda: Libraries(opsrun.load_op_library))  # the same files in opsrun's own package

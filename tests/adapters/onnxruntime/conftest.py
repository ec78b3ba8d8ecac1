"""The plugins that the tests use, loaded into opsrun's own package.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
from libraries import Libraries

import opsrun

plugins = pytest.fixture(lambda: Libraries(str))  # the files
here = pytest.fixture(lambda: Libraries(opsrun.load_op_library))

"""conftest.py: the ops of these tests."""
# SPDX-License-Identifier: Apache-2.0

import os

import opsrun
import pytest
from clusters import PLUGINS


@pytest.fixture(scope="session", autouse=True)
def plugins():
    opsrun.configure([os.path.relpath(PLUGINS)])  # as users may write it

"""The plugins that the tests use, in both packages.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
from libraries import Libraries, path_of

import opsrun
import opsrun.torch

_theirs = Libraries(opsrun.torch.load_op_library)
ops = pytest.fixture(lambda: _theirs.adapter_ops)
same_ops = pytest.fixture(lambda: opsrun.load_op_library(path_of("adapter_ops")))  # in the package opsrun, in this process
gradient_ops = pytest.fixture(lambda: _theirs.test_gradients)
zero_out_so = pytest.fixture(lambda: path_of("zero_out"))
zero_out = pytest.fixture(lambda: _theirs.zero_out.zero_out)
math = pytest.fixture(lambda: _theirs.math_ops)
arrays = pytest.fixture(lambda: _theirs.array_ops)
shapes = pytest.fixture(lambda: _theirs.shape_ops)
lists = pytest.fixture(lambda: _theirs.list_ops)

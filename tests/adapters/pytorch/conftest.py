"""The plugins that the tests use, in both packages.

SPDX-License-Identifier: Apache-2.0
"""

import os

import pytest

import opsrun
import opsrun.torch
from opsrun._program import prefix


def bundled(name):
    return os.path.join(prefix(), "lib", "opsrun", name + ".so")


@pytest.fixture(scope="session")
def ops():
    """The plugin of the tests, in PyTorch."""
    return opsrun.torch.load_op_library(os.environ["OPSRUN_ADAPTER_OPS"])


@pytest.fixture(scope="session")
def same_ops():
    """The same file in the package opsrun, in the same process."""
    return opsrun.load_op_library(os.environ["OPSRUN_ADAPTER_OPS"])


@pytest.fixture(scope="session")
def graph_ops():
    """The ops of a plugin of the other tests, in PyTorch."""
    folder = os.path.join(os.path.dirname(os.environ["OPSRUN_ADAPTER_OPS"]), "../plugins/graph_ops")
    return lambda name: opsrun.torch.load_op_library(os.path.join(folder, name + ".so"))


@pytest.fixture(scope="session")
def zero_out_so():
    return bundled("zero_out")


@pytest.fixture(scope="session")
def zero_out():
    return opsrun.torch.load_op_library(bundled("zero_out")).zero_out


@pytest.fixture(scope="session")
def math():
    return opsrun.torch.load_op_library(bundled("math_ops"))


@pytest.fixture(scope="session")
def arrays():
    return opsrun.torch.load_op_library(bundled("array_ops"))


@pytest.fixture(scope="session")
def lists():
    return opsrun.torch.load_op_library(bundled("list_ops"))

"""built.py: where a build has what the tests in Python need: that of OPSRUN_BUILD, or build/release.

By hand, in tests/graphs: PYTHONPATH=$PWD/.. python3 -m unittest measure_test

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("OPSRUN_BUILD", ROOT / "build/release"))
SANITIZED = os.environ.get("OPSRUN_SANITIZE", "") not in ("", "OFF")
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")

OPSRUN = str(BUILD / "bin/opsrun")
LIBRARY = BUILD / "lib/libopsrun.so.1"
BUNDLED = BUILD / "lib/opsrun"
TEST_PLUGINS = BUILD / "tests/plugins/graph_ops"
BAD_PLUGINS = BUILD / "tests/bad_plugins"
FAKE_CUDA = str(BUILD / "tests/graphs/fake_cuda")  # a driver with two cards, for questions alone
DOUBLE = str(BUILD / "tests/cuda/double")  # the driver of tests/cuda/double
EMULATED = BUILD / "tests/plugins/emulated"  # the bundled plugins for it

"""A C++ program without Python runs a plugin's op in ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import pathlib
import subprocess
import sys

import models
import numpy as np
import onnxruntime
import pytest
from libraries import path_of

import opsrun.onnx

HEADERS = os.environ.get("ONNXRUNTIME_INCLUDE_DIR", f"{sys.prefix}/include/onnxruntime")
LIBRARIES = glob.glob(os.path.dirname(onnxruntime.__file__) + "/capi/libonnxruntime.so.*")
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="this package of ONNX Runtime has no library for programs")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Runs the program with the plugins that opsrun finds in one folder."""
    folder = tmp_path_factory.mktemp("program")
    built, linked = folder / "program", folder / "libonnxruntime.so.1"
    linked.symlink_to(LIBRARIES[0])  # the package has it under its full version only
    subprocess.run(["g++", "-std=c++17", "-isystem", HEADERS, pathlib.Path(__file__).parent / "program.cc", linked,
                    f"-Wl,-rpath,{folder}", "-o", built], check=True)
    library = os.path.join(os.path.dirname(opsrun.onnx.__file__), "libopsrun_onnx.so")

    def run(model, plugin):
        return subprocess.run([built, library, model], capture_output=True, text=True, check=False,
                              env={**os.environ, "OPSRUN_PLUGIN_PATH": os.path.dirname(path_of(plugin))})

    return run


def saved(folder, plugin, op, **kwargs):
    path = folder / "model.onnx"
    path.write_bytes(models.model(plugin, op, [(np.float32, [3])], [(np.float32, [3])], declare=True, **kwargs).SerializeToString())
    return path


def test_a_program_finds_the_plugins(program, tmp_path):
    model = saved(tmp_path, "zero_out", "ZeroOut", attrs={"preserve_index": 1})
    assert program(model, "zero_out").stdout.split() == ["0", "4", "0"]


def test_an_error_names_the_node(program, tmp_path):
    ran = program(saved(tmp_path, "zero_out", "ZeroOut", attrs={"preserve_index": 7}), "zero_out")
    assert ran.returncode == 1
    assert "INVALID_ARGUMENT: zero_out.ZeroOut (node 'node'), attr preserve_index: preserve_index is 7" in ran.stderr

"""Compiled graphs in Python: what a graph file does, they do.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

import numpy as np
import pytest

import opsrun
from opsrun import _program

PROGRAM = os.path.join(_program.prefix(), "bin", "opsrun")
TEXT = """opsrun: 1
feeds:
  x: {dtype: float32, shape: [-1, 2]}
  w: {value: [[1, 2, 3], [4, 5, 6]], dtype: float32}
  axes: {value: [1], dtype: int32}
nodes:
  total: {op: Sum, in: [y, axes]}
  y: {op: MatMul, in: [x, w]}
outputs: [total, y]
"""


@pytest.fixture
def files(tmp_path):
    """A graph file, and the compiled graph."""
    text = tmp_path / "graph.yaml"
    text.write_text(TEXT)
    subprocess.run([PROGRAM, "-q", "compile", text], check=True)
    return text, tmp_path / "graph.opsplan"


def test_runs_and_tells_the_same(files):
    text, compiled = (opsrun.Graph.load(file) for file in files)
    assert [str(spec) for spec in text.feeds + text.outputs] == [str(spec) for spec in compiled.feeds + compiled.outputs]
    for rows in (1, 3):
        x = np.arange(2 * rows, dtype=np.float32).reshape(rows, 2)
        for name, array in text.run(x=x).items():
            np.testing.assert_array_equal(array, compiled.run(x=x)[name])
    assert str(compiled.plan()).replace(".opsplan", ".yaml") == str(text.plan())
    assert compiled.to_yaml() == TEXT
    assert compiled.to_dot().replace(".opsplan", ".yaml") == text.to_dot()
    assert list(opsrun.Graph.check(files[1])) == []


def test_is_differentiated(files):
    gradients = [opsrun.Graph.load(file).differentiate("total", "x") for file in files]
    x = np.ones((2, 2), np.float32)
    results = [graph.run(x=x) for graph in gradients]
    for name, array in results[0].items():
        np.testing.assert_array_equal(array, results[1][name])


def test_errors_have_places_in_its_text(files):
    compiled = opsrun.Graph.load(files[1])
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="graph declares") as caught:
        compiled.run(x=np.ones((2, 3), np.float32))
    assert caught.value.diagnostics[0].line == 3


def test_a_damaged_one_is_refused(files):
    data = bytearray(files[1].read_bytes())
    data[300] ^= 1
    files[1].write_bytes(data)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="it is damaged"):
        opsrun.Graph.load(files[1])

"""locks_test.py: graphs with a lock beside them, which the program writes.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

import pytest

import opsrun
from opsrun import _program

PROGRAM = os.path.join(_program.prefix(), "bin", "opsrun")
TEXT = "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [2]}\nnodes:\n  z: {op: ZeroOut, in: x}\noutputs: [z]\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.yaml"
    path.write_text(TEXT)
    subprocess.run([PROGRAM, "-q", "lock", path], check=True)
    return path


def test_a_graph_loads_as_it_was_locked(file):
    assert list(opsrun.Graph.load(file, frozen=True).run(x=[1, 2])["z"]) == [1, 0]


def test_what_has_changed_is_an_error_with_its_place(file):
    file.write_text(TEXT.replace("[2]", "[3]"))
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="feed 'x' does not match the lock") as caught:
        opsrun.Graph.load(file)
    assert [(each.code, each.line) for each in caught.value.diagnostics] == [("G225", 3), ("G225", 6)]


def test_frozen_refuses_any_change(file):
    file.write_text(TEXT.replace("outputs:", "  y: {op: ZeroOut, in: z}\noutputs:"))
    assert opsrun.Graph.load(file).outputs
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="1 node is new: 'y'"):
        opsrun.Graph.load(file, frozen=True)
    file.with_suffix(".lock").unlink()
    with pytest.raises(opsrun.errors.Error, match="no such file") as caught:
        opsrun.Graph.load(file, frozen=True)
    assert caught.value.diagnostics[0].code == "G226"


def test_a_lock_that_cannot_be_read_is_an_error(file):
    file.with_suffix(".lock").write_text("opsrun_lock: 2\n")
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="uses format 2"):
        opsrun.Graph.load(file)

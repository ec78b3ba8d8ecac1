"""Shapes, which ONNX Runtime infers by the ops' shape functions, and those that only a run determines.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from models import INFERS_TYPES, run, session


def shapes(plugin, op, inputs, n_outputs=1, attrs=None, **kwargs):
    """What ONNX Runtime infers for inputs of float32."""
    its = session(plugin, op, [("float32", shape) for shape in inputs], [("float32", None)] * n_outputs, attrs, **kwargs)
    return [each.shape for each in its.get_outputs()]


def test_sizes_and_names_of_sizes():
    assert shapes("math_ops", "MatMul", [[2, 3], [3, 4]]) == [[2, 4]]
    assert shapes("math_ops", "MatMul", [["n", 3], [3, "m"]]) == [["n", "m"]]
    assert shapes("math_ops", "MatMul", [["n", 3], ["k", 4]], attrs={"transpose_a": 0}) == [["n", 4]]
    assert shapes("math_ops", "MatMul", [[3, "n"], [3, 4]], attrs={"transpose_a": 1}) == [["n", 4]]
    assert shapes("adapter.ops", "AddOffset", [["n", 2]], attrs={"scale": 2.0}, file="adapter_ops") == [["n", 2]]


def test_other_sizes_have_names_of_their_own():
    (found,) = shapes("adapter.ops", "Sizes", [["rows", "n"], ["rows", 4]], file="adapter_ops")
    (again,) = shapes("adapter.ops", "Sizes", [["rows", "n"], ["rows", 4]], file="adapter_ops")
    assert len({*found, *again}) == 8 and all(each.startswith("opsrun_") for each in found)
    assert shapes("adapter.ops", "Sizes", [[1, 2], [1, 4]], file="adapter_ops") == [[3, 3, 2, 3]]


@pytest.mark.skipif(not INFERS_TYPES, reason="ONNX Runtime 1.17 must be given the types")
def test_lists():
    assert shapes("list_ops", "Pack", [["n", 2]] * 3, attrs={"axis": 1}) == [["n", 3, 2]]


def test_what_is_not_known_is_not_stated():
    for shape in (None, [2, 3]):
        x = np.ones((2, 3), np.float32)
        for op in ("RowSums", "PositiveUntold"):  # the first one refuses unknown shapes; the second has no shape function
            run("adapter.ops", op, [x], ["float32"], shapes=[shape], file="adapter_ops")
        assert run("math_ops", "Tanh", [x], ["float32"], shapes=[shape])[0].shape == (2, 3)


def test_a_shape_that_depends_on_elements():
    found = run("shape_ops", "Reshape", [np.arange(6, dtype=np.float32), np.array([2, -1], np.int32)], ["float32"])
    assert found[0].shape == (2, 3)
    y, idx = run("array_ops", "Unique", [np.array([7, 7, 8], np.int32)], ["int32"] * 2, declare=True)
    assert (y.tolist(), idx.tolist()) == ([7, 8], [0, 0, 1])

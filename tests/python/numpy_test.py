"""opsrun.numpy: the same results as NumPy's functions of these names, for arrays and in traced functions.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

import opsrun
import opsrun.numpy as onp
from opsrun._tensor import OPERATORS, UNARY

X = np.arange(1, 7.0).reshape(2, 3) / 7
REDUCTIONS = ("sum", "prod", "mean", "max", "min", "argmax", "argmin")
OTHERS = {
    "transpose": lambda np_, x: np_.transpose(x),
    "transpose_axes": lambda np_, x: np_.transpose(x, (1, 0)),
    "concatenate": lambda np_, x: np_.concatenate([x, x], axis=1),
    "stack": lambda np_, x: np_.stack([x, x], axis=1),
    "where": lambda np_, x: np_.where(x > 0.5, x, 0.0),
    "matmul": lambda np_, x: np_.matmul(x, X.T),
    "clip": lambda np_, x: np_.clip(x, 0.2, 0.5),
    "flip": lambda np_, x: np_.flip(x, 1),
    "take": lambda np_, x: np_.take(x, np.int32([2, 0]), axis=1),
    "reshape": lambda np_, x: np_.reshape(x, (3, -1)),
    "expand_dims": lambda np_, x: np_.expand_dims(x, 1),
    "squeeze": lambda np_, x: np_.squeeze(np_.expand_dims(x, 1), 1),
    "broadcast_to": lambda np_, x: np_.broadcast_to(x, (4, 2, 3)),
    "zeros_like": lambda np_, x: np_.zeros_like(x),
    "ones_like": lambda np_, x: np_.ones_like(x),
}


def agree(expression):
    expected = expression(np, X)
    for found in (expression(onp, X), opsrun.function(lambda x: expression(onp, x))(X)):
        assert np.shape(found) == np.shape(expected)
        assert type(found).__module__ == "numpy"
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("how", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}])
def test_reductions(name, how):
    agree(lambda np_, x: getattr(np_, name)(x, **how))


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    agree(OTHERS[name])


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name):
    agree(lambda np_, x: getattr(np_, name)(x > 0.5 if name == "logical_not" else x))


@pytest.mark.parametrize("name", OPERATORS)
def test_functions_of_two_arrays(name):
    if name.startswith("bitwise"):
        return
    if name == "matmul":
        agree(lambda np_, x: np_.matmul(x, X.T))
    else:
        agree(lambda np_, x: getattr(np_, name)(*((x > 0.5, X < 0.3) if name.startswith("logical") else (x, X[::-1]))))


def test_integers_and_lists():
    np.testing.assert_allclose(onp.sin([1, 2]), np.sin([1, 2]))
    assert onp.divide(np.int32([1, 2]), np.int32(2)).tolist() == [0.5, 1]
    assert onp.astype([1, 2], np.float32).dtype == np.float32
    assert onp.any([False, True]) and not onp.all([False, True])


@pytest.mark.parametrize("expression", [
    *(lambda np_, x=x: np_.sum(x) for x in (np.int8([100, 100]), np.uint8([200, 200]), np.int32([2**31 - 1] * 2), [True, True])),
    lambda np_: np_.prod(np.int8([100, 100])), lambda np_: np_.take(X, np.int32([0, 1])), lambda np_: np_.clip(X, None, 0.5),
    lambda np_: np_.clip(X, 3, 1), lambda np_: np_.squeeze(X[None], axis=0), lambda np_: np_.add(1.5, 2),
    lambda np_: np_.divide([1, 2], [3, 4]), lambda np_: np_.where([True, False], 1.5, 2), lambda np_: np_.zeros_like([1, 2]),
    lambda np_: np_.concatenate([[1, 2], [3]]), lambda np_: np_.stack([1, 2]), lambda np_: np_.reshape(X, -1),
    lambda np_: np_.broadcast_to(1.5, 3), lambda np_: np_.maximum(X, 2),
])
def test_types_and_shapes_are_numpys(expression):
    found, expected = np.asarray(expression(onp)), np.asarray(expression(np))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected)


def test_numpy_itself_traces_functions_of_elements():
    traced = opsrun.function(lambda x: np.sin(x) * np.maximum(x, 0.5) - np.arctan2(x, 2.0))
    np.testing.assert_allclose(traced(X), np.sin(X) * np.maximum(X, 0.5) - np.arctan2(X, 2.0))
    with pytest.raises(opsrun.errors.Error, match="opsrun.numpy.sum"):
        opsrun.function(lambda x: np.sum(x))(X)

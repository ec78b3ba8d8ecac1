"""Functions that are traced into graphs.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import numpy as np
import pytest

import opsrun
from opsrun._trace import Trace
from opsrun.ops import array_ops, list_ops, math_ops


def same(function, *args, rtol=0.0):
    """The traced function gives what NumPy gives for it, with the same type and shape."""
    np.testing.assert_allclose(opsrun.function(function)(*args), function(*args), rtol=rtol, strict=True)


def test_operators():
    x, y = np.float32([[1, 2], [3, 4]]), np.float32([[5, 0.5], [2, 3]])
    for function in (lambda a, b: a + b * 2 - a / b, lambda a, b: -a ** 2 + 3 ** b, lambda a, b: a @ b, lambda a, b: abs(a - b),
                     lambda a, b: (a // b) % 2, lambda a, b: a > b, lambda a, b: (a <= b) | (a != a), lambda a, b: ~(a == b),
                     lambda a, b: np.float32([1, 2]) + a, lambda a, b: np.float32([1, 2]) < b, lambda a, b: 1 - a.T,
                     lambda a, b: a.sum() + b.mean(axis=0), lambda a, b: a.max(axis=1, keepdims=True) - b.min(),
                     lambda a, b: a.reshape(4), lambda a, b: a.reshape(1, -1), lambda a, b: a.astype(np.float64)):
        same(function, x, y, rtol=1e-6)


CUBE = np.float32([[[3, -1, 2], [0.5, 0, 4]], [[-2, 4, 1], [3, 3, -5]]])
MATRIX, STACK, ROW = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(2, 2, 3), np.float32([1, 2, 4])


@pytest.mark.parametrize("function", [
    lambda a: a.prod(), lambda a: a.prod(axis=1), lambda a: a.prod((0, 2), keepdims=True), lambda a: (a > 0).prod(axis=-1),
    lambda a: a.argmax(), lambda a: a.argmin(axis=1), lambda a: a.argmax(axis=-1, keepdims=True), lambda a: a.argmin(keepdims=True),
    lambda a: (a > 0).argmax(axis=0), lambda a: a.any(), lambda a: a.all(axis=(0, 1)), lambda a: a.any(axis=2, keepdims=True),
    lambda a: (a > -9).all(), lambda a: a.astype(np.int32).any(axis=0), lambda a: a.astype(np.complex64).all(axis=-1),
    lambda a: a.transpose(), lambda a: a.transpose(None), lambda a: a.transpose(1, 0, 2), lambda a: a.transpose((2, 0, 1)),
    lambda a: a.transpose([0, -1, -2]), lambda a: a.T, lambda a: a.sum() / a.size, lambda a: a.astype("int64"), lambda a: a.astype(bool)])
def test_methods_of_arrays(function):
    same(function, CUBE)


def test_methods_where_sizes_are_not_known():
    def of_any(function, shape):
        return opsrun.function(a=opsrun.TensorSpec("a", "float32", shape))(function)(CUBE)

    for function in (lambda a: a.prod(axis=0), lambda a: a.argmax(), lambda a: a.any(axis=1), lambda a: a.transpose(1, 2, 0)):
        for shape in (None, (None, None, 3)):
            np.testing.assert_array_equal(of_any(function, shape), function(CUBE))
    for function, reason in ((lambda a: a.size * a, "number of elements"), (lambda a: a.transpose(), "rank of this traced tensor"),
                             (lambda a: a.argmin(keepdims=True), "rank of this traced tensor")):
        with pytest.raises(opsrun.errors.Error, match=reason):
            of_any(function, None)
    with pytest.raises(TypeError, match="axis must be an int, not 0.5"):
        of_any(lambda a: a.argmax(axis=0.5), None)


def test_indexing():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for function in (lambda a: a[1], lambda a: a[-1, 0], lambda a: a[..., 1], lambda a: a[:, None, ::2], lambda a: a[1:, -2:, ::-1],
                     lambda a: a[0, 1, 2], lambda a: a[[1, 0, 1]], lambda a: a[:0], lambda a: a[np.int32(1)]):
        same(function, x)


def test_shapes_are_known():
    seen = []

    def function(a):
        seen.append((a.shape, a.dtype, len(a), (a + 1).shape, math_ops.mat_mul(a, a.T).shape))
        return sum(list(a))

    same(function, np.ones((3, 2), np.float32))
    assert seen[0] == ((3, 2), np.float32, 3, (3, 2), (3, 3))


def test_arguments_and_results_have_structure():
    @opsrun.function
    def layer(params, x, *, scale=2.0, kind="relu"):
        y = x @ params["w"] + params["b"][0]
        return {"y": math_ops.relu(y) * scale, "kind": kind, "pair": (y, 7)}

    params = {"w": np.ones((2, 2), np.float32), "b": [np.float32([1, 1])]}
    result = layer(params, np.float32([[1, 2]]))
    np.testing.assert_array_equal(result["y"], [[8, 8]])
    assert result["kind"] == "relu" and result["pair"][1] == 7
    np.testing.assert_array_equal(layer(params, np.float32([[1, 2]]), scale=3.0)["y"], [[12, 12]])
    assert [spec.name for spec in layer.graph.feeds] == ["params_w", "params_b_0", "x", "scale"]


def test_ops_with_lists_and_several_outputs():
    same(lambda a: array_ops.concat_v2([a, a * 2], 0), np.float32([1, 2]))
    traced = opsrun.function(lambda a: list_ops.split(0, a, num_split=2)[1] + array_ops.unique(a).y[0])
    np.testing.assert_array_equal(traced(np.int32([1, 2, 3, 4])), [4, 5])


def test_a_function_is_traced_once_for_each_type_and_shape():
    calls = []

    @opsrun.function
    def double(x, n):
        calls.append(x.shape)
        return x * float(n)

    for shape in ((2,), (3,), (2,), (3,)):
        double(np.ones(shape, np.float32), 2)
    assert calls == [(2,), (3,)]
    double(np.ones(2, np.float32), 3)
    assert len(calls) == 3


def test_floats_have_the_type_of_the_arrays_beside_them():
    scale = opsrun.function(lambda x, k=0.1: x * k)
    for dtype in (np.float64, np.float32, np.float16, np.float64):
        x = np.array([1, 3], dtype)
        for k in (0.1, 0.3):
            result = scale(x, k)
            np.testing.assert_array_equal(result, x * k)
            assert result.dtype == dtype
    several = opsrun.function(lambda tree, k: tree["a"].astype(np.float32) * k)
    for tree in ({"a": np.float64(1), "b": np.float32(1)}, {"a": np.int32(1)}):
        assert several(tree, 0.5).dtype == np.float32
    assert opsrun.function(x=opsrun.TensorSpec("x", "float64", ()))(lambda x, k=0.1: x * k).graph.feeds[1].dtype == "float64"


def test_sizes_that_vary():
    @opsrun.function(x=opsrun.TensorSpec("x", "float32", (None, 2)))
    def row_sums(x):
        return x.sum(axis=1)

    assert row_sums.graph.feeds[0].shape == (None, 2)
    for n in (1, 4):
        np.testing.assert_array_equal(row_sums(np.ones((n, 2), np.float32)), [2] * n)


def test_traced_functions_call_each_other():
    inner = opsrun.function(lambda x: x * 2)
    np.testing.assert_array_equal(opsrun.function(lambda x: inner(x) + inner(x + 1))(np.float32([1])), [6])


@pytest.mark.parametrize("function, message", [
    (lambda a: a if a > 0 else -a, "neither true nor false"),
    (lambda a: np.sinh(a), "numpy.sinh cannot use a traced tensor"),
    (lambda a: np.concatenate([a, a]), "numpy.concatenate cannot use a traced tensor"),
    (lambda a: float(a), "so it is not a number"),
    (lambda a: np.asarray(a), "NumPy cannot use a traced tensor"),
    (lambda a: a["a"], "cannot be indexed by str"),
    (lambda a: a[a > 1], "indexed by booleans"),
    (lambda a: a[[0], [1]], "by one array, with slices beside it"),
    (lambda a: a[0, :, [1]], "by one array"),
    (lambda a: a[[0.5]], "indexed by float64"),
    (lambda a: a[[True, False]], "indexed by booleans"),
    (lambda a: a[0.5:], "cannot be sliced by float"),
    (lambda a: a.__setitem__(0, 1), "its elements cannot be assigned"),
    (lambda a: len(a.sum()), "has no length"),
    (lambda a: a.sum(axis=0.5), "axis must be an int, or several, not 0.5"),
    (lambda a: 3, "returns no traced tensor"),
])
def test_what_cannot_be_traced(function, message):
    with pytest.raises(TypeError, match=message) as caught:
        opsrun.function(function)(STACK)
    if not message.startswith(("returns", "axis")):
        assert "function_test.py, line" in str(caught.value)


def test_a_tensor_that_escaped():
    kept = []
    opsrun.function(lambda x: kept.append(x) or x + 1)(np.float32(1))
    with pytest.raises(TypeError, match="another traced function"):
        opsrun.function(lambda x: x + kept[0])(np.float32(1))


def test_a_function_without_a_call_has_no_graph():
    with pytest.raises(RuntimeError, match="has not been called yet"):
        opsrun.function(lambda x: x).graph  # noqa: B018


@pytest.mark.parametrize("a, b", [(ROW, ROW), (ROW, MATRIX.T), (MATRIX, ROW), (STACK, ROW), (ROW[:2], STACK), (STACK, MATRIX.T)])
def test_products_are_those_of_numpy(a, b):
    same(lambda a, b: a @ b, a, b)


@pytest.mark.parametrize("function", [
    lambda a: a[[-1]], lambda a: a[[0, -2], :], lambda a: a[:, [2, -1]], lambda a: a[0, [1, 2]], lambda a: a[[1, 0], 1],
    lambda a: a[1:, np.int8([[0, 1]])], lambda a: a[..., [0, 2]], lambda a: a[None, :, [1]], lambda a: a[[]],
    # Slices that end far away.
    lambda a: a[:sys.maxsize], lambda a: a[:2**70, 2**40:], lambda a: a[-2**40:, ::2**40], lambda a: a[::-2**31], lambda a: a[1:2**31, -1],
    # Plain values.
    lambda a: a @ [1, 2.5, 3], lambda a: [1, 2.5] @ a, lambda a: a @ [[1], [2], [3]], lambda a: a.reshape(np.int64(6)),
    lambda a: a[:1, :1].reshape(()), lambda a: a[:1, :1].reshape([]), lambda a: a.sum(axis=()), lambda a: a.sum(axis=np.int8(0))])
def test_matrices_are_used_as_numpy_does(function):
    for dtype in (np.float32, np.float64):
        np.testing.assert_array_equal(opsrun.function(function)(MATRIX.astype(dtype)), function(MATRIX).astype(dtype), strict=True)


def test_indexing_by_traced_tensors():
    for dtype in ("uint8", "int16", "int32", "int64"):
        same(lambda a, i: a[:, i], MATRIX, np.array([2, 0], dtype))


def test_whole_numbers_are_divided_as_numpy_does():
    i = np.int32([1, 2, 4])
    for function in (lambda a: a / 2, lambda a: a / a, lambda a: 1 / a, lambda a: a.mean(), lambda a: i / a):
        same(function, i, rtol=1e-7)


def test_bools_are_counted_as_numpy_does():
    for function in (lambda a: (a > 1).sum(), lambda a: (a > 1).sum(axis=0, keepdims=True), lambda a: (a > 1).max(axis=1),
                     lambda a: (a > 1).min(), lambda a: (a > 1).mean()):
        same(function, MATRIX)


def test_a_large_constant_is_read_once(monkeypatch):
    texts = []
    text = Trace.text
    monkeypatch.setattr(Trace, "text", lambda self, **parts: texts.append(text(self, **parts)) or texts[-1])
    large = np.arange(10_000, dtype=np.float32)
    result = opsrun.function(lambda x: x + large + large * large)(np.float32(1))
    np.testing.assert_array_equal(result, 1 + large + large * large)
    assert [len(each) > 10_000 for each in texts] == [False, False, True]


def test_constants_of_the_result_are_the_callers():
    f = opsrun.function(lambda x: (x * 2, np.zeros(2)))
    f(ROW)[1][:] = 7
    assert f(ROW)[1].tolist() == [0, 0]

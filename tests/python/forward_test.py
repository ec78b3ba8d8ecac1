"""Derivatives in a direction, from declared gradients: opsrun.jvp.

SPDX-License-Identifier: Apache-2.0
"""

import os
import threading

import numpy as np
import pytest

import opsrun
from opsrun.ops import array_ops, list_ops, math_ops, shape_ops

RANDOM = np.random.default_rng(7)
X, Y, ROW = RANDOM.random((3, 4)) + 0.5, RANDOM.random((3, 4)) + 0.5, RANDOM.random(4) + 0.5


@pytest.mark.parametrize("function, args", [
    (math_ops.mul, (X, ROW)),  # a broadcast
    (math_ops.div, (X, Y)),
    (math_ops.tanh, (X,)),
    (math_ops.softmax, (X,)),
    (lambda x, y: x @ y, (X, Y.T)),
    (lambda x: x.max(axis=1), (X,)),
    (lambda x: x.mean(), (X,)),
    (lambda x: math_ops.cumprod(x, 1), (X,)),
    (lambda x: math_ops.select_v2(x > 1.0, x * x, x), (X,)),
    (lambda x: array_ops.gather(x, [2, 0, 2]), (X,)),
    (lambda x: shape_ops.reshape(x[1:], [-1]), (X,)),
    (lambda x, y: list_ops.pack([x, y * x, y]), (X, Y)),
    (lambda x: list_ops.split(1, x, num_split=2)[1], (X,)),
    (lambda x: math_ops.complex_abs(math_ops.complex(x, x * x, Tout=np.complex128), Tout=np.float64), (X,)),
])
def test_derivatives_are_those_that_are_measured(function, args):
    tangents = tuple(RANDOM.normal(size=each.shape) for each in args)
    value, tangent = opsrun.jvp(function, args, tangents)
    after, before = (opsrun.function(function)(*(x + step * t for x, t in zip(args, tangents))) for step in (1e-6, -1e-6))
    np.testing.assert_array_equal(value, opsrun.function(function)(*args))
    np.testing.assert_allclose(tangent, (after - before) / 2e-6, rtol=1e-6, atol=1e-8)


def test_both_directions_agree():
    w, dw, dx = RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(3, 4))
    seed = RANDOM.normal(size=(3, 2))
    value, tangent = opsrun.jvp(lambda x, w: math_ops.sigmoid(x @ w), (X, w), (dx, dw))
    _, products = opsrun.vjp(lambda x, w: math_ops.sigmoid(x @ w), X, w)
    of_x, of_w = products(seed)
    np.testing.assert_allclose((seed * tangent).sum(), (of_x * dx).sum() + (of_w * dw).sum())


def test_the_structure_of_the_value_and_of_the_arguments():
    def function(params, n, k):
        x, (y,) = params["x"], params["y"]
        return {"sum": x + y * k, "same": x, "constant": y * 0.0 + 1.0}, [n, x.astype(np.int32), 5], array_ops.zeros_like(x)

    params = {"x": np.float32([1, 2]), "y": [np.float32([3, 4])]}
    value, tangent = opsrun.jvp(function, [params, np.int32([1]), 2.0], [{"x": np.float32([10, 20]), "y": [np.float32([1, 1])]}, None, 1])
    assert value[0]["sum"].tolist() == [7, 10] and value[1][2] == 5
    assert {name: each.tolist() for name, each in tangent[0].items()} == {"sum": [15, 26], "same": [10, 20], "constant": [0, 0]}
    assert tangent[1] == [None, None, None] and tangent[2].tolist() == [0, 0]
    assert tangent[0]["sum"].dtype == np.float32


def test_a_result_that_is_the_argument_or_one_tensor_twice():
    x, dx = np.float64([1, 2]), np.float64([3, 5])
    assert [each.tolist() for each in opsrun.jvp(lambda x: (x, x), (x,), (dx,))[1]] == [[3, 5], [3, 5]]

    def twice(x):
        y = x * x
        return y, y, math_ops.tanh(y) * 0.0
    assert [each.tolist() for each in opsrun.jvp(twice, (x,), (dx,))[1]] == [[6, 20], [6, 20], [0, 0]]


    def signed(x):  # the gradient of sign is zeros like y: other ones than those to differentiate with respect to
        y = x * x
        return y, math_ops.sign(y)
    assert [each.tolist() for each in opsrun.jvp(signed, (x,), (dx,))[1]] == [[6, 20], [0, 0]]
    assert opsrun.jvp(lambda a, b: a * b, (x, x), (dx, 0 * dx))[1].tolist() == [3, 10]


def test_complex_numbers():
    z, dz = np.complex128([1 + 2j]), np.complex128([1j])
    assert opsrun.jvp(lambda z: z * z, (z,), (dz,))[1] == 2 * z * dz
    assert opsrun.jvp(lambda z: math_ops.conj(z) * z, (z,), (dz,))[1] == 4  # of |z|**2, along the imaginary axis


def test_gradients_of_derivatives_and_the_other_way_round():
    def cube(x):
        return x * x * x

    assert opsrun.jvp(opsrun.grad(cube), (2.0,), (1.0,)) == (12, 12)
    assert opsrun.grad(lambda x: opsrun.jvp(cube, (x,), (1.0,))[1])(2.0) == 12
    assert opsrun.jvp(lambda x: opsrun.jvp(cube, (x,), (1.0,))[1], (2.0,), (1.0,)) == (12, 12)
    # What is known otherwise is constant, though it is the same tensor.
    assert opsrun.jvp(lambda x: opsrun.jvp(lambda y: y * y * x, (x,), (1.0,))[1], (3.0,), (1.0,)) == (18, 12)
    value, products = opsrun.vjp(lambda x, t: opsrun.jvp(cube, (x,), (t,))[1], 2.0, 5.0)
    assert value == 60 and products(1.0) == (60, 12)


def test_in_traced_functions():
    w = np.float64([[1], [1]])
    traced = opsrun.function(lambda x, dx: opsrun.jvp(lambda x: x @ w, (x,), (dx,)))
    value, tangent = traced(np.float64([[1, 2]]), np.float64([[3, 4]]))
    assert (value, tangent) == (3, 7)
    around = opsrun.function(lambda x: opsrun.jvp(lambda y: x * y * y, (2.0,), (1.0,))[1])
    assert around(3.0) == 12


def test_the_graph_has_only_what_it_needs():
    squares = opsrun.function(lambda x, w: math_ops.tanh(x @ w))
    args = (X, RANDOM.random((4, 2))), (X, RANDOM.random((4, 2)))
    opsrun.jvp(squares, *args)
    graph = squares.pushing.graph
    opsrun.jvp(squares, *args)
    assert squares.pushing.graph is graph  # which is kept
    plan = str(graph.plan())
    assert plan.count("= MatMul") == 3 and "ZerosLike" not in plan
    again = opsrun.Graph.from_yaml(graph.to_yaml())  # the names of nodes that it mentions exist
    feeds = dict(zip(("primals_0", "primals_1", "tangents_0", "tangents_1"), (*args[0], *args[1])))
    np.testing.assert_array_equal(list(again.run(feeds).values())[1], opsrun.jvp(squares, *args)[1])


def test_functions_with_specs_and_threads():
    matrix = opsrun.TensorSpec("x", dtype="float64", shape=(None, 2))
    function = opsrun.function(lambda x, k: x * x * k, x=matrix)
    found = {}

    def push(n):
        found[n] = opsrun.jvp(function, (np.full((n, 2), float(n)), 2.0), (np.ones((n, 2)), 0.0))[1].tolist()

    threads = [threading.Thread(target=push, args=(n,)) for n in range(1, 5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {n: [[4 * n] * 2] * n for n in range(1, 5)}


@pytest.fixture(scope="module")
def lib():
    return opsrun.load_op_library(os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops", "test_gradients.so"))


VECTOR, WHOLE = np.float32([1, 2]), np.int32([1])


def double(x):
    return x * 2


@pytest.mark.parametrize("message, primals, tangents", [
    ("primals must be a tuple or a list", VECTOR, (VECTOR,)),
    (r"tangents must be a tuple or a list(.|\n)*use \(x,\)", (VECTOR,), VECTOR),
    ("a tangent for each of the 1 arguments, found 2", (VECTOR,), (VECTOR, VECTOR)),
    ("a tensor for each of the 2 arguments, found 1", ([VECTOR, VECTOR],), ([VECTOR],)),
    ("lists, tuples, dicts and keys", ({"a": VECTOR, "b": VECTOR},), ({"b": VECTOR, "a": VECTOR},)),
    ("a tangent for 'primals_0'; use zeros", (VECTOR,), (None,)),
    (r"tangent of 'primals_0' is float32 \(3,\), but must be float32 \(2,\)", (VECTOR,), ([1, 2, 3],)),
    (r"tangent of 'primals_0' is float64 \(2,\), but must be float32 \(2,\)", (VECTOR,), (np.float64([1, 2]),)),
    ("must be float32, not a string", (VECTOR,), ("a",)),
    ("the arguments have no arrays of floating-point", (WHOLE,), (WHOLE,)),
    ("the arguments have no arrays of floating-point", (), ()),
])
def test_arguments_that_are_refused(message, primals, tangents):
    with pytest.raises(TypeError, match=message):
        opsrun.jvp(double if len(primals) else lambda: 1, primals, tangents)


def test_ops_without_a_gradient(lib):
    assert opsrun.jvp(lambda x: lib.test_flat(x) + x, (VECTOR,), (VECTOR,))[1].tolist() == [1, 2]
    with pytest.raises(opsrun.errors.Error, match="op 'TestUndeclared' of node 'test_undeclared' declares no gradient"):
        opsrun.jvp(lib.test_undeclared, (VECTOR,), (VECTOR,))

"""Gradients of Python functions.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

import opsrun
import opsrun.test
from opsrun.ops import array_ops, math_ops


def loss(params, x, y):
    error = math_ops.tanh(x @ params["w"] + params["b"]) - y
    return (error * error).mean()


@pytest.fixture
def problem():
    random = np.random.default_rng(3)
    return {"w": random.normal(size=(3, 2)), "b": np.zeros(2)}, random.normal(size=(4, 3)), np.ones((4, 2))


def test_a_gradient_has_the_structure_of_the_argument(problem):
    params, x, y = problem
    value, gradient = opsrun.value_and_grad(loss)(params, x, y)
    assert set(gradient) == {"w", "b"}
    moved = {"w": params["w"].copy(), "b": params["b"]}
    moved["w"][1, 1] += 1e-6
    measured = (opsrun.function(loss)(moved, x, y) - value) / 1e-6
    np.testing.assert_allclose(gradient["w"][1, 1], measured, rtol=1e-4)
    np.testing.assert_array_equal(opsrun.grad(loss)(params, x, y)["b"], gradient["b"])


def test_several_arguments(problem):
    params, x, y = problem
    of_x, of_params = opsrun.grad(loss, argnums=(1, 0))(params, x, y)
    assert of_x.shape == x.shape and of_params["w"].shape == (3, 2)
    assert opsrun.grad(loss, argnums=-1)(params, x, y).shape == y.shape


def test_higher_orders():
    second = opsrun.grad(opsrun.grad(lambda x: x * x * x))
    assert second(3.0) == 18
    assert opsrun.grad(second)(2.0) == 6


def test_gradients_in_traced_functions():
    @opsrun.function
    def step(w, x, y):
        error = x @ w - y
        of_w, of_x = opsrun.gradients((error * error).sum(), [w, x])
        return w - 0.1 * of_w, of_x

    w, x, y = np.ones((2, 1)), np.float64([[1, 2]]), np.float64([[4]])
    moved, of_x = step(w, x, y)
    np.testing.assert_allclose(moved, w - 0.1 * 2 * x.T * -1)
    np.testing.assert_allclose(of_x, [[-2, -2]])
    assert "gradient_of" in step.graph.to_yaml()


def test_gradients_with_what_they_begin():
    @opsrun.function
    def products(x, seed):
        return (*opsrun.gradients([x * x, x * 3.0], x, [seed, None]), *opsrun.gradients(x * x, x, [1.0, 10.0]))

    first, second = products(np.float32([1, 2]), np.float32([5, 7]))
    np.testing.assert_array_equal(first, [2 * 5 + 3, 4 * 7 + 3])
    np.testing.assert_array_equal(second, [2, 40])


def test_gradients_of_gradients():
    @opsrun.function
    def f(x):
        first = opsrun.gradients(x * x * x, x)[0]
        second = opsrun.gradients(first, x)[0]
        return first, second, *opsrun.gradients(second * first, x)

    assert [float(each) for each in f(2.0)] == [12, 12, 12 * 12 + 12 * 6]


def test_gradients_of_tensors_of_other_functions():
    leaked = []
    opsrun.function(lambda x: leaked.append(x) or x * 1.0)(1.0)
    with pytest.raises(TypeError, match="of another traced function"):
        opsrun.function(lambda x: opsrun.gradients(x * 2.0, leaked)[0])(1.0)
    with pytest.raises(TypeError, match="this is for traced tensors"):
        opsrun.gradients(leaked[0], leaked[0])
    with pytest.raises(opsrun.errors.Error) as caught:
        opsrun.function(lambda x, n: opsrun.gradients(n, x)[0])(1.0, np.int32(2))
    assert caught.value.diagnostics[0].code == "G306"


def test_a_gradient_is_by_its_own_argument():
    # What is known otherwise is constant, though it is the same tensor.
    assert opsrun.grad(lambda x: opsrun.grad(lambda y: x * y)(x))(3.0) == 1
    assert opsrun.function(lambda x: opsrun.value_and_grad(lambda y: x * y)(x)[1])(3.0) == 3
    value, products = opsrun.vjp(lambda x: opsrun.vjp(lambda y: y * y * x, x)[1](1.0)[0], 3.0)
    assert value == 18 and products(1.0) == (12,)


def test_arguments_called_as_gradients_are():
    assert opsrun.grad(lambda w, grad_w: w * grad_w)(3.0, 5.0) == 5


def test_the_graph_of_a_gradient_has_names(tmp_path):
    step = opsrun.value_and_grad(lambda w: math_ops.tanh(w, name="loss"))
    step(0.5)
    assert [spec.name for spec in step.graph.outputs] == ["loss", "grad_w"]
    step.graph.save(tmp_path / "step.yaml")
    assert opsrun.Graph.load(tmp_path / "step.yaml").run(w=np.float32(0))["grad_w"] == 1


def test_constants_of_all_types():
    complex_ = opsrun.grad(lambda x: math_ops.real(x * (1 + 2j), Tout=np.float64).sum())
    np.testing.assert_array_equal(complex_(np.complex128([1])), [1 - 2j])
    assert opsrun.grad(lambda x: x * np.float32("inf"))(np.float32(2)) == np.inf


def test_what_nothing_depends_on_is_zero():
    np.testing.assert_array_equal(opsrun.grad(lambda x, y: y.sum())(np.float32([1, 2]), np.float32([3])), [0, 0])


def test_integers_have_no_gradient():
    gradient = opsrun.grad(lambda tree: tree[0].sum() * tree[1].astype(np.float32).sum())([np.float32([1, 2]), np.int32([3])])
    np.testing.assert_array_equal(gradient[0], [3, 3])
    assert gradient[1] is None


def test_products():
    a, b = np.float64([[1, 2]]), np.float64([[3], [4]])
    value, products = opsrun.vjp(lambda a, b: (a @ b, a * 2), a, b)
    np.testing.assert_array_equal(value[0], [[11]])
    of_a, of_b = products((np.float64([[10]]), np.float64([[1, 0]])))
    np.testing.assert_array_equal(of_a, [[32, 40]])
    np.testing.assert_array_equal(of_b, [[10], [20]])
    with pytest.raises(TypeError, match="a tensor for each of the 2 results"):
        products((np.float64([[10]]),))


def test_products_with_plain_values():
    _, products = opsrun.vjp(lambda x: (x * x).sum(), np.float64([1, 2]))
    for one in (1, 1.0, np.float64(1)):
        np.testing.assert_array_equal(products(one)[0], [2, 4])
    _, products = opsrun.vjp(lambda x: x * x, np.float64([1, 2]))
    np.testing.assert_array_equal(products([1, 0.5])[0], [2, 2])
    _, products = opsrun.vjp(lambda x: {"y": x * x, "n": x.astype(np.int32)}, np.float32([1, 2]))
    for nothing in (None, 0, np.int32([0, 0])):
        np.testing.assert_array_equal(products({"y": np.float32([1, 1]), "n": nothing})[0], [2, 4])
    with pytest.raises(TypeError, match="must be float32, not a string"):
        products({"y": "a", "n": None})


def test_floats_are_the_same_in_both_directions():
    value, products = opsrun.vjp(lambda k: (k * np.float32(3)).astype(np.float64), 2.0)
    assert value == 6
    assert products(1)[0] == 3 and products(1)[0].dtype == np.float32
    value, (by_w, by_k) = opsrun.value_and_grad(lambda w, k: (w * w).sum() * k, (0, 1))(np.float64([1, 2]), 0.1)
    assert value == 5 * 0.1 and by_k == 5 and by_k.dtype == by_w.dtype == np.float64


def test_functions_that_use_tensors_of_the_function_around_them():
    assert opsrun.grad(lambda x: x * opsrun.grad(lambda y: x * y)(2.0))(3.0) == 6
    x, w = np.float64([[1, 2]]), np.float64([[1], [1]])
    traced = opsrun.function(lambda x: w - opsrun.grad(lambda w: ((x @ w) * (x @ w)).sum())(w) * 0.5)
    np.testing.assert_array_equal(traced(x), w - 3 * x.T)
    value, products = opsrun.function(lambda x: (lambda pair: (pair[0], pair[1](np.float64([[1]]))))(opsrun.vjp(lambda w: x @ w, w)))(x)
    np.testing.assert_array_equal(value, [[3]])
    np.testing.assert_array_equal(products[0], x.T)


def test_arguments_with_defaults_in_traced_functions():
    by_default = opsrun.grad(lambda x, k=2.0: x * x * k, 1)
    assert by_default(3.0) == opsrun.function(lambda x: by_default(x))(3.0) == 9


VECTOR, WHOLE, IMAGINARY = np.float32([1, 2]), np.int32([1]), np.complex64([1j])


@pytest.mark.parametrize("error, message, call", [
    (TypeError, "ys must be traced tensors, not ndarray", lambda: opsrun.gradients(np.ones(2), np.ones(2))),
    (ValueError, "2 grad_ys for 1 ys", lambda: opsrun.function(lambda x: opsrun.gradients([x], x, [None, None])[0])(1.0)),
    (TypeError, r"returns a tensor of shape \[2\], but a gradient needs a scalar", lambda: opsrun.grad(lambda x: x * 2)(VECTOR)),
    (TypeError, "returns 2 tensors", lambda: opsrun.grad(lambda x: (x.sum(), x))(VECTOR)),
    (ValueError, "argnums is 3", lambda: opsrun.grad(lambda x: x.sum(), argnums=3)(VECTOR)),
    (TypeError, "has no arrays of floating-point", lambda: opsrun.grad(lambda n: n.astype(np.float32).sum())(WHOLE)),
    (TypeError, "the arguments have no arrays of floating-point", lambda: opsrun.vjp(lambda n: n * 2, WHOLE)[1](WHOLE)),
    (TypeError, "returns a complex number, but a gradient needs a real one", lambda: opsrun.grad(lambda z: z.sum())(IMAGINARY)),
    (TypeError, "complex tensor needs an initial gradient(.|\n)*grad_ys",
     lambda: opsrun.function(lambda z: opsrun.gradients(z * z, z))(IMAGINARY)),
    (TypeError, "returns no traced tensor", lambda: opsrun.grad(lambda x: 3.0)(1.0)),
])
def test_what_has_no_gradient(error, message, call):
    with pytest.raises(error, match=message):
        call()


class Checks(opsrun.test.TestCase):
    def test_arrays_of_other_layouts_are_measured(self):
        for x in (np.arange(6.0).reshape(2, 3).T, np.asfortranarray(np.ones((2, 3))), np.arange(6.0)[::-2]):
            declared, measured = opsrun.test.compute_gradient(lambda x: x * x, [x])
            self.assertAllClose(measured[0], np.diag(2 * x.reshape(-1)), atol=1e-5)
            self.assertLess(opsrun.test.max_error(declared, measured), 1e-5)

    def test_what_no_gradient_is_of(self):
        for args, message in (([np.int32([1])], r"args\[0\] is int32"), ([1j], "is complex128"), ([{}], "is object")):
            with self.assertRaisesRegex(TypeError, message):
                opsrun.test.compute_gradient(lambda x: x * x, args)
        self.assertAllClose(opsrun.test.compute_gradient(lambda x: x * x, [3])[1][0], [[6]])
        with self.assertRaisesRegex(TypeError, "returns a tuple"):
            opsrun.test.compute_gradient(lambda x: (x, x), [1.0])
        with self.assertRaisesRegex(ValueError, "does not change in float32 when it is moved by 0.0009765625"):
            opsrun.test.compute_gradient(lambda x: x * x, [np.float32(1e8)])

    def test_errors_are_not_lost(self):
        zero, nan = np.zeros((1, 1)), np.full((1, 1), np.nan)
        for declared in ([zero, nan], [nan, zero]):
            self.assertTrue(np.isnan(opsrun.test.max_error(declared, [zero, zero])))
        for other in ([zero], [zero, np.zeros((2, 1))]):
            with self.assertRaisesRegex(ValueError, "other shapes"):
                opsrun.test.max_error([zero, zero], other)

    def test_assertions(self):
        self.assertAllEqual(array_ops.identity(["a", "b"]), ["a", "b"])
        self.assertAllEqual([np.nan, 1], [np.nan, 1])
        self.assertAllClose({"x": (1.0, np.float32([2]))}, {"x": (1.0 + 1e-7, [2])})
        self.assertAllClose([np.ones(2), np.ones(3)], [[1, 1], np.ones(3)])
        self.assertAllClose((1.0, 2.0), np.float32([1, 2]))
        for one, other in (({"x": 1}, [1]), ([1], {"x": 1}), ((1, 2), 1), ([np.ones(2), np.ones(3)], [np.ones(2)])):
            with self.assertRaises(AssertionError):
                self.assertAllClose(one, other)
        with self.assertRaisesRegex(AssertionError, r"1 of 2 elements differ:\n  at \[1\]: "):
            self.assertAllEqual([1, 2], [1, 3])
        with self.assertRaisesRegex(AssertionError, r"the shapes differ: \[2\] and \[\]"):
            self.assertAllClose([1, 2], 1)
        with self.assertRaisesOpError("divided by 0"):
            math_ops.div(1, 0)
        with self.assertRaisesRegex(AssertionError, "there was no error"), self.assertRaisesOpError("x"):
            pass


def masked(x):
    return math_ops.select_v2(x > np.float32(0), math_ops.sqrt(x), np.float32(0)).sum()


NAN, INF = np.nan, np.inf
NUMBERS, ROWS = [0, 1, 2, 3, 4, NAN], [[0, 0], [3, 4]]
# Functions with their arguments, what goes in backwards, and the gradients: exactly, and nearly.
EXACT = [
    *((function, [[0, 4]], [0, 0], [[0, 0]]) for function in (math_ops.sqrt, math_ops.rsqrt, math_ops.reciprocal)),
    (math_ops.sqrt, [0], 1, [INF]),
    (masked, [[0, 1, -1]], 1, [[0, 0.5, 0]]),
    (lambda x: math_ops.pow(x, np.float32(2)), [3e38], 0, [0]),  # the slope is too large for the type
    (math_ops.div_no_nan, [[3, 0, INF, 6], [0, 0, 0, 2]], [1] * 4, [[0, 0, 0, 0.5], [0, 0, 0, -1.5]]),
    (math_ops.clip_by_value, [NUMBERS, 1, 3], [1, 2, 4, 8, 16, 32], [[0, 2, 4, 8, 0, 32], 1, 16]),
    (math_ops.clip_by_value, [NUMBERS, 3, 1], [1] * 6, [[0, 0, 0, 0, 0, 1], 5, 0]),  # the result is the minimum
    (lambda x: math_ops.euclidean_norm(x, 1), [ROWS], [1, 0], [[[NAN, NAN], [0, 0]]]),
    (math_ops.l2_loss, [ROWS], 1, [ROWS])]
ANGLES = [(3e30, 4e30, 1.6e-31, -1.2e-31), (3e-30, -4e-30, -1.6e29, -1.2e29), (2, 0, 0, -0.5), (0, 2, 0.5, 0), (1, INF, 0, 0),
          (-INF, 1, 0, 0), (0, 0, NAN, NAN)]
EXACT += [(math_ops.atan2, [y, x], 0, [0, 0]) for y, x, _, _ in ANGLES]
NEAR = [(math_ops.atan2, [y, x], 1, [dy, dx]) for y, x, dy, dx in ANGLES] + [
    *((math_ops.pow, [x, y], 1, [dx, dy]) for x, y, dx, dy in
      ((INF, 2, INF, INF), (0, 2, 0, 0), (-1, 2, -2, 0), (2, 0, 0, np.log(2)))),
    (lambda x: math_ops.euclidean_norm(x, 1), [ROWS], [0, 10], [[[0, 0], [6, 8]]])]


@pytest.mark.parametrize("tolerance, function, inputs, seed, expected",
                         [*((0, *row) for row in EXACT), *((1e-6, *row) for row in NEAR)])
def test_gradients_at_the_edges(tolerance, function, inputs, seed, expected):
    _, back = opsrun.vjp(function, *map(np.float32, inputs))
    for found, wanted in zip(back(np.float32(seed)), map(np.float32, expected), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tolerance, strict=True)


def test_extremes_of_segments_share_their_gradient():
    data, ids = np.float32([1, 3, 3, 2, 7, 7]), np.int32([0, 0, 0, 3, -1, 3])
    weights = np.float32([6, 1, 1, 4])
    largest = opsrun.grad(lambda x: (math_ops.unsorted_segment_max(x, ids, np.int32(4)) * weights).sum())(data)
    np.testing.assert_array_equal(largest, [0, 3, 3, 0, 0, 4])
    smallest = opsrun.grad(lambda x: (math_ops.segment_min(x, np.sort(ids[:4])) * weights).sum())(data[[1, 2, 1, 3]])
    np.testing.assert_array_equal(smallest, [2, 2, 2, 4])


def test_products_of_segments_have_exact_derivatives_of_all_orders_at_zero():
    ids = np.int32([0, 0, 0, -1])
    weights = np.float64([3, 5, 7, 11])

    def product(x):
        return math_ops.unsorted_segment_prod(x, ids, np.int32(2))[0]

    def slope(x):
        return (opsrun.gradients(product(x), x)[0] * weights).sum()

    def curve(x):
        return (opsrun.gradients(slope(x), x)[0] * weights).sum()

    x = np.float64([0, 0, 2, 9])
    np.testing.assert_array_equal(opsrun.grad(product)(x), [0, 0, 0, 0])
    np.testing.assert_array_equal(opsrun.grad(slope)(x), [5 * 2, 3 * 2, 0, 0])
    np.testing.assert_array_equal(opsrun.grad(curve)(x), [2 * 5 * 7, 2 * 3 * 7, 2 * 3 * 5, 0])


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_of_products_with_zeros(exclusive, reverse):
    x = np.float64([[2, 0, 3, 0, 5], [0, 1, 2, 0.5, -1], [1, 2, 3, 4, 0]])
    seed = np.float64([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [1, -1, 1, -1, 1]])
    _, back = opsrun.vjp(lambda x: math_ops.cumprod(x, 1, exclusive=exclusive, reverse=reverse), x)
    expected = np.zeros_like(x)
    for (row, i), _ in np.ndenumerate(x):
        for k in range(5):  # result k is a product of these factors
            factors = [j for j in range(5) if (j > k if reverse else j < k) or (j == k and not exclusive)]
            if i in factors:
                expected[row, i] += seed[row, k] * np.prod([x[row, j] for j in factors if j != i])
    np.testing.assert_array_equal(*back(seed), expected)

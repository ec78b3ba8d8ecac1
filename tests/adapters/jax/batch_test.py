"""jax.vmap: one call for all examples where the op says how it treats batches, and the same results everywhere.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import opsrun


math = pytest.fixture(lambda ops: ops.math_ops)
lists = pytest.fixture(lambda ops: ops.list_ops)


def loops(function, *args):
    """Whether the function's program calls ops in a loop."""
    return "stablehlo.while" in jax.jit(function).lower(*args).as_text()


def filled(*shape):
    return jnp.sin(jnp.arange(np.prod(shape), dtype=jnp.float32)).reshape(shape)


def each(function, *args):
    return jnp.stack([function(*examples) for examples in zip(*args)])


def test_leading_dimensions_are_broadcast(math):
    x, y = filled(5, 2, 3), filled(5, 3)
    np.testing.assert_array_equal(jax.vmap(math.add)(x, y), each(math.add, x, y))
    assert not loops(jax.vmap(math.add), x, y)
    np.testing.assert_array_equal(jax.vmap(math.mul, (1, None))(x, y), each(lambda a: math.mul(a, y), jnp.moveaxis(x, 1, 0)))
    assert not loops(jax.vmap(math.mul, (1, None)), x, y)


def test_dimensions_of_the_op_stay_last(math):
    a, b = filled(4, 2, 3), filled(6, 3, 5)
    np.testing.assert_array_equal(jax.vmap(math.softmax)(filled(2, 3, 4)), math.softmax(filled(2, 3, 4)))
    products = jax.vmap(jax.vmap(math.batch_mat_mul_v2, (None, 0)), (0, None))
    assert not loops(products, a, b)
    np.testing.assert_allclose(products(a, b), jnp.einsum("imk,jkn->ijmn", a, b), rtol=1e-5)


def test_batches_that_must_be_equal(math, lists):
    g, x = filled(3, 4), filled(3, 4)
    assert not loops(jax.vmap(math.relu_grad), g, x)
    np.testing.assert_array_equal(jax.vmap(math.relu_grad, (0, None))(g, x[0]), each(lambda a: math.relu_grad(a, x[0]), g))
    total = jax.vmap(lambda a, b: lists.add_n([a, b, b]))
    assert not loops(total, g, x)
    np.testing.assert_allclose(total(g, x), g + 2 * x, rtol=1e-6)


def test_a_function_with_its_gradient(math):
    def f(w, x):
        return math.tanh(math.mul(w, x)).sum()

    w, x = filled(3), filled(7, 3)
    slopes = jax.vmap(jax.grad(f), (None, 0))
    assert not loops(slopes, w, x)
    np.testing.assert_allclose(slopes(w, x), each(lambda one: jax.grad(f)(w, one), x), rtol=1e-5)
    slope = jax.grad(lambda w: jax.vmap(f, (None, 0))(w, x).sum())
    assert not loops(slope, w)
    np.testing.assert_allclose(slope(w), slopes(w, x).sum(0), rtol=1e-5)


@pytest.mark.parametrize("derivative", [jax.jacfwd, jax.jacrev, jax.hessian, lambda f: jax.jacfwd(jax.jacfwd(f)),
                                        lambda f: jax.vmap(jax.jacfwd(f)), lambda f: jax.jacfwd(jax.vmap(f))])
def test_derivatives_are_computed_for_the_whole_batch(math, derivative):
    x = filled(4, 3)
    mine = derivative(lambda x: math.tanh(math.mul(x, x)))
    assert not loops(mine, x)
    np.testing.assert_allclose(mine(x), derivative(lambda x: jnp.tanh(x * x))(x), rtol=1e-4, atol=1e-6)


def test_derivatives_of_ops_that_say_nothing(math):
    x = filled(2, 3, 4)

    def slope(largest):
        return jax.grad(lambda x: (jax.vmap(jax.vmap(largest))(x) ** 2).sum())

    mine, native = slope(lambda row: math.max(row, [0])), slope(jnp.max)
    assert loops(mine, x)
    for found, expected in zip(jax.jvp(mine, (x,), (x,)), jax.jvp(native, (x,), (x,))):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_ops_without_gradients_in_batches(ops):
    flat, undeclared, x = ops.test_gradients.test_flat, ops.test_gradients.test_undeclared, filled(2, 3, 4)
    assert not np.any(jax.jvp(jax.vmap(jax.vmap(flat)), (x,), (x,))[1])
    for derivative in (jax.jacfwd, jax.jacrev):
        with pytest.raises(opsrun.errors.UnimplementedError, match="TestUndeclared declares no gradient"):
            derivative(jax.vmap(undeclared))(x[0])


def test_shapes_that_do_not_fit_have_the_message_of_one_example(math):
    with pytest.raises(Exception, match=r"math_ops.Add.*\[2\].*\[3\]|\[2\] and \[3\]"):
        jax.vmap(math.add)(filled(4, 2), filled(4, 3))


def test_results_without_the_batch_are_computed_for_each_example(math):
    found = jax.vmap(lambda a, b: math.equal(a, b, incompatible_shape_error=False, out_shapes=()))(filled(4, 2), filled(4, 3))
    assert found.tolist() == [False] * 4


def test_an_op_that_says_nothing_runs_for_each_example(math):
    a, b = filled(4, 2, 3), filled(4, 3, 5)
    assert loops(jax.vmap(lambda x: math.cumsum(x, 0)), a)
    np.testing.assert_allclose(jax.vmap(math.mat_mul)(a, b), a @ b, rtol=1e-5)

"""vmap and gradients.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from versions import needs_shard_map

import opsrun


def random(*shape, dtype=np.float32):
    return jnp.asarray(np.random.default_rng(0).random(shape).astype(dtype) + dtype(0.5))


def test_vmap_is_a_call_for_each(ops):
    x = jnp.arange(1, 7).reshape(2, 3)
    assert jax.vmap(ops.zero_out.zero_out)(x).tolist() == [[1, 0, 0], [4, 0, 0]]
    assert jax.vmap(ops.zero_out.zero_out, in_axes=1, out_axes=1)(x).tolist() == [[1, 2, 3], [0, 0, 0]]
    add = jax.vmap(jax.vmap(ops.math_ops.add, (0, None)), (None, 0))
    assert add(jnp.float32([1, 2]), jnp.float32([10, 20])).tolist() == [[11, 12], [21, 22]]


def test_vmap_of_lists(ops):
    x = random(4, 3)
    np.testing.assert_array_equal(jax.vmap(lambda x: ops.list_ops.add_n([x, x, 2 * x]))(x), 4 * x)


def test_gradients_of_bundled_ops(ops):
    m = ops.math_ops
    x, y = random(3, 4), random(4)
    for function, args in [(m.mul, (x, y)), (m.tanh, (x,)), (m.div, (x, y)), (m.softmax, (x,)),
                           (m.mat_mul, (x, random(4, 2))), (lambda x: m.sum(m.exp(x), [0]), (x,)),
                           (lambda x: m.max(x, [1]), (x,)), (lambda x: ops.array_ops.transpose(x, [1, 0]), (x,)),
                           (lambda x: ops.shape_ops.reshape(x, [2, 6]), (x,)),
                           (lambda x: ops.array_ops.gather(x, [2, 0, 2]), (x,)),
                           (lambda x: ops.array_ops.slice(x, [1, 0], [2, -1]), (x,)),
                           (lambda x: ops.list_ops.pack([x, x]), (x,)),
                           (lambda x: ops.list_ops.split(1, x, num_split=2)[1], (x,))]:
        check_grads(function, args, order=2, rtol=2e-2, atol=2e-2)


def test_a_gradient_may_need_a_constant_that_is_an_array_of_jax(ops):
    axes = jnp.array([0, 1])
    for _ in range(2):
        assert jax.grad(lambda x: ops.math_ops.sum(x, axes))(random(2, 2)).tolist() == [[1, 1], [1, 1]]


def test_gradients_of_all_kinds_of_declarations(ops):
    t = ops.test_gradients
    x, y = random(3), random(3)
    for function, args in [(t.test_mul, (x, y)), (lambda x: t.test_scale(x, factor=-2.0), (x,)), (t.test_exp, (x,)),
                           (t.test_sum, (x,)), (lambda a, b, c, d: t.test_mul_each([a, b], [c, d]), (x, y, y, x))]:
        check_grads(function, args, order=2, rtol=2e-2, atol=2e-2)


def test_an_op_that_refuses_unknown_shapes(ops):
    rows = ops.adapter_ops.row_sums
    assert rows(jnp.ones((2, 3))).tolist() == [3, 3]
    assert jax.grad(lambda x: (rows(x) * jnp.float32([1, 2])).sum())(jnp.ones((2, 3))).tolist() == [[1] * 3, [2] * 3]
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="x is not known to be a matrix"):
        rows(jnp.ones(2))


def test_gradients_equal_those_of_opsrun(ops, here):
    x, w = np.asarray(random(5, 3)), np.asarray(random(3, 2))

    def loss(ops):
        return lambda w, x: ops.math_ops.sum(ops.math_ops.tanh(ops.math_ops.mat_mul(x, w)), [0, 1])

    value, (dw, dx) = jax.jit(jax.value_and_grad(loss(ops), (0, 1)))(w, x)
    expected, gradients = opsrun.value_and_grad(loss(here), (0, 1))(w, x)
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_array_equal(dw, gradients[0])
    np.testing.assert_array_equal(dx, gradients[1])


def test_gradients_of_complex_numbers_are_those_of_jax(ops):
    z = random(3) + 1j * random(3)[::-1]
    mine = jax.vjp(lambda z: ops.math_ops.mul(z, z), z)[1](z)[0]
    np.testing.assert_allclose(mine, jax.vjp(lambda z: z * z, z)[1](z)[0], rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda z: ops.math_ops.complex_abs(z).sum())(z), jax.grad(lambda z: abs(z).sum())(z),
                               rtol=1e-5)


def test_gradients_under_jit_and_vmap(ops):
    x = random(4, 3)
    per_row = jax.jit(jax.vmap(jax.grad(lambda x: ops.math_ops.mul(x, x).sum())))
    np.testing.assert_allclose(per_row(x), 2 * x)


@needs_shard_map
def test_shards_are_told_from_what_is_the_same_in_all(ops):
    mesh, along = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",)), jax.sharding.PartitionSpec("i")
    everywhere, tanh, x = jax.sharding.PartitionSpec(), ops.math_ops.tanh, random(2, 3)
    with pytest.raises(ValueError, match="replicat"):
        jax.shard_map(lambda x: tanh(x).sum(), mesh=mesh, in_specs=along, out_specs=everywhere)(x)

    def loss(x, y):
        return jax.lax.psum((tanh(x) * ops.math_ops.add(x, y)).sum(), "i")

    def expected(x, y):
        return (jnp.tanh(x) * (x + y)).sum()

    sharded = jax.shard_map(loss, mesh=mesh, in_specs=(along, everywhere), out_specs=everywhere)
    y = random(3)
    for mine, native in zip(jax.grad(sharded, (0, 1))(x, y), jax.grad(expected, (0, 1))(x, y)):
        np.testing.assert_allclose(mine, native, rtol=1e-5)
    twice = jax.shard_map(lambda x: jax.lax.scan(lambda x, _: (tanh(x), None), x, None, 2)[0], mesh=mesh, in_specs=along,
                          out_specs=along)
    np.testing.assert_allclose(twice(x), jnp.tanh(jnp.tanh(x)), rtol=1e-5)


def test_only_what_is_needed_must_have_a_gradient(ops):
    t = ops.test_gradients
    x = random(3)
    assert jax.grad(lambda x: t.test_flat(x).sum())(x).tolist() == [0, 0, 0]
    np.testing.assert_array_equal(jax.grad(lambda x: (jax.lax.stop_gradient(t.test_undeclared(x)) * x).sum())(x),
                                  t.test_undeclared(x))
    for transform in (lambda f: f, jax.jit):
        with pytest.raises(opsrun.errors.UnimplementedError, match="TestUndeclared declares no gradient"):
            transform(jax.grad(lambda x: t.test_undeclared(x).sum()))(x)


def test_an_invalid_gradient_says_where(ops):
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="cannot be differentiated.*shape"):
        jax.grad(lambda x: ops.test_gradients.test_wrong_shape(x, 1).sum())(random(3))


def test_integers_have_no_gradient(ops):
    x, indices = random(4), jnp.array([3, 0])
    gradient = jax.grad(lambda x, i: ops.array_ops.gather(x, i).sum())(x, indices)
    assert gradient.tolist() == [1, 0, 0, 1]

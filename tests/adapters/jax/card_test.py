"""Ops on a card. tests/adapters/on_card.py builds what is needed and runs this file.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(jax.default_backend() != "gpu", reason="JAX has no card here")


def random(*shape):
    return np.random.default_rng(0).random(shape, np.float32)


def test_ops_and_gradients_equal_those_of_jax(ops):
    m, x, w = ops.math_ops, random(64, 32), random(32, 16)
    mine, native = (jax.value_and_grad(loss, (0, 1)) for loss in (lambda x, w: m.tanh(m.mat_mul(x, w)).sum(),
                                                                  lambda x, w: jnp.tanh(x @ w).sum()))
    with jax.default_matmul_precision("highest"):
        for run in (mine, jax.jit(mine)):
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3), run(x, w), native(x, w))


def test_inputs_and_outputs_in_cpu_memory(ops):
    x = jnp.asarray(random(8, 9))
    np.testing.assert_allclose(jax.jit(lambda x, axis: ops.math_ops.sum(x, axis, out_shapes=(8,)))(x, jnp.array([1])), x.sum(1),
                               rtol=1e-5)
    assert ops.shape_ops.shape(x).tolist() == [8, 9]


def test_an_op_without_a_kernel_for_cards(ops):
    reduced = jax.jit(lambda shape, axis: ops.math_ops.reduced_shape(shape, axis, out_shapes=(2,)))
    assert reduced(jnp.array([7, 8]), jnp.array([1])).tolist() == [7, 1]


def test_sizes_that_only_the_kernel_knows(ops):
    y, idx = jax.jit(lambda x: ops.array_ops.unique(x, out_shapes=[(2,), None]))(jnp.array([7, 8, 7]))
    assert (y.tolist(), idx.tolist()) == ([7, 8], [0, 1, 0])


def test_work_of_jax_and_of_plugins_is_in_order(ops):
    step = jax.jit(lambda x: jnp.sin(ops.math_ops.tanh(x * 3)) + ops.math_ops.sum(x, [0]) / x.shape[0])
    x = expected = random(100_000)
    for _ in range(30):
        x, expected = step(x), np.sin(np.tanh(expected * 3)) + expected.mean()
    np.testing.assert_allclose(x, expected, rtol=1e-3)


def test_vmap(ops):
    x = random(4, 5)
    np.testing.assert_allclose(jax.vmap(ops.math_ops.tanh)(x), np.tanh(x), rtol=1e-5)


def test_a_failure_has_its_text(ops):
    with pytest.raises(jax.errors.JaxRuntimeError, match="array_ops.Unique, output y"):
        ops.array_ops.unique(jnp.array([7, 8, 7]), out_shapes=[(3,), None])[0].block_until_ready()

"""Shapes, which JAX must know before an op runs.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import opsrun


def test_the_example_of_the_guide(ops):
    shape_ops, array_ops = ops.shape_ops, ops.array_ops
    # [shapes]
    rows = jax.jit(lambda x: shape_ops.reshape(x, [2, -1]))(jnp.arange(6))  # the shape is a constant
    y, idx = array_ops.unique(jnp.array([7, 7, 8]), out_shapes=[(2,), None])  # the kernel would find it too late
    # [/shapes]
    assert rows.shape == (2, 3) and y.tolist() == [7, 8] and idx.tolist() == [0, 0, 1]


def test_eval_shape_runs_nothing(ops):
    x = jax.ShapeDtypeStruct((5, 2), jnp.bfloat16)
    assert jax.eval_shape(ops.math_ops.tanh, x) == x
    assert jax.eval_shape(ops.math_ops.mat_mul, jax.ShapeDtypeStruct((2, 3), jnp.float32),
                          jax.ShapeDtypeStruct((3, 4), jnp.float32)).shape == (2, 4)


def test_shapes_that_do_not_fit_are_an_error_of_the_trace(ops):
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="math_ops.MatMul"):
        jax.eval_shape(ops.math_ops.mat_mul, jnp.zeros((2, 3)), jnp.zeros((2, 3)))


def test_a_shape_may_depend_on_constants(ops):
    x = jnp.arange(12.0)
    reshape = ops.shape_ops.reshape
    assert reshape(x, [3, -1]).shape == (3, 4)
    assert reshape(x, jnp.array([6, 2])).shape == (6, 2)
    assert jax.jit(lambda x: reshape(x, [3, -1]))(x).shape == (3, 4)
    assert jax.jit(lambda x: reshape(x, np.array([2, 6])))(x).shape == (2, 6)
    assert [reshape(x, jnp.array(each)).shape for each in ([2, 6], [6, 2], [2, 6])] == [(2, 6), (6, 2), (2, 6)]


def test_only_inputs_that_determine_a_shape_are_constants(ops):
    """Other elements do not make another program."""
    from opsrun.jax import _prepared

    for i in range(3):
        assert ops.shape_ops.reshape(jnp.arange(6) + i, [3, 2])[0, 0] == i
    before = len(_prepared._prepared)
    for i in range(3):
        assert ops.shape_ops.reshape(jnp.arange(6) + 7 * i, [3, 2])[0, 0] == 7 * i
    assert len(_prepared._prepared) == before


def test_a_shape_that_an_op_gives_is_a_constant(ops):
    def like(x, y):
        return ops.shape_ops.reshape(x, ops.shape_ops.shape(y))

    assert jax.jit(like)(jnp.arange(6.0), jnp.zeros((2, 3))).shape == (2, 3)


def test_a_shape_cannot_depend_on_what_is_traced(ops):
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="an input that is traced.*out_shapes"):
        jax.jit(ops.shape_ops.reshape)(jnp.arange(6.0), jnp.array([2, 3]))
    reshape = jax.jit(lambda x, shape: ops.shape_ops.reshape(x, shape, out_shapes=(2, 3)))
    assert reshape(jnp.arange(6.0), jnp.array([2, 3])).shape == (2, 3)
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="INVALID_ARGUMENT: shape_ops.Reshape"):
        reshape(jnp.arange(6.0), jnp.array([3, 2])).block_until_ready()


def test_what_only_the_kernel_knows_must_be_said(ops):
    x = jnp.array([7, 8, 7])
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="array_ops.Unique.*'y'.*only the kernel.*out_shapes"):
        ops.array_ops.unique(x)
    y, idx = jax.jit(lambda x: ops.array_ops.unique(x, out_shapes=[(2,), None]))(x)
    assert (y.tolist(), idx.tolist()) == ([7, 8], [0, 1, 0])
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?s)array_ops.Unique, output y.*\[2\].*\[3\]"):
        ops.array_ops.unique(x, out_shapes=[(3,), None])[0].block_until_ready()


def test_an_op_without_a_shape_function(ops):
    x = jnp.arange(4)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="no shape function.*out_shapes"):
        ops.test_ops.test_split(x)
    first, second = jax.jit(lambda x: ops.test_ops.test_split(x, out_shapes=[(2,), (2,)]))(x)
    assert (first.tolist(), second.tolist()) == ([0, 1], [2, 3])


def test_out_shapes_are_checked(ops):
    x = jnp.zeros(3)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match=r"out_shapes has \[4\].*\[3\]"):
        ops.math_ops.tanh(x, out_shapes=(4,))
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="2 shapes, but the op has 1 output"):
        ops.math_ops.tanh(x, out_shapes=[(3,), (3,)])
    with pytest.raises(TypeError, match="out_shapes is a tuple of sizes"):
        ops.math_ops.tanh(x, out_shapes=3)
    assert ops.math_ops.tanh(x, out_shapes=(3,)).shape == (3,)

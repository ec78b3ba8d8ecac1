"""The examples of docs/other_frameworks.md.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np


def test_calls(plugins):
    zero_out_so, math_ops_so = plugins.zero_out, plugins.math_ops
    # [calls]
    import jax
    import jax.numpy as jnp
    import opsrun.jax

    ops = opsrun.jax.load_op_library(zero_out_so)
    ops.zero_out(jnp.array([5, 4, 3]))  # Array([5, 0, 0], dtype=int32)
    jax.jit(ops.zero_out)(jnp.array([5, 4, 3]))
    jax.vmap(lambda row: ops.zero_out(row, preserve_index=1))(jnp.ones((2, 3)))

    math = opsrun.jax.load_op_library(math_ops_so)
    jax.grad(lambda x: math.tanh(x).sum())(jnp.float32([0, 1]))  # Array([1., 0.41997433], dtype=float32)
    # [/calls]
    np.testing.assert_allclose(jax.grad(lambda x: math.tanh(x).sum())(jnp.float32([0, 1])), [1, 0.41997433], rtol=1e-5)


def test_shapes(plugins):
    import jax
    import jax.numpy as jnp

    import opsrun.jax

    shape_ops = opsrun.jax.load_op_library(plugins.shape_ops)
    array_ops = opsrun.jax.load_op_library(plugins.array_ops)
    # [shapes]
    rows = jax.jit(lambda x: shape_ops.reshape(x, [2, -1]))(jnp.arange(6))  # the shape is a constant
    y, idx = array_ops.unique(jnp.array([7, 7, 8]), out_shapes=[(2,), None])  # the kernel would find it too late
    # [/shapes]
    assert rows.shape == (2, 3) and y.tolist() == [7, 8] and idx.tolist() == [0, 0, 1]

"""in_jax.py: the plugin in JAX.

usage: in_jax.py shrink.so

SPDX-License-Identifier: Apache-2.0
"""

import sys

# [use]
import jax
import jax.numpy as jnp

import opsrun
import opsrun.jax

shrink = opsrun.jax.load_op_library(sys.argv[1])

@jax.jit
@jax.grad
def gradient(x):
    return shrink.pool_rows(shrink.soft_threshold(x, threshold=1.0), rows=2).sum()

slopes = gradient(jnp.array([[1, -3], [0.5, 2], [4, 0]]))
# [/use]
assert slopes.tolist() == [[0, 0.5], [0, 0.5], [1, 0]]

message = ""
# [failure]
try:
    jax.jit(shrink.kept_rows)(jnp.ones((2, 2)))
except opsrun.errors.InvalidArgumentError as error:
    message = str(error)
expected = ("shrink.KeptRows: the shape of output 'kept' must be known before the op runs, and it depends on the elements of an "
            "input that is traced, or large; give that as a list or an array of NumPy, or pass the shape: out_shapes=...")
kept = jax.jit(lambda x: shrink.kept_rows(x, out_shapes=(1, 2)))(jnp.array([[0.0, 0.0], [1.0, 0.0]]))
# [/failure]
assert message == expected, message
assert kept.tolist() == [[1, 0]]

"""opsrun's plugins as functions of JAX.

    import opsrun.jax

    ops = opsrun.jax.load_op_library("zero_out.so")
    jax.jit(ops.zero_out)(jnp.array([5, 4, 3]))

SPDX-License-Identifier: Apache-2.0
"""

from opsrun.jax._library import OpLibrary, load_op_library

__all__ = ["OpLibrary", "load_op_library"]

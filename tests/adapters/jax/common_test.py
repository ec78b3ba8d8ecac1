"""The list of tests that all frameworks have in common, in JAX, with types of 64 bits.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import pytest
from common_list import real_inputs, test_common, test_the_file_is_the_one_that_was_built, weights  # noqa: F401
from libraries import path_of

import opsrun.jax

jax.config.update("jax_enable_x64", True)
_library = opsrun.jax.load_op_library(path_of("adapter_ops"))


class Jax:
    NAME = "jax"

    def run(self, op, inputs, attrs, outputs):
        return jax.tree.map(jax.block_until_ready, jax.tree.leaves(self._function(op, attrs)(*jax.tree.map(jnp.asarray, inputs))))

    def compile(self, op, inputs, attrs, outputs):
        function = jax.jit(self._function(op, attrs))
        return lambda inputs: jax.tree.leaves(function(*inputs))

    def gradient(self, op, inputs, attrs, order):
        reals = real_inputs(inputs)

        def loss(*given):
            y = self._function(op, attrs)(*given)
            return (y * weights(y.shape).astype(y.dtype)).sum()

        slope = jax.grad(loss, reals)
        if order == 2:
            slope = jax.grad(lambda *given, first=slope: sum(each.sum() for each in first(*given)), reals)
        return jax.jit(slope)(*inputs)

    def named(self, case):
        return [f"adapter.ops.{case.op}", *([case.blames.split()[-1]] if case.blames else [])]

    def _function(self, op, attrs):
        call = getattr(_library, op)  # or why JAX does not have it
        return lambda *inputs: call(*inputs, **attrs)


host = pytest.fixture(lambda: Jax())

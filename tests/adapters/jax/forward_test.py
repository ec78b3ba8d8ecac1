"""Forward mode.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import kept
import numpy as np
import pytest
from versions import needs_shard_map

import opsrun


def random(*shape, dtype=np.float32):
    return jnp.asarray(np.random.default_rng(0).random(shape).astype(dtype) + dtype(0.5))


def test_forward_mode(ops):
    math, x = ops.math_ops, jnp.float32([0, 1])
    # [forward]
    y, slope = jax.jvp(math.tanh, (x,), (jnp.ones(2),))
    y, push = jax.linearize(math.tanh, x)
    curvature = jax.hessian(lambda x: math.tanh(x).sum())(x)
    # [/forward]
    np.testing.assert_allclose(slope, 1 - np.tanh(x) ** 2, rtol=1e-5)
    np.testing.assert_allclose(push(2 * x), 2 * x * slope, rtol=1e-5)
    np.testing.assert_allclose(curvature, np.diag(-2 * y * slope), rtol=1e-5, atol=1e-7)


X, W = random(2, 3), random(3, 2)
TRANSFORMS = {
    "jvp": lambda f: jax.jvp(f, (X, W), (2 * X, W)),
    "jvp of jit": lambda f: jax.jvp(jax.jit(f), (X, W), (2 * X, W)),
    "jit of jvp": lambda f: jax.jit(lambda x, w: jax.jvp(f, (x, w), (w.T, w)))(X, W),
    "linearize": lambda f: jax.linearize(f, X, W)[1](2 * X, W),
    "jacfwd": lambda f: jax.jacfwd(f, (0, 1))(X, W),
    "hessian": lambda f: jax.jit(jax.hessian(f, (0, 1)))(X, W),
    "jacrev of jacfwd": lambda f: jax.jacrev(jax.jacfwd(f))(X, W),
    "jacrev of jacrev": lambda f: jax.jacrev(jax.jacrev(f))(X, W),
    "jacfwd of jacfwd": lambda f: jax.jacfwd(jax.jacfwd(f))(X, W),
    "grad of jit of jvp": lambda f: jax.grad(jax.jit(lambda x: jax.jvp(f, (x, W), (x, W))[1]))(X),
    "jvp of jit of jvp": lambda f: jax.jvp(jax.jit(lambda x: jax.jvp(f, (x, W), (x, W))[1]), (X,), (X,)),
    "third order": lambda f: jax.jvp(lambda x: jax.jvp(jax.grad(f), (x, W), (x, W))[1], (X,), (X,)),
    "vmap of jvp": lambda f: jax.vmap(lambda x: jax.jvp(lambda x: f(x, W), (x[None],), (x[None],)))(X),
    "jvp of vmap": lambda f: jax.jvp(jax.vmap(lambda x, w: f(x[None], w), (1, None)), (X.T, W), (X.T, W)),
    "hessian of vmap": lambda f: jax.hessian(lambda w: jax.vmap(lambda x: f(x[None], w))(X).sum())(W),
    "jvp of scan": lambda f: jax.jvp(lambda x: jax.lax.scan(lambda x, _: (x * f(x, W), None), x, None, 3)[0], (X,), (X,)),
    "grad of checkpoint": lambda f: jax.grad(jax.checkpoint(f), (0, 1))(X, W),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_those_of_jax(ops, name):
    found = TRANSFORMS[name](lambda x, w: ops.math_ops.tanh(ops.math_ops.mat_mul(x, w)).sum())
    expected = TRANSFORMS[name](lambda x, w: jnp.tanh(x @ w).sum())
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


def test_derivatives_equal_those_of_opsrun(ops, here):
    def function(ops):
        return lambda x, w: ops.math_ops.softmax(ops.math_ops.mat_mul(x, w))

    mine = jax.jit(lambda x, w: jax.jvp(function(ops), (x, w), (2 * x, w)))(X, W)
    x, w = np.asarray(X), np.asarray(W)
    for found, expected in zip(mine, opsrun.jvp(function(here), (x, w), (2 * x, w))):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_several_outputs_and_lists(ops):
    x, dx = random(4), random(4)[::-1]
    powers, tangents = jax.jvp(ops.test_gradients.test_powers, (x,), (dx,))
    np.testing.assert_allclose(tangents[0], 2 * x * dx, rtol=1e-6)
    np.testing.assert_allclose(tangents[1], 3 * x * x * dx, rtol=1e-6)
    parts = jax.jvp(lambda x, y: ops.list_ops.split(0, ops.list_ops.add_n([x, y, x]), num_split=2), (x, x), (dx, 0 * dx))[1]
    np.testing.assert_allclose(jnp.concatenate(parts), 2 * dx)


def test_integers_have_no_tangent(ops):
    x, indices = random(4), jnp.array([3, 0])
    value, tangent = jax.jvp(lambda x: ops.array_ops.gather(x, indices), (x,), (2 * x,))
    np.testing.assert_array_equal(tangent, 2 * value)
    zero = np.zeros(2, jax.dtypes.float0)
    np.testing.assert_array_equal(jax.jvp(ops.array_ops.gather, (x, indices), (2 * x, zero))[1], 2 * value)
    unique = jax.jvp(lambda x: ops.array_ops.unique(x, out_shapes=[(4,), None]), (x,), (x,))[1]
    assert unique.idx.dtype == jax.dtypes.float0


def test_complex_numbers(ops):
    z = random(3) + 1j * random(3)[::-1]
    for mine, native in ((lambda z: ops.math_ops.mul(z, z), lambda z: z * z), (ops.math_ops.complex_abs, abs),
                         (ops.math_ops.conj, jnp.conj)):
        np.testing.assert_allclose(jax.jvp(mine, (z,), (1j * z + 1,))[1], jax.jvp(native, (z,), (1j * z + 1,))[1], rtol=1e-5)


@needs_shard_map
def test_shards(ops):
    mesh, along = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",)), jax.sharding.PartitionSpec("i")
    sharded = jax.shard_map(lambda x, y: ops.math_ops.mul(x, y), mesh=mesh, in_specs=(along, jax.sharding.PartitionSpec()),
                            out_specs=along)
    y = random(3)
    np.testing.assert_allclose(jax.jvp(sharded, (X, y), (X, 2 * y))[1], 3 * X * y, rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(sharded, (X, y), (0 * X, y))[1], X * y, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(lambda y: sharded(X, y).sum()))(y), X.sum(0), rtol=1e-6)


def test_only_what_is_needed_must_have_a_gradient(ops):
    t, x = ops.test_gradients, random(3)
    assert jax.jvp(t.test_flat, (x,), (x,))[1].tolist() == [0, 0, 0]
    frozen = jax.jvp(lambda x: t.test_undeclared(jax.lax.stop_gradient(x)) * x, (x,), (x,))[1]
    np.testing.assert_array_equal(frozen, x * x)
    for transform in (lambda f: f, jax.jit):
        with pytest.raises(opsrun.errors.UnimplementedError, match="TestUndeclared declares no gradient"):
            jax.jvp(transform(t.test_undeclared), (x,), (x,))


def test_reverse_mode_runs_the_declared_gradient_alone(ops):
    program = str(jax.make_jaxpr(jax.grad(lambda x: ops.math_ops.tanh(x).sum()))(X))
    assert "ffi_call" in program and "opsrun_tangent" not in program


def test_calls_end_although_jax_keeps_their_derivatives(ops, monkeypatch):
    from opsrun.jax import _prepared

    kept.forget(ops.math_ops)
    monkeypatch.setattr(_prepared._prepared, "most", 4)
    ops.math_ops.tanh(X)  # drops all but 4 calls
    of_others, programs = kept.ops(), kept.programs()
    for size in range(1, 13):
        jax.jvp(jax.grad(lambda x: ops.math_ops.tanh(x).sum()), (random(size),), (random(size),))
    kept.forget(ops.math_ops)
    if jax.__version_info__ < (0, 7):
        jax.clear_caches()  # which own the functions, too
    assert kept.ops() <= of_others + 4 and kept.programs() <= programs + 4


def test_programs_that_jax_keeps_do_not_keep_ops(ops):
    from opsrun.jax import _prepared

    def ops_in_use():
        _prepared._prepared.clear()
        kept.forget(ops.math_ops)
        return kept.ops()

    before = ops_in_use()
    for transform in TRANSFORMS.values():
        transform(lambda x, w: ops.math_ops.tanh(ops.math_ops.mat_mul(x, w)).sum())
    assert ops_in_use() <= before

"""Errors: of attrs and types when a function is traced, of kernels when it runs.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import opsrun
import opsrun.jax


X = jnp.arange(3)


def traced(function, shape=(3,), dtype=jnp.int32):
    return jax.eval_shape(function, jax.ShapeDtypeStruct(shape, dtype))


@pytest.mark.parametrize("error, message, call", [
    (opsrun.errors.InvalidArgumentError, "zero_out.ZeroOut: .*preserve_index.* at least 0",
     lambda ops: traced(lambda x: ops.zero_out.zero_out(x, preserve_index=-1))),
    (TypeError, "must be an int", lambda ops: traced(lambda x: ops.zero_out.zero_out(x, preserve_index=0.5))),
    (TypeError, "64|32", lambda ops: ops.zero_out.zero_out(X, preserve_index=np.float32(1))),
    (opsrun.errors.InvalidArgumentError, "the code is negative",  # by the constructor
     lambda ops: traced(lambda x: ops.adapter_ops.fails(x, code=-1), dtype=jnp.float32)),
    (TypeError, "unexpected argument 'index'", lambda ops: ops.zero_out.zero_out(X, index=1)),
    (TypeError, "is missing a required argument: 'to_zero'", lambda ops: ops.zero_out.zero_out()),
    (opsrun.errors.Error, "zero_out.ZeroOut|bool", lambda ops: traced(ops.zero_out.zero_out, dtype=jnp.complex64)),
    (opsrun.errors.UnimplementedError, "no CPU kernel of 'TestNoKernel'",
     lambda ops: traced(lambda x: ops.test_ops.test_no_kernel(x, out_shapes=(3,)), dtype=jnp.float32)),
    (TypeError, "int4", lambda ops: ops.array_ops.identity(jnp.zeros(3, jnp.int4))),
    (TypeError, "not a data type of opsrun", lambda ops: ops.array_ops.identity(jax.random.key(0))),
    (TypeError, "contains strings, but JAX has no arrays of strings", lambda ops: ops.array_ops.identity(["a", "b"])),
    (AttributeError, "^op string_to_number.StringToNumber is not available in JAX, which has no arrays of type string",
     lambda ops: ops.string_to_number.string_to_number),
    (AttributeError, "plugin 'zero_out' has no op 'one_out'", lambda ops: ops.zero_out.one_out),
    (opsrun.errors.InvalidArgumentError, "AddN", lambda ops: ops.list_ops.add_n([jnp.zeros(2), jnp.zeros(2, jnp.int32)])),
    (TypeError, "is a list of tensors, not", lambda ops: ops.list_ops.add_n(jnp.zeros(2))),
])
def test_what_is_refused_before_it_runs(ops, error, message, call):
    with pytest.raises(error, match=message):
        call(ops)


def test_ops_that_jax_cannot_have_are_listed(ops):
    assert "resource" in ops.array_ops.UNSUPPORTED["Variable"]


def test_attrs_are_constants(ops):
    for attrs in (lambda v: {"value": v}, lambda v: {"value": [v, 1.0]}, lambda v: {"same": [v]}):
        for transform in (jax.jit, jax.grad, jax.vmap):
            with pytest.raises(TypeError, match="of tensor_attr\\(\\) is traced by JAX, but an attr is a constant .* array of NumPy"):
                transform(lambda v: ops.adapter_ops.tensor_attr(**attrs(v)))(jnp.float32([1])[0 if transform is jax.grad else slice(None)])
    with pytest.raises(TypeError, match="attr 'preserve_index' of zero_out\\(\\) is traced"):
        jax.jit(lambda x, i: ops.zero_out.zero_out(x, preserve_index=i))(jnp.arange(3), 1)


def test_an_attr_may_have_as_many_dimensions_as_numpy_has(ops):
    assert int(ops.adapter_ops.tensor_attr(value=np.ones([1] * 64, np.float32), same=[])) == 65


@pytest.mark.parametrize("compile", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("message, call, x", [
    ("^INVALID_ARGUMENT: zero_out.ZeroOut, attr preserve_index: .*7.*3", lambda ops, x: ops.zero_out.zero_out(x, preserve_index=7), X),
    ("test_ops.TestFail.*: the sky fell", lambda ops, x: ops.test_ops.test_fail(x, message="the sky fell", out_shapes=(3,)), X),
    ("test_ops.TestThrow", lambda ops, x: ops.test_ops.test_throw(x, out_shapes=(3,)), X),
    ("^DATA_LOSS: adapter.ops.Fails, input x: told to fail, ä \N{REPLACEMENT CHARACTER}",
     lambda ops, x: ops.adapter_ops.fails(x, code=15), jnp.zeros(3)),
    ("^OUT_OF_RANGE: adapter.ops.Threads: element 77 is the wrong",
     lambda ops, x: ops.adapter_ops.threads(x, fail_at=77), jnp.zeros(100, jnp.int32)),
])
def test_kernels_fail_with_code_and_text(ops, compile, message, call, x):
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        compile(lambda x: call(ops, x))(x).block_until_ready()


def test_a_failed_call_spoils_nothing(ops):
    for _ in range(3):
        with pytest.raises(jax.errors.JaxRuntimeError):
            ops.zero_out.zero_out(jnp.arange(3), preserve_index=7).block_until_ready()
        assert ops.zero_out.zero_out(jnp.arange(3), preserve_index=2).tolist() == [0, 0, 2]


def _call(node, feeds="{x: {dtype: int32}}"):
    return f"opsrun: 1\nfeeds: {feeds}\nnodes: {{Call: {node}}}\n"


ZERO_OUT = "{op: zero_out.ZeroOut, in: {to_zero: x}}"
DAMAGED = ["", "zero_out.ZeroOut\n", _call(ZERO_OUT)[:-9], _call(ZERO_OUT, "{x: {dtype: int33}}"), _call(ZERO_OUT, "{x: {}}"),
           _call(ZERO_OUT, "{x: {value: 1}}"), _call(ZERO_OUT, "{y: {dtype: int32}}"), _call("{op: zero_out.ZeroOut, in: x}"),
           _call("{op: zero_out.ZeroOut, in: {to_zero: [x]}}"), _call("{op: zero_out.ZeroOut, in: {to_zero: Call}}"),
           _call("{op: zero_out.ZeroOut, in: {to_zero: x}, attrs: {preserve_index: x}}"),
           _call("{op: zero_out.ZeroOut, in: {to_zero: x}, attrs: {none_such: 1}}"), _call(f"{ZERO_OUT}, more: {ZERO_OUT}"),
           _call("{op: adapter.ops.TensorAttr, attrs: {value: {value: [a], dtype: float32}}}", "{}"),
           _call("{op: adapter.ops.TensorAttr, attrs: {value: {fill: 0, shape: [4611686018427387904, 4], dtype: float32}}}", "{}"),
           _call("{op: adapter.ops.AllAttrs, attrs: {shape: [-7]}}", "{}"), _call("{op: no.such.Op}", "{}")]


@pytest.mark.parametrize("text", DAMAGED, ids=repr)
def test_damaged_descriptions_are_refused(ops, text):
    from opsrun.jax import _native

    assert ops.zero_out and ops.adapter_ops
    with pytest.raises(opsrun.errors.Error):
        _native.find_op("a call", text).check_kernel()

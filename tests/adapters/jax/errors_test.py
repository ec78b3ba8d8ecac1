"""Errors: of attrs and types when a function is traced, of kernels when it runs.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import opsrun
import opsrun.jax


def test_attrs_are_checked_when_traced(ops):
    zero_out = ops.zero_out.zero_out
    x = jax.ShapeDtypeStruct((3,), jnp.int32)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="zero_out.ZeroOut: .*preserve_index.* at least 0"):
        jax.eval_shape(lambda x: zero_out(x, preserve_index=-1), x)
    with pytest.raises(TypeError, match="must be an int"):
        jax.eval_shape(lambda x: zero_out(x, preserve_index=0.5), x)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="the code is negative"):  # by the constructor
        jax.eval_shape(lambda x: ops.adapter_ops.fails(x, code=-1), jnp.zeros(3))
    with pytest.raises(TypeError, match="no argument 'index'"):
        zero_out(jnp.arange(3), index=1)
    with pytest.raises(TypeError, match="misses input 'to_zero'"):
        zero_out()


def test_attrs_are_constants(ops):
    for attrs in (lambda v: {"value": v}, lambda v: {"value": [v, 1.0]}, lambda v: {"same": [v]}):
        for transform in (jax.jit, jax.grad, jax.vmap):
            with pytest.raises(TypeError, match="of tensor_attr\\(\\) is traced by JAX, but an attr is a constant .* array of NumPy"):
                transform(lambda v: ops.adapter_ops.tensor_attr(**attrs(v)))(jnp.float32([1])[0 if transform is jax.grad else slice(None)])
    with pytest.raises(TypeError, match="attr 'preserve_index' of zero_out\\(\\) is traced"):
        jax.jit(lambda x, i: ops.zero_out.zero_out(x, preserve_index=i))(jnp.arange(3), 1)


def test_an_attr_may_have_32_dimensions(ops):
    assert int(ops.adapter_ops.tensor_attr(value=np.ones([1] * 32, np.float32), same=[])) == 33
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="an attr is a tensor of more than 32 dimensions"):
        ops.adapter_ops.tensor_attr(value=np.ones([1] * 33, np.float32))


def test_types_are_checked_when_traced(ops):
    with pytest.raises(opsrun.errors.Error, match="zero_out.ZeroOut|bool"):
        jax.eval_shape(ops.zero_out.zero_out, jax.ShapeDtypeStruct((3,), jnp.complex64))
    with pytest.raises(opsrun.errors.UnimplementedError, match="no CPU kernel of 'TestNoKernel'"):
        jax.eval_shape(lambda x: ops.test_ops.test_no_kernel(x, out_shapes=(3,)), jnp.zeros(3))
    with pytest.raises(TypeError, match="int4"):
        ops.array_ops.identity(jnp.zeros(3, jnp.int4))
    with pytest.raises(TypeError, match="not a data type of opsrun"):
        ops.array_ops.identity(jax.random.key(0))


@pytest.mark.parametrize("compile", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_kernels_fail_with_code_and_text(ops, compile):
    x = jnp.arange(3)
    with pytest.raises(jax.errors.JaxRuntimeError, match="^INVALID_ARGUMENT: zero_out.ZeroOut, attr preserve_index: .*7.*3"):
        compile(lambda x: ops.zero_out.zero_out(x, preserve_index=7))(x).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="test_ops.TestFail.*: the sky fell"):
        compile(lambda x: ops.test_ops.test_fail(x, message="the sky fell", out_shapes=(3,)))(x).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="test_ops.TestThrow"):
        compile(lambda x: ops.test_ops.test_throw(x, out_shapes=(3,)))(x).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="^DATA_LOSS: adapter.ops.Fails, input x: told to fail, ä \N{REPLACEMENT CHARACTER}"):
        compile(lambda x: ops.adapter_ops.fails(x, code=15))(jnp.zeros(3)).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="^OUT_OF_RANGE: adapter.ops.Threads: element 77 is the wrong"):
        compile(lambda x: ops.adapter_ops.threads(x, fail_at=77))(jnp.zeros(100, jnp.int32)).block_until_ready()


def test_a_failed_call_spoils_nothing(ops):
    for _ in range(3):
        with pytest.raises(jax.errors.JaxRuntimeError):
            ops.zero_out.zero_out(jnp.arange(3), preserve_index=7).block_until_ready()
        assert ops.zero_out.zero_out(jnp.arange(3), preserve_index=2).tolist() == [0, 0, 2]


def test_strings_and_handles_are_refused_in_a_sentence(ops):
    with pytest.raises(AttributeError, match="^op string_to_number.StringToNumber is not available in JAX, which has no "
                                             "arrays of type string"):
        _ = ops.string_to_number.string_to_number
    assert "resource" in ops.array_ops.UNSUPPORTED["Variable"]
    with pytest.raises(TypeError, match="holds texts, and JAX has no arrays of them"):
        ops.array_ops.identity(["a", "b"])
    with pytest.raises(AttributeError, match="plugin 'zero_out' has no op 'one_out'"):
        _ = ops.zero_out.one_out


def test_files_that_are_no_plugins(tmp_path):
    with pytest.raises(opsrun.errors.Error, match="missing.so"):
        opsrun.jax.load_op_library(tmp_path / "missing.so")
    (tmp_path / "text.so").write_text("no plugin")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="text.so"):
        opsrun.jax.load_op_library(str(tmp_path / "text.so"))


def test_a_list_where_arrays_differ_in_type(ops):
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="AddN"):
        ops.list_ops.add_n([jnp.zeros(2), jnp.zeros(2, jnp.int32)])
    with pytest.raises(TypeError, match="is a list of tensors, not"):
        ops.list_ops.add_n(jnp.zeros(2))
    with pytest.raises(TypeError, match="64|32"):
        ops.zero_out.zero_out(jnp.arange(3), preserve_index=np.float32(1))


DAMAGED = ["", "zero_out.ZeroOut\n", "zero_out.ZeroOut\nin to_zero 3", "zero_out.ZeroOut\nin to_zero three 0",
           "zero_out.ZeroOut\nin to_zero 999 0", "zero_out.ZeroOut\nin to_zero 3 7", "zero_out.ZeroOut\nin to_zero 7 0",
           "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 1", "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 1 x",
           "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 4 'abc", "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 2 0x1p0",
           "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 99 1", "zero_out.ZeroOut\nin to_zero 3 0\nattr preserve_index 257 1 2",
           "zero_out.ZeroOut\nin to_zero 3 0\nattr %zz 1 2", "zero_out.ZeroOut\nin to_zero 3 0\nattr none_such 1 2",
           "adapter.ops.TensorAttr\nattr value 7 1[2]'00", "adapter.ops.TensorAttr\nattr value 7 1[-1]'",
           "adapter.ops.TensorAttr\nattr value 7 1[9223372036854775807,8]'", "adapter.ops.TensorAttr\nattr value 7 7[]'",
           "adapter.ops.TensorAttr\nattr value 7 1[4611686018427387904,4]'",
           "adapter.ops.TensorAttr\nattr value 7 '[1", "adapter.ops.AllAttrs\nattr shape 6 [1,", "adapter.ops.AllAttrs\nattr shape 6 [-7]",
           "adapter.ops.AllAttrs\nattr s 4 '%4", "no.such.Op"]


@pytest.mark.parametrize("text", DAMAGED, ids=repr)
def test_damaged_descriptions_are_refused(ops, text):
    from opsrun.jax import _native

    assert ops.zero_out and ops.adapter_ops
    with pytest.raises(opsrun.errors.Error):
        _native.find_op(text).make_kernel()

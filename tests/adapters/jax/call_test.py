"""A plugin gives the same results in JAX as in opsrun's own package.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from versions import enable_x64


def test_the_example_of_the_guide(plugins):
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
    assert ops.zero_out(jnp.array([5, 4, 3])).tolist() == [5, 0, 0]
    np.testing.assert_allclose(jax.grad(lambda x: math.tanh(x).sum())(jnp.float32([0, 1])), [1, 0.41997433], rtol=1e-5)


def equal(in_jax, in_opsrun):
    """The same types, shapes and bits."""
    if isinstance(in_opsrun, (list, tuple)):
        assert len(in_jax) == len(in_opsrun)
        for a, b in zip(in_jax, in_opsrun):
            equal(a, b)
        return
    assert in_jax.dtype == in_opsrun.dtype and in_jax.shape == in_opsrun.shape
    assert np.asarray(in_jax).tobytes() == np.asarray(in_opsrun).tobytes()


def same(function, reference, *args, **kwargs):
    expected = reference(*args, **kwargs)
    equal(function(*args, **kwargs), expected)
    equal(jax.jit(lambda *given: function(*given, **kwargs))(*args), expected)


def numbers(dtype, shape=(3, 4)):
    return (np.arange(np.prod(shape)).reshape(shape) % 5 - 1).astype(dtype)


DTYPES = ["float32", "float16", "int8", "int16", "int32", "uint8", "uint16", "uint32", "bool", "complex64",
          *(getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz",
                                                  "float8_e4m3b11fnuz", "float8_e5m2fnuz"))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(ops, here, dtype):
    same(ops.array_ops.identity, here.array_ops.identity, numbers(dtype))


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint64", "complex128"])
def test_types_of_64_bits(ops, here, dtype):
    assert ops.array_ops.identity(numbers(dtype)).dtype == jax.dtypes.canonicalize_dtype(dtype)  # as everywhere in JAX
    with enable_x64(True):
        same(ops.array_ops.identity, here.array_ops.identity, numbers(dtype))


def test_results_of_64_bits_are_those_of_jax(ops):
    position = ops.math_ops.arg_max(jnp.float32([1, 3, 2]), 0)
    assert (position.dtype, jnp.float32([5, 6, 7])[position]) == (jnp.int32, 6)
    assert jax.grad(lambda x: 3 * ops.cast.cast(x, DstT="float64"))(jnp.float32(2)) == 3
    with enable_x64(True):
        assert ops.math_ops.arg_max(jnp.float32([1, 3, 2]), 0).dtype == jnp.int64


def test_zero_out(ops, here):
    same(ops.zero_out.zero_out, here.zero_out.zero_out, numbers("int32"))
    same(ops.zero_out.zero_out, here.zero_out.zero_out, numbers("float32"), preserve_index=5)
    assert ops.zero_out.ZeroOut is ops.zero_out.zero_out


def test_shapes(ops, here):
    for shape in [(), (0,), (1, 0, 2), (2,) * 9]:
        same(ops.math_ops.tanh, here.math_ops.tanh, numbers("float32", shape))


def test_lists(ops, here):
    values = [numbers("float32") + i for i in range(12)]
    for function, reference in [(ops.list_ops.add_n, here.list_ops.add_n), (ops.list_ops.pack, here.list_ops.pack)]:
        expected = reference(values)
        equal(function(values), expected)
        equal(jax.jit(function)([jnp.asarray(each) for each in values]), expected)
        equal(function([jnp.asarray(each) for each in values]), expected)
    same(lambda x: ops.list_ops.split(0, x, num_split=3), lambda x: here.list_ops.split(0, x, num_split=3),
         numbers("int32"))
    mixed = [np.float32([1, 2]), np.int32(3), np.array([True])]
    equal(ops.list_ops.identity_n(mixed), here.list_ops.identity_n(mixed))


def test_plain_values_take_the_type_of_arrays(ops, here):
    same(lambda x: ops.math_ops.add(x, 2), lambda x: here.math_ops.add(x, 2), numbers("float32"))
    equal(ops.math_ops.add([1, 2], 0.5), here.math_ops.add([1, 2], 0.5))


def test_an_array_in_a_list_is_not_a_list_of_arrays(ops):
    x = jnp.float32([1, 2])
    for _ in range(2):
        assert ops.math_ops.neg([x, x]).tolist() == [[-1, -2], [-1, -2]]


ATTRS = [{}, {"i": 2**40}, {"f": 1e-3}, {"f": float("-inf")}, {"b": False}, {"s": "'%\n \\é"}, {"s": ""}, {"t": "int8"},
         {"shape": []}, {"shape": [None, 7, 0]}, {"is_": []}, {"is_": [7, -9]}, {"fs": [0.1, -0.0]}, {"bs": [True] * 3},
         {"ss": ["", "a,b", "[2]"]}, {"ts": [np.float32, bool]}, {"shapes": [[1, None], []]}]


@pytest.mark.parametrize("attrs", ATTRS, ids=repr)
def test_attrs(ops, here, attrs):
    expected = here.adapter_ops.all_attrs(**attrs)
    with enable_x64(True):
        equal(ops.adapter_ops.all_attrs(**attrs, out_shapes=expected.shape), expected)


@pytest.mark.parametrize("attrs", [{}, {"value": np.float32([[1, 2.5], [3, -0.0]])}, {"value": np.zeros((0, 2), np.float32)},
                                   {"same": [np.float32([7]), np.float32(0.25)]}, {"value": [0.5, 2]}], ids=repr)
def test_attrs_that_are_tensors(ops, here, attrs):
    same(ops.adapter_ops.tensor_attr, here.adapter_ops.tensor_attr, **attrs)


def test_an_attr_that_is_an_array_of_jax(ops):
    value = jnp.float32([1, 2])
    assert ops.adapter_ops.tensor_attr(value=value) == 4
    assert jax.jit(lambda x: x + ops.adapter_ops.tensor_attr(value=value, same=[value, 1.0]))(jnp.float32(1)) == 10


def test_lists_of_several_types_and_names_that_are_keywords(ops, here):
    given, others = [np.float32([1]), np.float32([2])], [np.int8([3]), np.float16([[4]])]
    shapes = [(), (1,), (1, 1), (1,), (1,)]
    equal(ops.adapter_ops.mixed(in_=given, others=others, out_shapes=shapes), here.adapter_ops.mixed(given, others))


def test_what_a_kernel_keeps_outlives_the_array(ops):
    previous = ops.adapter_ops.previous
    assert [float(previous(jnp.full(1000, float(i)))[0]) for i in range(4)] == [0, 0, 1, 2]


def test_shared_objects_outlive_kernels(ops):
    with enable_x64(True):
        assert [int(ops.adapter_ops.count(by=i)) for i in (1, 2, 1)] == [1, 3, 4]


def test_arrays_are_not_copied(ops):
    """An input is where XLA has it, and an output where XLA wants it: a temporary array is used once and in place."""
    text = jax.jit(lambda x: ops.math_ops.neg(ops.math_ops.neg(x))).lower(jnp.zeros(1024)).compile().as_text()
    assert "copy" not in text


def test_the_fast_way_of_a_call_is_the_slow_one(ops):
    x = jnp.int32([5, 4, 3])
    results = [ops.zero_out.zero_out(x, preserve_index=i).tolist() for i in (0, 1, 1, 2, 0)]
    assert results == [[5, 0, 0], [0, 4, 0], [0, 4, 0], [0, 0, 3], [5, 0, 0]]
    assert ops.zero_out.zero_out(jnp.float32([5, 4])).tolist() == [5, 0]


def test_help(ops):
    import inspect

    assert str(inspect.signature(ops.zero_out.zero_out)) == "(to_zero, *, preserve_index: 'int' = 0, out_shapes=None)"
    assert "out_shapes: the shape of the output" in ops.zero_out.zero_out.__doc__

"""Calls of ops: what may be given, and what comes back.

SPDX-License-Identifier: Apache-2.0
"""

import array
import concurrent.futures
import ctypes
import json

import numpy as np
import pytest

import opsrun
from opsrun._engine import engine
from opsrun._library import make_function
from opsrun._op_def import OpDef
from opsrun.ops import array_ops, cast, list_ops, math_ops, shape_ops, string_to_number, zero_out


def test_arrays_keep_their_type():
    for dtype in ("int8", "uint16", "int64", "float16", "float64", "complex64"):
        x = np.arange(3).astype(dtype)
        np.testing.assert_array_equal(math_ops.add(x, x), x + x, strict=True)


def test_plain_values_take_the_type_of_other_arguments_or_their_own():
    for x, y, dtype in ((np.float64([1, 2]), 1, "f8"), (1, np.int8([1, 2]), "i1"), (np.float32(0.5), [1, 2], "f4"), (1, 2, "i4"),
                        (2**40, 2, "i8"), (1.5, [2, 3], "f4"), (1j, 2, "c16")):
        assert math_ops.add(x, y).dtype == dtype
    assert array_ops.identity(True).dtype == np.bool_
    assert math_ops.exp(1).dtype == np.float32  # it takes no integers


def test_plain_values_agree_on_a_type():
    for x, y, dtype in ((1, 2.5, "f4"), (2.5, 1, "f4"), ([1, 2], 0.5, "f4"), (1, 2**40, "i8"), (2, 1j, "c16"), ([], 1, "i4")):
        for _ in range(2):
            result = math_ops.add(x, y)
            np.testing.assert_array_equal(result, np.add(x, y))
            assert result.dtype == dtype
    assert array_ops.range(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert list_ops.pack([1, 2.5]).tolist() == [1, 2.5]
    choose = opsrun.function(lambda x, y, z: math_ops.select_v2(x > 1, y, z))
    for y, z, dtype in ((1, 0, "i4"), (2**40, 0, "i8")):
        assert choose(np.float64([1, 2]), y, z).dtype == dtype
    np.testing.assert_array_equal(opsrun.function(lambda x: math_ops.select_v2(x > 1, 1, 0.5))(np.float64([1, 2])), [0.5, 1])


def test_other_layouts():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for other in (x.T, x[::-1], x[:, ::2], np.asfortranarray(x), x.astype(">f4"), x[0, 0], x[:0]):
        np.testing.assert_array_equal(math_ops.neg(other), -other)
    fixed = x.copy()
    fixed.setflags(write=False)
    np.testing.assert_array_equal(math_ops.neg(fixed), -x)
    unaligned = np.frombuffer(b"?" + x.tobytes(), np.uint8)[1:].view(np.float32)
    np.testing.assert_array_equal(math_ops.neg(unaligned), -x.reshape(-1))


@pytest.mark.parametrize("first", range(17))
def test_compares_large_arrays_wherever_they_begin(first):
    x, y = np.random.default_rng(first).random((2, 5001)).astype(np.float32)
    for a, b in [(x[first:], y[first:]), (x[first:], y[:1]), (x[:1], y[first:])]:
        np.testing.assert_array_equal(math_ops.less(a, b), a < b)


def test_both_numbers_of_a_64_bit_integer():
    for number in (np.longlong, np.int64, np.ulonglong):
        x = np.array([1, 2], number)
        np.testing.assert_array_equal(math_ops.add(x, x), [2, 4])


def test_buffers_and_dlpack():
    np.testing.assert_array_equal(math_ops.neg(memoryview(np.int32([1, 2]))), [-1, -2])

    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    np.testing.assert_array_equal(math_ops.neg(Exporter(np.float32([1, 2]))), [-1, -2])


@pytest.mark.parametrize("buffer", [array.array("d", [0.1, 2]), (ctypes.c_double * 2)(0.1, 2), array.array("B", [1, 255]), bytearray(b"ab")])
def test_buffers_keep_their_type(buffer):
    expected = np.asarray(buffer) + np.asarray(buffer)
    for result in (math_ops.add(buffer, buffer), math_ops.add(buffer, buffer), opsrun.function(lambda x: x + x)(buffer)):
        np.testing.assert_array_equal(result, expected, strict=True)


def test_empty_lists_are_of_a_type_that_the_op_takes():
    assert math_ops.neg([[], []]).shape == (2, 0)
    x = np.float32([[1, 2]])
    np.testing.assert_array_equal(math_ops.sum(x, []), x)
    assert shape_ops.reshape(x[:, :1], ()).shape == ()


def test_any_byte_but_0_is_true():
    for n in (1, 3, 8, 100):
        bytes_ = np.arange(n, dtype=np.uint8) * 2
        bools, expected = bytes_.view(np.bool_), bytes_ != 0
        for _ in range(2):
            np.testing.assert_array_equal(math_ops.logical_not(bools), ~expected)
        np.testing.assert_array_equal(cast.cast(bools, DstT="int32"), expected)
        np.testing.assert_array_equal(opsrun.function(lambda x: x & True)(bools), expected)
        np.testing.assert_array_equal(opsrun.function(lambda x, b=bools: x & b)(np.bool_(True)), expected)
        assert bytes_[-1] == (n - 1) * 2 % 256


def test_results_own_their_memory():
    x = np.arange(4, dtype=np.int32)
    first, second = zero_out.zero_out(x), zero_out.zero_out(x)
    first[0] = 7
    assert second[0] == 0 and x[1] == 1
    assert first.ctypes.data % 64 == 0


def test_strings():
    result = string_to_number.string_to_number(["1.5", b"2", "nan"])
    np.testing.assert_array_equal(result, np.float32([1.5, 2, np.nan]))
    kept = array_ops.identity(np.array(["ä", "", "a\0b"], object))
    assert kept.tolist() == ["ä".encode(), b"", b"a\0b"]
    assert array_ops.identity(np.array([["x", "yy"]])).tolist() == [[b"x", b"yy"]]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    result = math_ops.add(x, x)
    assert result.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(result.astype(np.float32), [3, 5])
    assert cast.cast(np.float32([1.5]), DstT="bfloat16").dtype == ml_dtypes.bfloat16


def test_lists():
    parts = list_ops.split(0, [1, 2, 3, 4], num_split=2)
    assert isinstance(parts, list)
    np.testing.assert_array_equal(parts, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(list_ops.add_n([np.float32([1, 2]), [3, 4]]), [4, 6])
    mixed = list_ops.identity_n([np.int32(1), np.float32(2), "x"])
    assert [each.dtype.kind for each in mixed] == ["i", "f", "O"]


def test_several_outputs_are_a_named_tuple():
    result = array_ops.unique(np.int32([3, 1, 3]))
    assert result._fields == ("y", "idx")
    np.testing.assert_array_equal(result.y, [3, 1])
    y, idx = result
    np.testing.assert_array_equal(idx, [0, 1, 0])


def test_attrs():
    np.testing.assert_array_equal(zero_out.zero_out([5, 6, 7], preserve_index=1), [0, 6, 0])
    for dtype in (np.int64, "int64"):
        assert array_ops.unique([1], out_idx=dtype).idx.dtype == np.int64


def test_inputs_by_name():
    np.testing.assert_array_equal(math_ops.sub(y=1, x=3), 2)
    np.testing.assert_array_equal(math_ops.sub(3, y=1, name="difference"), 2)


def test_one_op_with_many_types_and_attrs_in_turn():
    for _ in range(3):
        for n in range(1, 12):
            for k in (0, n - 1):
                expected = np.zeros(n)
                expected[k] = k + 1
                np.testing.assert_array_equal(zero_out.zero_out(np.arange(1.0, n + 1), preserve_index=k), expected)


def test_attrs_that_are_equal_but_of_other_types_are_not_the_same():
    x = np.float32([[1, 2], [3, 4]])
    axes = np.int32([0])
    assert math_ops.sum(x, axes, keep_dims=True).shape == (1, 2)
    with pytest.raises(TypeError, match="must be True or False, not 1"):
        math_ops.sum(x, axes, keep_dims=1)
    assert math_ops.sum(x, axes, keep_dims=True).shape == (1, 2)


def test_lists_as_attrs_may_change_between_calls():
    x = np.zeros((1, 1, 2, 1), np.float32)
    dims = [0]
    assert array_ops.squeeze(x, squeeze_dims=dims).shape == (1, 2, 1)
    dims[0] = 3
    assert array_ops.squeeze(x, squeeze_dims=dims).shape == (1, 1, 2)


@pytest.mark.parametrize("value, reason", [
    ([[1, 2], [3]], "not rectangular"),
    ([1, "a"], "neither numbers nor strings|not a string|must be"),
    (object(), "it holds object"),
    ({"a": 1}, "it holds dict"),
    (None, "it holds NoneType"),
    (2**70, "do not fit int64"),
    (np.ma.masked_array([1, 2], [True, False]), "masked array"),
    (np.array(["2001-01-01"], "datetime64[D]"), "datetime64"),
    (np.zeros(2, [("a", int)]), "not a data type of opsrun"),
    (np.array([object()]), "not bytes or str"),
])
def test_what_is_no_tensor(value, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        math_ops.neg(value)


@pytest.mark.parametrize("error, message, call", [
    (TypeError, r"input 'x' of add\(\) cannot be a bool: the op takes float16", lambda: math_ops.add(True, 1)),
    (ValueError, r"input 'y' of add\(\) is not rectangular", lambda: math_ops.add(1, [[1], [1, 2]])),
    (TypeError, r"input 'y' of add\(\) must be int32, not a float", lambda: math_ops.add(np.int32([1]), 1.5)),
    (OverflowError, "does not fit int8", lambda: math_ops.add(np.int8([1]), 1000)),
    (TypeError, "not a string", lambda: math_ops.add(np.int8([1]), "1")),
    (TypeError, "cannot be a bool", lambda: math_ops.add(np.int32([1]), True)),
    (TypeError, "its element 1 is int, not bytes or str", lambda: array_ops.identity(np.array(["a", 1], object))),
    (TypeError, "is a list of tensors, not ndarray", lambda: list_ops.add_n(np.zeros((2, 2)))),
    (TypeError, r"attr 'preserve_index' of zero_out\(\) must be an int, not 1.5", lambda: zero_out.zero_out([5], preserve_index=1.5)),
    (TypeError, "is missing a required argument: 'num_split', of type int", lambda: list_ops.split(0, [1, 2])),
    (TypeError, "got an unexpected argument 'preserve'; did you mean 'preserve_index'", lambda: zero_out.zero_out([5], preserve=1)),
    (TypeError, "takes 1 input but 2 were given; attrs are given by name: preserve_index", lambda: zero_out.zero_out([5], 1)),
    (opsrun.errors.InvalidArgumentError, "preserve_index", lambda: zero_out.zero_out([5], preserve_index=-1)),
    (TypeError, "is missing a required argument: 'y'", lambda: math_ops.sub(1)),
    (TypeError, "two values for input 'x'", lambda: math_ops.sub(1, x=1)),
    ((opsrun.errors.ResourceExhaustedError, MemoryError), None, lambda: shape_ops.fill(np.int64([2**40, 2**10]), 1.0)),
])
def test_what_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_an_error_of_the_kernel_has_its_parts():
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="divided by 0") as caught:
        math_ops.div(np.int32([1, 2]), np.int32([1, 0]))
    assert isinstance(caught.value, ValueError)
    assert caught.value.diagnostics[0].code.startswith("R")
    with pytest.raises(opsrun.errors.InvalidArgumentError) as caught:
        math_ops.add(np.zeros(2), np.zeros(3))
    assert [each.code for each in caught.value.diagnostics] == ["G217"]
    assert str(caught.value).startswith("add(x: float64 [2], y: float64 [3]): Shapes [2] and [3] cannot be broadcast")


def test_threads():
    x = np.arange(10_000, dtype=np.float32)
    wrong = []

    def work(k):
        for _ in range(50):
            if not np.array_equal(math_ops.mul(x, np.float32(k)), x * np.float32(k)):
                wrong.append(k)

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert not wrong


NUMBERS = [True, False, 0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**24 + 1, 2**40, 2**63 - 1, 2**63, 2**64, 0.5, -0.0, 1e300,
           float("inf"), float("nan")]


@pytest.mark.parametrize("name", ["Add", "Equal"])
@pytest.mark.parametrize("dtype", [None, "bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64",
                                   "complex64"])
def test_a_number_means_the_same_in_every_call(dtype, name):
    """What a call of an op remembers of earlier ones changes neither results nor errors."""
    def outcome(op, number):
        try:
            result = op(number if dtype is None else np.ones(2, dtype), number)
        except (TypeError, ValueError, OverflowError, opsrun.errors.Error) as error:
            return type(error), str(error)
        return result.dtype, result.tobytes()

    spec = json.loads(engine().describe(f"math_ops.{name}"))
    fresh = [outcome(make_function(OpDef(spec), "m"), number) for number in NUMBERS]
    used = make_function(OpDef(spec), "m")
    for _ in range(3):
        assert [outcome(used, number) for number in NUMBERS] == fresh

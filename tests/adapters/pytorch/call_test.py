"""Calls of operators: arguments, results, attrs.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures

import pytest
import torch

import opsrun
import opsrun.torch
from libraries import path_of


def test_the_example_of_the_guide(zero_out_so):
    # [calls]
    ops = opsrun.torch.load_op_library(zero_out_so)
    ops.zero_out(torch.tensor([5, 4, 3]))  # tensor([5, 0, 0])
    torch.ops.opsrun_zero_out.ZeroOut(torch.ones(2, 2), preserve_index=3)  # the same operator
    # [/calls]
    assert ops.zero_out(torch.tensor([5, 4, 3])).tolist() == [5, 0, 0]
    assert torch.ops.opsrun_zero_out.ZeroOut(torch.ones(2, 2), preserve_index=3).tolist() == [[0, 0], [0, 1]]
    assert ops.ZeroOut is ops.zero_out is torch.ops.opsrun_zero_out.ZeroOut
    assert opsrun.torch.load_op_library(zero_out_so) is ops


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64,
                                   torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64,
                                   torch.bool, torch.complex64, torch.complex128, torch.float8_e5m2,
                                   torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz])
def test_takes_every_type_that_both_have(arrays, dtype):
    x = torch.tensor([0, 1, 1]).to(dtype)
    y = arrays.identity(x)
    assert y.dtype == dtype and torch.equal(y.view(torch.uint8), x.view(torch.uint8))
    assert y.data_ptr() != x.data_ptr()


def test_an_input_is_used_in_place(ops):
    # A kernel that only reads sees the memory of the caller: what is written to x is there in the next call.
    x = torch.ones(4)
    assert ops.squares(x).tolist() == [1, 1, 1, 1]
    x[0] = 3
    assert ops.squares(x).tolist() == [9, 1, 1, 1]


@pytest.mark.parametrize("view", [lambda x: x.t(), lambda x: x[:, 1:3], lambda x: x[::2], lambda x: x[1:], lambda x: x.flip(0),
                                  lambda x: x.expand(2, 4, 5), lambda x: x[0:0], lambda x: x[2, 3]])
def test_takes_tensors_of_any_layout(ops, view):
    x = view(torch.arange(20.).reshape(4, 5))
    assert torch.equal(ops.squares(x), x * x)


def test_takes_conjugates_negatives_and_unaligned_memory(arrays):
    z = torch.tensor([1 + 2j, 3 - 1j])
    assert torch.equal(arrays.identity(z.conj()), z.conj().resolve_conj())
    assert torch.equal(arrays.identity(z.conj().imag), -z.imag)
    unaligned = torch.frombuffer(bytearray(1 + 4 * 3), dtype=torch.float32, offset=1, count=3)
    assert arrays.identity(unaligned).tolist() == [0, 0, 0]


def test_attrs_have_the_defaults_of_the_op(ops, same_ops):
    expected = [7, 0.5, 1, 3, 9, 2, 2, -1, 2, 1, 2, 0, 1, 1, 2, 1, 2, 1, 1, 0, -1, 1, -1, 1, 2, 3]
    assert ops.all_attrs().tolist() == expected == same_ops.all_attrs().tolist()


def test_attrs_of_every_kind(ops, same_ops):
    given = dict(i=-3, f=0.25, b=False, s="hello", shape=[4, -1, 6], bs=[False, True], ss=["a"], fs=[1.5, -2], shapes=[[1], []])
    given["is"] = [5]
    theirs = ops.all_attrs(t=torch.float64, ts=[torch.int8, torch.bool], is_=given.pop("is"), **given)
    ours = same_ops.all_attrs(t="float64", ts=["int8", "bool"], is_=[5], **given)
    assert theirs.tolist() == ours.tolist()


def test_attrs_that_are_tensors(ops, same_ops):
    assert ops.tensor_attr().item() == 1.5
    value = torch.tensor([[1, 2.5], [3, -0.]])
    for attrs in ({"value": value}, {"value": value.t()[:1]}, {"value": torch.zeros(0, 2)}, {"value": torch.complex(value, value).imag},
                  {"same": [torch.tensor([7.]), torch.tensor(0.25)]}, {"same": []}):
        plain = {name: [each.numpy() for each in attr] if isinstance(attr, list) else attr.numpy() for name, attr in attrs.items()}
        assert ops.tensor_attr(**attrs).item() == same_ops.tensor_attr(**plain)
    value.zero_()  # another value is another kernel
    assert ops.tensor_attr(value=value).item() == 2
    assert torch.vmap(lambda row: ops.tensor_attr(value=row))(torch.arange(6.).reshape(3, 2)).tolist() == [2, 6, 10]


def test_lists_in_and_out(ops, lists):
    total, others, numbers = ops.mixed([torch.ones(1), torch.full((2,), 4.)], [torch.arange(2), torch.tensor(True), torch.ones(0)])
    assert total.item() == 5
    assert [each.tolist() for each in others] == [[0, 1], True, []]
    assert [each.tolist() for each in numbers] == [[1], [4, 4]]
    parts = lists.split(torch.tensor(0, dtype=torch.int32), torch.arange(6), num_split=3)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3], [4, 5]]
    assert lists.add_n([torch.ones(2)] * 3).tolist() == [3, 3]


def test_several_outputs(arrays):
    y, index = arrays.unique(torch.tensor([7, 7, 8]))
    assert y.tolist() == [7, 8] and index.tolist() == [0, 0, 1]
    assert arrays.unique(torch.tensor([7]), out_idx=torch.int64)[1].dtype == torch.int64


def test_an_op_without_inputs(ops):
    before = ops.count(by=0).item()
    assert ops.count().item() == before + 1  # kernels of different attrs share the object
    assert ops.count(by=10).item() == before + 11


def test_what_a_kernel_keeps_is_not_what_the_caller_changes(ops):
    x, y = torch.tensor([1., 2]), torch.tensor([3., 4])
    ops.previous(x)
    x.zero_()
    kept = ops.previous(y)
    assert kept.tolist() == [1, 2]
    kept.zero_()
    assert ops.previous(x).tolist() == [3, 4]


def test_a_temporary_as_two_outputs(ops):
    doubled, again = ops.scratch(torch.tensor([1., 2]))
    doubled.zero_()
    assert again.tolist() == [2, 4]


def test_many_attrs_do_not_fill_the_memory_with_kernels(zero_out):
    x = torch.arange(200.)
    for index in range(200):
        assert zero_out(x, preserve_index=index).sum() == index


def test_several_threads(ops, math):
    wrong = []

    def work(seed):
        x = torch.full((20_000,), float(seed))
        for _ in range(50):
            if not torch.equal(ops.squares(x), x * x) or not torch.equal(math.add(x, x), x + x):
                wrong.append(seed)

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert wrong == []


def test_blocks_run_on_pytorchs_threads(ops):
    before = torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            x = torch.randn(100_000)
            assert torch.equal(ops.squares(x), x * x)
    finally:
        torch.set_num_threads(before)


def test_both_packages_share_a_plugin_file_in_one_process(ops, same_ops):
    x = torch.tensor([1., 2])
    assert same_ops.squares(x).tolist() == ops.squares(torch.from_numpy(same_ops.squares(x) * 0 + x.numpy())).tolist()
    # Two engines: each has objects of its own.
    theirs = ops.count(by=100).item()
    assert same_ops.count(by=0).item() < theirs


def test_an_op_that_pytorch_cannot_have(ops):
    lib = opsrun.torch.load_op_library(path_of("string_to_number"))
    assert lib.OP_LIST == () and "AllAttrs" in ops.OP_LIST
    with pytest.raises(AttributeError, match="has no tensors of type string \\(input 'string_tensor'\\)"):
        _ = lib.string_to_number
    with pytest.raises(AttributeError, match="no op 'nothing'"):
        _ = ops.nothing

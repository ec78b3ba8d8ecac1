"""Errors: the exception of each code, and what its text says.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
import torch

import opsrun.torch

EXCEPTIONS = {3: ValueError, 8: MemoryError, 9: RuntimeError, 11: IndexError, 12: NotImplementedError, 13: RuntimeError}


@pytest.mark.parametrize("code", EXCEPTIONS)
def test_a_kernel_fails(ops, code):
    with pytest.raises(EXCEPTIONS[code]) as caught:
        ops.fails(torch.ones(1), code=code)
    assert type(caught.value) is EXCEPTIONS[code]
    assert "opsrun_adapter_ops::Fails (input x, " in str(caught.value) and "told to fail" in str(caught.value)


def test_two_plugins_with_one_namespace(ops):
    assert ops.NAMESPACE == "opsrun_adapter_ops"
    with pytest.raises(RuntimeError, match="plugins 'adapter.ops' and 'adapter_ops' have the same name in PyTorch"):
        type(ops)("adapter_ops", "adapter_ops.so", [])


def test_the_example_of_the_guide(zero_out_so):
    ops = opsrun.torch.load_op_library(zero_out_so)
    # [errors]
    try:
        ops.zero_out(torch.ones(3), preserve_index=9)
    except ValueError as error:
        print(error)
    # opsrun_zero_out::ZeroOut (attr preserve_index, INVALID_ARGUMENT): preserve_index is 9, but to_zero has only 3 elements
    # [/errors]
    with pytest.raises(ValueError, match="^opsrun_zero_out::ZeroOut \\(attr preserve_index, INVALID_ARGUMENT\\): "
                       "preserve_index is 9, but to_zero has only 3 elements$"):
        ops.zero_out(torch.ones(3), preserve_index=9)
    assert ops.zero_out(torch.ones(3), preserve_index=2).tolist() == [0, 0, 1]  # nothing is spoiled


@pytest.mark.parametrize("error, message, call", [
    (RuntimeError, "told to fail, ä \N{REPLACEMENT CHARACTER}$", lambda ops: ops.fails(torch.ones(1), code=15)),
    (RuntimeError, "FAILED_PRECONDITION", lambda ops: ops.fails(torch.ones(1), code=9)),
    (ValueError, "the code is negative", lambda ops: ops.fails(torch.ones(1), code=-1)),
    (ValueError, "a tensor is not float32", lambda ops: ops.tensor_attr(value=torch.tensor(1))),
    (ValueError, "attr is a tensor of ComplexHalf, which opsrun does not have",
     lambda ops: ops.tensor_attr(value=torch.zeros(1, dtype=torch.complex32))),
    (ValueError, "attr is a tensor of more than 64 dimensions", lambda ops: ops.tensor_attr(value=torch.ones([1] * 65))),
    (NotImplementedError, r"an attr is a tensor that is not dense in CPU memory; use .cpu\(\) or .to_dense",
     lambda ops: ops.tensor_attr(value=torch.ones(2).to_sparse())),
    (NotImplementedError, "an attr is a tensor in the memory of meta; use .cpu",
     lambda ops: ops.tensor_attr(value=torch.ones(2, device="meta"))),
    (ValueError, "attr 'value' requires a gradient, but an attr is a constant; use .detach",
     lambda ops: ops.tensor_attr(value=torch.ones(2, requires_grad=True))),
    (ValueError, "has 0 tensors, but op 'Mixed' requires at least 1", lambda ops: ops.mixed([], [torch.ones(1)])),
    (ValueError, "more than 64 dimensions", lambda ops: ops.squares(torch.ones([1] * 65))),
])
def test_calls_that_are_refused(ops, error, message, call):
    with pytest.raises(error, match=message):
        call(ops)


@pytest.mark.parametrize("error, message, x", [
    (ValueError, "makes attr 'T' complex64, but op 'ZeroOut' allows float32", torch.zeros(3, dtype=torch.complex64)),
    (ValueError, "ComplexHalf, which opsrun does not have", torch.zeros(3, dtype=torch.complex32)),
    (NotImplementedError, r"::ZeroOut runs on dense tensors in CPU memory or on an NVIDIA GPU, but an input is not dense; use .to_dense\(\)",
     torch.ones(3).to_sparse()),
    (NotImplementedError, "runs on dense tensors in CPU memory or on an NVIDIA GPU, but an input is quantized",
     torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)),
])
def test_tensors_that_are_refused(zero_out, error, message, x):
    with pytest.raises(error, match=message):
        zero_out(x)
    with pytest.raises(ValueError, match="requires at least 0"):
        zero_out(torch.ones(3), preserve_index=-1)


def test_shapes_that_the_op_does_not_take(math):
    with pytest.raises(ValueError, match="does not accept these shapes"):
        math.mat_mul(torch.ones(2, 3, device="meta"), torch.ones(2, 3, device="meta"))

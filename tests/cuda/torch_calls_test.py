"""torch_calls_test.py: calls of opsrun.torch on a card, on the fake driver. The test is PyTorch's allocator for CUDA.

usage: torch_calls_test.py FOLDER...     the plugins for the fake driver

It needs a PyTorch that is built for CUDA, which has tensors of such devices even where no card is, and skips otherwise.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import sys
import unittest
import unittest.mock
from ctypes import CFUNCTYPE, POINTER, byref, c_int, c_int32, c_size_t, c_void_p

import torch

CUDA = ctypes.CDLL("libcuda.so.1")
CARD = torch.device("cuda", 0)


def cuda(name, *arguments):
    error = getattr(CUDA, name)(*arguments)
    assert error == 0, f"{name} returns {error}"


class Stream:
    """PyTorch's current stream."""

    current = None

    def __init__(self):
        self.handle = c_void_p()
        cuda("cuStreamCreate", byref(self.handle), 1)

    def __enter__(self):
        Stream.current = self

    def __exit__(self, *_):
        Stream.current = None

    def wait(self):
        cuda("cuStreamSynchronize", self.handle)

    def capture(self, run):
        """What run() enqueues, as a graph that can be launched."""
        graph, launchable = c_void_p(), c_void_p()
        spare.extend(allocate(256) for _ in range(4))  # what the allocator of PyTorch has for a graph
        cuda("cuStreamBeginCapture_v2", self.handle, 1)
        try:
            result = run()
        finally:
            CUDA.cuStreamEndCapture(self.handle, byref(graph))
            spare.clear()
        cuda("cuGraphInstantiateWithFlags", byref(launchable), graph, ctypes.c_ulonglong(0))
        cuda("cuGraphLaunch", launchable, self.handle)
        return result


spare = []


def allocate(n_bytes):
    memory = c_void_p()
    if n_bytes > 0:
        cuda("cuMemAlloc_v2", byref(memory), c_size_t(n_bytes))
    return memory.value or 0


@CFUNCTYPE(c_int, c_int32, POINTER(c_void_p))
def current_stream(card, stream):
    stream[0] = Stream.current.handle
    return 0


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    n = 1 + sum((each - 1) * step for each, step in zip(size, stride)) if 0 not in size else 0
    n_bytes = n * dtype.itemsize
    storage = torch._C._construct_storage_from_data_pointer(spare.pop() if spare else allocate(n_bytes), CARD, n_bytes)
    metadata = {"dtype": dtype, "size": torch.Size(size), "stride": tuple(stride), "storage_offset": 0}
    return torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(metadata, storage)


def copy_(to, source, non_blocking=False):
    elements = to_cpu(source) if source.is_cuda else source.contiguous()
    if not to.is_cuda:
        ctypes.memmove(to.data_ptr(), elements.data_ptr(), to.nbytes)
    elif to.nbytes > 0:
        cuda("cuMemcpyHtoDAsync_v2", c_void_p(to.data_ptr()), c_void_p(elements.data_ptr()), c_size_t(to.nbytes),
             Stream.current.handle)
        Stream.current.wait()
    return to


def to_cpu(tensor):
    n = tensor.untyped_storage().nbytes() // tensor.element_size()
    elements = torch.empty(n, dtype=tensor.dtype)
    if n > 0:
        cuda("cuMemcpyDtoHAsync_v2", c_void_p(elements.data_ptr()), c_void_p(tensor.untyped_storage().data_ptr()),
             c_size_t(elements.nbytes), Stream.current.handle)
        Stream.current.wait()
    return elements.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).contiguous()


def to_card(tensor):
    return copy_(empty_strided(tensor.shape, tensor.contiguous().stride(), dtype=tensor.dtype), tensor)


class Calls(unittest.TestCase):
    def setUp(self):
        self.stream = Stream()
        self.enterContext(self.stream)

    def expect(self, found, expected):
        self.assertEqual(found.device, CARD)
        torch.testing.assert_close(to_cpu(found), torch.as_tensor(expected, dtype=found.dtype))

    def test_a_kernel_on_the_card(self):
        x = torch.linspace(-2, 2, 6).reshape(2, 3)
        self.expect(ops.math_ops.tanh(to_card(x)), x.tanh())
        self.expect(ops.math_ops.tanh(to_card(x).t()), x.t().tanh())
        with torch.no_grad():
            self.expect(ops.math_ops.tanh(to_card(torch.ones(0, 3))), torch.ones(0, 3))

    def test_inputs_and_outputs_in_cpu_memory(self):
        x = torch.arange(6.0).reshape(2, 3)
        for axes in (torch.tensor([1]), to_card(torch.tensor([1]))):
            self.expect(ops.math_ops.sum(to_card(x), axes), [3, 12])
        self.expect(ops.shape_ops.shape(to_card(x)), [2, 3])

    def test_an_input_in_cpu_memory_beside_one_on_the_card(self):
        self.expect(ops.math_ops.mul(to_card(torch.arange(3.0)), torch.tensor(2.0)), [0, 2, 4])

    def test_an_op_without_a_kernel_for_cards_runs_on_the_cpu(self):
        self.expect(ops.adapter_ops.positive(to_card(torch.tensor([3.0, -1, 4]))), [3, 4])
        found = [ops.adapter_ops.previous(to_card(torch.tensor([x]))) for x in (5.0, 6.0, 7.0)]
        self.assertEqual([to_cpu(each).item() for each in found[1:]], [5, 6])

    def test_a_kernel_that_waits_for_its_stream(self):
        y, idx = ops.array_ops.unique(to_card(torch.tensor([3.0, 1, 3])))
        self.expect(y, [3, 1])
        self.expect(idx, [0, 1, 0])

    def test_inputs_on_two_cards(self):
        storage = torch._C._construct_storage_from_data_pointer(0, torch.device("cuda", 1), 0)
        other = torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(
            {"dtype": torch.float32, "size": torch.Size([0]), "stride": (1,), "storage_offset": 0}, storage)
        with self.assertRaisesRegex(ValueError, "::Mul: inputs are on different devices, cuda:0 and cuda:1; move them to one"):
            ops.math_ops.mul(to_card(torch.ones(0)), other)

    def test_an_attr_on_the_card(self):
        with self.assertRaisesRegex(NotImplementedError, "an attr is a tensor that is not dense in CPU memory; use .cpu"):
            ops.adapter_ops.tensor_attr(value=to_card(torch.ones(2)))

    def test_a_failure(self):
        with self.assertRaisesRegex(ValueError, "ZeroOut .*preserve_index is 9"):
            ops.zero_out.zero_out(to_card(torch.ones(3)), preserve_index=9)

    def test_other_streams_and_temporaries(self):
        self.expect(ops.beside.add_on_side(to_card(torch.arange(5, dtype=torch.int32))), [2, 3, 4, 5, 6])

    def test_a_tensor_of_an_earlier_call_on_another_stream(self):
        rows = torch.arange(12, dtype=torch.int32).reshape(4, 3)
        for row, expected in zip(rows, [rows[0], *rows], strict=False):
            with Stream():
                self.expect(ops.beside.last(to_card(row)), expected)
        Stream.current = self.stream

    def test_memory_on_a_thread_with_another_stream(self):
        x, handles = to_card(torch.ones(3)), [self.stream.handle, Stream().handle]  # of the call, and of its output
        with unittest.mock.patch.object(Stream, "current", type("", (), {"handle": property(lambda _: handles.pop(0))})()):
            with self.assertRaisesRegex(RuntimeError, "memory of the GPU on a thread where PyTorch has another current stream"):
                ops.math_ops.tanh(x)

    def test_more_kernels_than_are_kept(self):
        x = torch.arange(1, 81)
        for i in range(80):
            self.expect(ops.zero_out.zero_out(to_card(x), preserve_index=i), torch.where(x == i + 1, x, 0))

    def test_a_cuda_graph(self):
        x, axes = to_card(torch.arange(6.0).reshape(2, 3)), torch.tensor([1])
        self.expect(ops.math_ops.sum(x, axes), [3, 12])  # makes the kernel
        y = self.stream.capture(lambda: ops.math_ops.sum(x, axes))
        self.expect(y, [3, 12])

    def test_calls_that_a_cuda_graph_cannot_have(self):
        x, axes = to_card(torch.ones(2, 3)), to_card(torch.tensor([1]))
        for why, call in [("reads an input in CPU memory; use .cpu", lambda: ops.math_ops.sum(x, axes)),
                          ("an input is in CPU memory; use .cuda", lambda: ops.math_ops.mul(x, torch.tensor(2.0))),
                          ("writes an output to CPU memory", lambda: ops.shape_ops.shape(x)),
                          ("has no kernel for GPUs", lambda: ops.adapter_ops.positive(x)),
                          ("launches the same work", lambda: ops.array_ops.unique(x.view(6)))]:
            call()
            with self.assertRaisesRegex(RuntimeError, "cannot be captured in a CUDA graph: .*" + why):
                self.stream.capture(call)


if __name__ == "__main__":
    if not hasattr(torch._C, "_construct_CUDA_Tensor_From_Storage_And_Metadata"):
        print("skipped: this PyTorch is not built for CUDA")
        sys.exit()
    cuda("cuInit", 0)
    context = c_void_p()
    cuda("cuDevicePrimaryCtxRetain", byref(context), 0)
    cuda("cuCtxPushCurrent_v2", context)
    import opsrun.torch
    from opsrun.torch import _native

    library = torch.library.Library("aten", "IMPL")
    library.impl("empty_strided", empty_strided, "CUDA")
    library.impl("copy_", copy_, "CUDA")
    _native.use_streams(ctypes.cast(current_stream, c_void_p).value)

    class Ops:
        def __getattr__(self, name):
            return opsrun.torch.load_op_library(next(path for path in (f"{folder}/{name}.so" for folder in sys.argv[1:])
                                                     if os.path.exists(path)))

    ops = Ops()
    unittest.main(argv=sys.argv[:1])

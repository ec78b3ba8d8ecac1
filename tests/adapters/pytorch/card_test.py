"""Ops on a card. tests/adapters/on_card.py builds what is needed and runs this file.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch has no card here")


def random(*shape, requires_grad=True):
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)).to("cuda").requires_grad_(requires_grad)


def test_ops_and_gradients_equal_those_of_pytorch(math):
    x, w = random(64, 32), random(32, 16)
    expected = torch.autograd.grad(torch.tanh(x @ w).sum(), (x, w))
    for run in (lambda: math.tanh(math.mat_mul(x, w)), torch.compile(lambda: math.tanh(math.mat_mul(x, w)), fullgraph=True)):
        y = run()
        torch.testing.assert_close(y, torch.tanh(x @ w), rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(torch.autograd.grad(y.sum(), (x, w)), expected, rtol=1e-3, atol=1e-4)


def test_inputs_and_outputs_in_cpu_memory(math, shapes):
    x = random(8, 9)
    for axes in (torch.tensor([1]), torch.tensor([1], device="cuda")):
        y = math.sum(x, axes)
        torch.testing.assert_close(y, x.sum(1))
        torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], torch.ones_like(x))
    sizes = shapes.shape(x)
    assert (sizes.device, sizes.tolist()) == (x.device, [8, 9])
    torch.testing.assert_close(math.mul(x, torch.tensor(2.0)), 2 * x)


def test_an_op_without_a_kernel_for_cards(math):
    y = math.reduced_shape(torch.tensor([2, 3], device="cuda"), torch.tensor([1]))
    assert (y.device.type, y.tolist()) == ("cuda", [2, 1])


def test_work_of_pytorch_and_of_plugins_is_in_order(math):
    def step(x):
        return torch.sin(math.tanh(x * 3)) + math.sum(x, torch.tensor([0])) / x.shape[0]

    def of_pytorch(x):
        return torch.sin(torch.tanh(x * 3)) + x.mean()

    x = expected = random(100_000, requires_grad=False)
    streams = [torch.cuda.Stream() for _ in range(2)]
    for i in range(30):
        expected, stream = of_pytorch(expected), streams[i % 2]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            x = step(x)
        torch.cuda.current_stream().wait_stream(stream)
        x.record_stream(torch.cuda.current_stream())
    torch.testing.assert_close(x, expected, rtol=1e-3, atol=1e-4)


@torch.no_grad()
def test_a_cuda_graph(math):
    x, graph = random(4, 5), torch.cuda.CUDAGraph()
    with torch.cuda.stream(torch.cuda.Stream()):
        math.sum(math.tanh(x), torch.tensor([1]))  # makes the kernels
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = math.sum(math.tanh(x), torch.tensor([1]))
    for _ in range(3):
        x.mul_(2)
        graph.replay()
        torch.testing.assert_close(y, x.tanh().sum(1))


@torch.no_grad()
def test_vmap_and_layouts(math):
    x = random(4, 5)
    torch.testing.assert_close(torch.vmap(math.tanh)(x), x.tanh())
    torch.testing.assert_close(math.tanh(x.t()[1:]), x.t()[1:].tanh())
    assert math.tanh(x[:0]).shape == (0, 5)


def test_a_failure_has_its_text(zero_out):
    with pytest.raises(ValueError, match="preserve_index is 9"):
        zero_out(random(3), preserve_index=9)

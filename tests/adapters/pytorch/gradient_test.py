"""Gradients: those that plugins declare, in autograd.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("op,shapes", [("tanh", [(3, 2)]), ("sigmoid", [(4,)]), ("add", [(3, 4), (4,)]), ("sub", [(2, 1), (3,)]),
                                       ("mul", [(3, 4), (3, 1)]), ("mat_mul", [(3, 4), (4, 2)]), ("softmax", [(2, 3)]),
                                       ("exp", [(3,)]), ("squared_difference", [(2, 3), (3,)])])
def test_gradients_of_math_ops(math, op, shapes):
    given = [random(*shape) for shape in shapes]
    assert gradcheck(getattr(math, op), given)


@pytest.mark.parametrize("op,shapes", [("tanh", [(3,)]), ("mul", [(2, 3), (3,)]), ("mat_mul", [(2, 3), (3, 2)])])
def test_gradients_of_gradients(math, op, shapes):
    given = [random(*shape) for shape in shapes]
    assert gradgradcheck(getattr(math, op), given)


def test_the_example_of_the_guide(math):
    # [gradients]
    x = torch.randn(3, 4, requires_grad=True)
    w = torch.randn(4, 2, requires_grad=True)
    loss = math.tanh(math.mat_mul(x, w)).sum()
    loss.backward()  # by what the plugin declares; x.grad and w.grad are there
    # [/gradients]
    y = torch.tanh(x.detach() @ w.detach())
    torch.testing.assert_close(w.grad, x.detach().t() @ (1 - y * y))


def test_attrs_reach_the_gradient(zero_out):
    x = torch.ones(4, requires_grad=True)
    zero_out(x, preserve_index=2).sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 0]


def test_an_op_that_refuses_unknown_shapes(ops):
    for rows in (2, 3, 2, 3):
        x = torch.ones(rows, 4, requires_grad=True)
        (ops.row_sums(x) * torch.arange(rows)).sum().backward()
        assert x.grad.tolist() == [[row] * 4 for row in range(rows)]
    with pytest.raises(ValueError, match="input x, INVALID_ARGUMENT\\): x is not a matrix"):
        ops.row_sums(torch.ones(2))


def test_an_invalid_gradient_is_the_same_error_each_time(gradient_ops):
    ops = gradient_ops
    x, n = torch.ones(3, requires_grad=True), torch.tensor(1, dtype=torch.int32)
    for _ in range(3):
        y = ops.test_wrong_shape(x, n)
        with pytest.raises(RuntimeError, match="an invalid gradient at index 0 - got \\[\\] but expected shape compatible with \\[3\\]"):
            y.sum().backward()
        with pytest.raises(ValueError, match="TestNoSuchName cannot be differentiated: .* 'z' is neither an argument of op"):
            ops.test_no_such_name(x, n)


def test_gradients_of_shapes_that_come_again(math):
    """The first one is for all shapes; later ones leave out what their shapes make needless."""
    shapes = [((3, 4), (3, 4)), ((3, 4), (4,)), ((1, 4), (3, 1))] + [((3, n), (3, n)) for n in range(5, 90)]
    for a, b in shapes * 2 + shapes[:3] * 2:
        x, y = torch.randn(a, requires_grad=True), torch.randn(b, requires_grad=True)
        seed = torch.randn(torch.broadcast_shapes(a, b))
        mine = torch.autograd.grad(math.mul(x, y), (x, y), seed)
        for found, expected in zip(mine, torch.autograd.grad(x * y, (x, y), seed), strict=True):
            torch.testing.assert_close(found, expected)


def test_sums_that_shapes_make_needless_are_left_out(math):
    x, y = torch.randn(5, 7, requires_grad=True), torch.randn(5, 7, requires_grad=True)

    def calls():
        with torch.autograd.profiler.profile() as profile:
            math.sub(x, y).sum().backward()
        return sum(event.name.endswith("::SumToShape") for event in profile.function_events)

    assert [calls() for _ in range(3)] == [2, 0, 0]


def test_lists(lists):
    a, b = random(2), random(2)
    assert gradcheck(lambda a, b: lists.add_n([a, b, a]), [a, b])
    assert gradcheck(lambda a: tuple(lists.split(torch.tensor(0, dtype=torch.int32), a, num_split=2)), [random(4, 3)])
    assert gradcheck(lambda a, b: lists.pack([a, b], axis=1), [a, b])


def test_inputs_without_a_gradient(arrays):
    x = random(4, 2)
    assert gradcheck(lambda x: arrays.gather(x, torch.tensor([2, 0, 2])), [x])


def test_only_what_is_needed_is_computed(math):
    x, w = random(3, 4), torch.randn(4, 2, dtype=torch.float64)
    math.mat_mul(x, w).sum().backward()
    assert x.grad.shape == (3, 4) and w.grad is None


def test_an_output_that_nothing_depends_on(lists):
    x = random(4)
    first, _ = lists.split(torch.tensor(0, dtype=torch.int32), x, num_split=2)
    first.sum().backward()
    assert x.grad.tolist() == [1, 1, 0, 0]


def test_complex_numbers(math):
    z = torch.randn(3, dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda z: math.mul(z, z), [z])


def test_an_op_that_declares_none(ops):
    x = torch.ones(3, requires_grad=True)
    y = ops.squares(x)
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="op 'Squares' of plugin 'adapter.ops' declares no gradient; use .detach"):
        y.sum().backward()
    assert not ops.squares(x.detach()).requires_grad
    with torch.no_grad():
        assert not ops.squares(x).requires_grad


def test_an_op_that_needs_none(math):
    x = torch.ones(3, requires_grad=True)
    assert not math.less(x, x + 1).requires_grad
    assert not math.floor(x).requires_grad


def test_a_second_backward_is_an_error(math):
    x = torch.ones(3, requires_grad=True)
    loss = math.tanh(x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_a_saved_tensor_that_was_changed_is_an_error(math):
    x = torch.ones(3, requires_grad=True)
    y = math.tanh(x)
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()

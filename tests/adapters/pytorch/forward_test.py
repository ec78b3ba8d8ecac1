"""Forward mode: derivatives in a direction, from the declared gradients.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
import torch
from torch.autograd import forward_ad, gradcheck

X = torch.tensor([0.3, -0.8], dtype=torch.float64)


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_the_example_of_the_guide(math):
    x = torch.tensor([0., 1])
    # [forward]
    y, slope = torch.func.jvp(math.tanh, (x,), (torch.ones(2),))
    jacobian = torch.func.jacfwd(math.tanh)(x)
    hessian = torch.func.hessian(lambda x: math.tanh(x).sum())(x)
    # [/forward]
    expected = 1 - torch.tanh(x) ** 2
    torch.testing.assert_close(y, torch.tanh(x))
    torch.testing.assert_close(slope, expected)
    torch.testing.assert_close(jacobian, torch.diag(expected))
    torch.testing.assert_close(hessian, torch.diag(-2 * torch.tanh(x) * expected))


@pytest.mark.parametrize("op,shapes", [("tanh", [(3, 2)]), ("add", [(3, 4), (4,)]), ("mul", [(3, 4), (3, 1)]),
                                       ("mat_mul", [(3, 4), (4, 2)]), ("softmax", [(2, 3)])])
def test_tangents_are_measured_slopes(math, op, shapes):
    given = [random(*shape) for shape in shapes]
    assert gradcheck(getattr(math, op), given, check_forward_ad=True, check_backward_ad=False)


def test_the_gradient_of_a_tangent_and_the_tangent_of_a_gradient(math):
    assert gradcheck(lambda x, t: torch.func.jvp(math.tanh, (x,), (t,))[1], [random(3), random(3)])
    x, t = torch.randn(3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    _, slope = torch.func.jvp(torch.func.grad(lambda x: math.tanh(x).sum()), (x,), (t,))
    y = torch.tanh(x)
    torch.testing.assert_close(slope, -2 * y * (1 - y * y) * t)


def test_dual_tensors(math):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(X, torch.ones_like(X))
        y, slope = forward_ad.unpack_dual(math.mul(math.tanh(dual), X))
        assert forward_ad.unpack_dual(math.tanh(X)).tangent is None
        with torch.no_grad():
            again = forward_ad.unpack_dual(math.tanh(dual)).tangent
    expected = 1 - torch.tanh(X) ** 2
    torch.testing.assert_close(y, torch.tanh(X) * X)
    torch.testing.assert_close(slope, expected * X)
    torch.testing.assert_close(again, expected)
    assert not slope.requires_grad


def test_only_one_input_has_a_tangent(math):
    w = torch.randn(2, 3, dtype=torch.float64)
    _, slope = torch.func.jvp(lambda x: math.mat_mul(x, w), (X[None],), (torch.ones_like(X)[None],))
    torch.testing.assert_close(slope, torch.ones_like(X)[None] @ w)


def test_lists(lists):
    zero = torch.tensor(0, dtype=torch.int32)
    halves, slopes = torch.func.jvp(lambda x: tuple(lists.split(zero, lists.add_n([x, x]), num_split=2)), (X,), (X + 1,))
    assert torch.equal(torch.cat(halves), 2 * X) and torch.equal(torch.cat(slopes), 2 * (X + 1))


def test_second_derivatives(math):
    def f(x):
        return math.tanh(x).sum()

    t = 1 - torch.tanh(X) ** 2
    expected = torch.diag(-2 * torch.tanh(X) * t)
    for nested in (torch.func.jacfwd(torch.func.jacfwd(f)), torch.func.jacfwd(torch.func.jacrev(f)),
                   torch.func.jacrev(torch.func.jacfwd(f))):
        torch.testing.assert_close(nested(X), expected)


def test_an_op_without_a_gradient_is_an_error_only_for_a_tangent(ops, math):
    with pytest.raises(NotImplementedError, match="op 'Squares' of plugin 'adapter.ops' declares no gradient"):
        torch.func.jvp(ops.squares, (X.float(),), (X.float(),))
    _, slope = torch.func.jvp(lambda x: x * ops.squares(X.float()), (X.float(),), (torch.ones(2),))
    assert torch.equal(slope, X.float() ** 2)
    y, slope = torch.func.jvp(lambda x: math.less(x, X).double() * x, (X - 1,), (X,))
    assert torch.equal(y, X - 1) and torch.equal(slope, X)


def test_an_attr_with_a_tangent_is_an_error(ops):
    with pytest.raises(ValueError, match="attr 'value' requires a gradient, but an attr is a constant"):
        torch.func.jvp(lambda x: ops.tensor_attr(value=x), (X.float(),), (X.float(),))


def test_compiled_functions(math):
    compiled = torch.compile(lambda x, t: torch.func.jvp(math.tanh, (x,), (t,)), fullgraph=True, backend="aot_eager")
    y, slope = compiled(X, X)
    torch.testing.assert_close((y, slope), torch.func.jvp(torch.tanh, (X,), (X,)))

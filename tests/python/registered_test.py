"""Gradients that are registered in Python.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import pytest

import opsrun
from opsrun.ops import array_ops, math_ops

# Ops that declare no gradient: TestUndeclared gives its input, TestNoKernelYet has no kernel.
PLUGINS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops")
lib = opsrun.load_op_library(os.path.join(PLUGINS, "test_gradients.so"))


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr("opsrun._derive.registered", {})
    monkeypatch.setattr("opsrun._trace.not_differentiable", set())


def test_an_op_without_a_gradient_gets_one():
    seen = []

    @opsrun.RegisterGradient("TestUndeclared")
    def _undeclared_grad(op, grad):
        seen.append((op.type, op.name, op.get_attr("T"), op.inputs[0].shape, op.outputs[0].dtype, grad.shape))
        return grad * 3.0 * op.inputs[0]

    x = np.float32([1, 2])
    gradient = opsrun.grad(lambda x: lib.test_undeclared(x * 2, name="u").sum())
    np.testing.assert_array_equal(gradient(x), 2 * 3 * (x * 2))
    assert seen == [("TestUndeclared", "u", np.float32, (2,), np.float32, (2,))]
    second = opsrun.grad(lambda x: gradient(x).sum())
    np.testing.assert_array_equal(second(x), [12, 12])


def test_a_registered_gradient_of_a_registered_gradient():
    opsrun.RegisterGradient("TestUndeclared")(lambda op, grad: grad * lib.test_undeclared(op.inputs[0]))
    # It gives its input, and its gradient is defined as the input: f = x, f' = x, f'' = f' by the same rule.
    for order in range(1, 4):
        function = lambda x: lib.test_undeclared(x)  # noqa: E731
        for _ in range(order):
            function = opsrun.grad(function)
        assert function(2.0) == 2


def test_the_guides_gradient_of_zero_out():
    @opsrun.RegisterGradient("TestUndeclared")
    def _zero_out_grad(op, grad):
        shape = opsrun.ops.shape_ops.shape(op.inputs[0])
        index = array_ops.zeros_like(shape)
        first_grad = opsrun.ops.shape_ops.reshape(grad, [-1])[0]
        return [array_ops.sparse_to_dense(index, shape, first_grad, 0)]

    gradient = opsrun.grad(lambda x: (lib.test_undeclared(x) * [5.0, 6.0]).sum())
    np.testing.assert_array_equal(gradient(np.float64([1, 2])), [5, 0])


def test_without_one_it_is_an_error():
    with pytest.raises(opsrun.errors.Error, match="declares no gradient") as caught:
        opsrun.grad(lambda x: lib.test_undeclared(x).sum())(np.float32([1]))
    assert caught.value.diagnostics[0].code == "G301"


def test_an_op_that_is_not_differentiable():
    opsrun.NotDifferentiable("TestUndeclared")
    gradient = opsrun.grad(lambda x: (lib.test_undeclared(x) * x).sum())
    np.testing.assert_array_equal(gradient(np.float32([3])), [3])


def test_what_the_plugin_declares_wins():
    opsrun.RegisterGradient("Exp")(lambda op, grad: grad * 0.0)
    assert opsrun.grad(lambda x: math_ops.exp(x))(0.0) == 1


def test_there_is_one_function_for_each_op():
    with pytest.raises(TypeError, match="the gradient of op 'TestUndeclared' must be a function, not 5"):
        opsrun.RegisterGradient("TestUndeclared")(5)
    opsrun.RegisterGradient("TestUndeclared")(lambda op, grad: grad)
    with pytest.raises(ValueError, match="there is a gradient of op 'TestUndeclared' already"):
        opsrun.RegisterGradient("TestUndeclared")(lambda op, grad: grad)
    with pytest.raises(ValueError, match="already"):
        opsrun.NoGradient("TestUndeclared")


@pytest.mark.parametrize("function, error, message", [
    (lambda op, grad: [grad, grad], ValueError, "returns 2 gradients, but the node 'test_undeclared' has 1 inputs"),
    (lambda op, grad: op.get_attr("N"), ValueError, "has no attr 'N'; attrs: T"),
    (lambda op, grad: grad[0], opsrun.errors.Error, r"provided for node .* is invalid: the gradient of input .x. has shape \[\]"),
    (lambda op, grad: grad.astype(np.float64), opsrun.errors.Error, "is float64, but the input is float32"),
    (lambda op, grad: grad if grad > 0 else -grad, TypeError, "neither true nor false"),
    (lambda op, grad: 1 / 0, ZeroDivisionError, "division by zero"),
    (lambda op, grad: opsrun.gradients(op.outputs, op.inputs)[0], TypeError, "a registered gradient cannot use opsrun.gradients"),
])
def test_functions_that_are_wrong(function, error, message):
    opsrun.RegisterGradient("TestUndeclared")(function)
    with pytest.raises(error, match=message) as caught:
        opsrun.grad(lambda x: lib.test_undeclared(x).sum())(np.float32([1, 2]))
    if not isinstance(caught.value, opsrun.errors.Error) and error is not ValueError:
        assert any("registered for op 'TestUndeclared'" in note for note in caught.value.__notes__)


def test_a_list_input_may_have_gradients_in_part():
    opsrun.RegisterGradient("TestConcat")(lambda op, grad: [grad[:3] * 1.0, None])
    concat = opsrun.load_op_library(os.path.join(PLUGINS, "test_ops.so")).test_concat
    x = np.float32([1, 2, 3])
    left, right = opsrun.grad(lambda x, y: concat([x, y]).sum(), (0, 1))(x, x)
    np.testing.assert_array_equal(left, [1, 1, 1])
    np.testing.assert_array_equal(right, [0, 0, 0])


def test_a_gradient_may_be_registered_after_a_failure():
    gradient = opsrun.grad(lambda x: lib.test_undeclared(x).sum())
    with pytest.raises(opsrun.errors.Error):
        gradient(np.float32([1, 2, 3]))
    opsrun.RegisterGradient("TestUndeclared")(lambda op, grad: grad)
    np.testing.assert_array_equal(gradient(np.float32([1, 2, 3])), [1, 1, 1])

"""torch.vmap: one call for all examples where the op says how it treats batches, and the same results everywhere.

SPDX-License-Identifier: Apache-2.0
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Calls(TorchDispatchMode):
    """Counts the calls of plugins' operators."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func.namespace.startswith("opsrun_")
        return func(*args, **(kwargs or {}))


def filled(*shape):
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).sin().reshape(shape)


def check(function, *args, in_dims=0, calls=1):
    """Compares a batch with single calls, and counts its calls."""
    with Calls() as seen:
        found = torch.vmap(function, in_dims)(*args)
    dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
    size = next(arg.shape[dim] for arg, dim in zip(args, dims) if dim is not None)
    single = [function(*(arg if dim is None else arg.select(dim, i) for arg, dim in zip(args, dims))) for i in range(size)]
    torch.testing.assert_close(found, torch.stack(single))
    assert seen.count == calls


def test_leading_dimensions_are_broadcast(math):
    check(math.add, filled(5, 2, 3), filled(5, 3))
    check(math.mul, filled(5, 2, 3), filled(3), in_dims=(1, None))


def test_dimensions_of_the_op_stay_last(math):
    check(math.softmax, filled(2, 3, 4), in_dims=2)
    products = torch.vmap(math.batch_mat_mul_v2, (None, 0))
    check(products, filled(4, 2, 3), filled(6, 3, 5), in_dims=(0, None))


def test_batches_that_must_be_equal(math, lists):
    check(math.relu_grad, filled(3, 4), filled(3, 4))
    check(math.relu_grad, filled(3, 4), filled(4), in_dims=(0, None))
    check(lambda a, b: lists.add_n([a, b, b]), filled(3, 4), filled(3, 4))


def test_a_function_with_its_gradient(math):
    def slope(w, x):
        return torch.func.grad(lambda w: math.tanh(math.mul(w, x)).sum())(w)

    w, x = filled(3), filled(7, 3)
    for _ in range(3):  # for repeated shapes, gradients omit sums
        with Calls() as seen:
            found = torch.vmap(slope, (None, 0))(w, x)
    torch.testing.assert_close(found, torch.stack([slope(w, each) for each in x]))
    assert seen.count < 7


def test_results_without_the_batch_are_computed_for_each_example(math):
    def equal(a, b):
        return math.equal(a, b, incompatible_shape_error=False)

    check(equal, filled(4, 2), filled(4, 3), calls=5)  # one of them for nothing


def test_an_op_that_says_nothing_runs_for_each_example(math):
    check(math.mat_mul, filled(4, 2, 3), filled(4, 3, 5), calls=4)

"""The list of tests that all frameworks have in common, in PyTorch.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
import torch
from common_list import real_inputs, test_common, test_the_file_is_the_one_that_was_built, weights  # noqa: F401
from libraries import path_of

import opsrun.torch

_library = opsrun.torch.load_op_library(path_of("adapter_ops"))


def _tensor(value):
    return [_tensor(each) for each in value] if isinstance(value, list) else torch.tensor(value)


def _attr(value):
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
    return getattr(torch, value.name) if isinstance(value, np.dtype) else value


def _flat(result):
    return [each for part in (result if isinstance(result, (tuple, list)) else (result,))
            for each in (_flat(part) if isinstance(part, list) else [part.detach().numpy()])]


class PyTorch:
    NAME = "pytorch"

    def run(self, op, inputs, attrs, outputs):
        return self._function(op, attrs)(inputs)

    def compile(self, op, inputs, attrs, outputs):
        torch._dynamo.config.capture_dynamic_output_shape_ops = True
        return self._function(op, attrs, lambda call: torch.compile(call, fullgraph=True, dynamic=True, backend="aot_eager"))

    def gradient(self, op, inputs, attrs, order):
        given = [torch.tensor(each, requires_grad=i in real_inputs(inputs)) for i, each in enumerate(inputs)]
        reals = [given[i] for i in real_inputs(inputs)]
        y = getattr(_library, op)(*given, **{name: _attr(value) for name, value in attrs.items()})
        slopes = torch.autograd.grad(y, reals, torch.tensor(weights(y.shape)).to(y.dtype), create_graph=True)
        return _flat(slopes if order == 1 else torch.autograd.grad(sum(each.sum() for each in slopes), reals))

    def named(self, case):
        return [f"opsrun_adapter_ops::{case.op}", *([case.blames.split()[-1]] if case.blames else [])]

    def _function(self, op, attrs, transform=lambda call: call):
        call = getattr(_library, op)  # or why PyTorch does not have it
        attrs = {name: [-1 if size is None else size for size in value] if name == "shape" else _attr(value)
                 for name, value in attrs.items()}
        function = transform(lambda *given: call(*given, **attrs))
        return lambda inputs: _flat(function(*map(_tensor, inputs)))


host = pytest.fixture(lambda: PyTorch())

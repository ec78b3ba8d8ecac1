"""The list of tests that all frameworks have in common, in opsrun's own package: each op is a node of a graph.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import pytest
from common_list import real_inputs, test_common, test_the_file_is_the_one_that_was_built, weights  # noqa: F401

import opsrun
from opsrun._op_def import snake_case

_library = opsrun.load_op_library(os.environ["OPSRUN_ADAPTER_OPS"])


class Opsrun:
    NAME = "opsrun"

    def run(self, op, inputs, attrs, outputs):
        function = opsrun.function(lambda *inputs: self._call(op, inputs, attrs)) if inputs else lambda: self._call(op, [], attrs)
        result = function(*inputs)
        return [each for part in (result if isinstance(result, tuple) else (result,))
                for each in (part if isinstance(part, list) else [part])]

    def compile(self, op, inputs, attrs, outputs):
        names = "ab"[:len(inputs)]
        specs = {name: opsrun.TensorSpec(name, x.dtype, (None,) * x.ndim) for name, x in zip(names, inputs)}
        code = f"lambda {', '.join(names)}: call({', '.join(names)})"
        function = opsrun.function(**specs)(eval(code, {"call": lambda *given: self._call(op, given, attrs)}))
        return lambda inputs: [function(*inputs)]

    def gradient(self, op, inputs, attrs, order):
        reals = real_inputs(inputs)

        def loss(reals_now):
            given = [reals_now[reals.index(i)] if i in reals else each for i, each in enumerate(inputs)]
            y = self._call(op, given, attrs)
            return (y * weights(y.shape).astype(y.dtype)).sum()

        slope = opsrun.grad(loss)
        if order == 2:
            slope = opsrun.grad(lambda given, first=slope: sum(each.sum() for each in first(given)))
        return slope([inputs[i] for i in reals])

    def named(self, case):
        kind, _, name = case.blames.partition(" ")
        return [case.op + "|" + snake_case(case.op), *([f"blames this {kind}|{kind} '{name}'"] if kind else [])]

    def _call(self, op, inputs, attrs):
        return getattr(_library, snake_case(op))(*inputs, **attrs)


host = pytest.fixture(lambda: Opsrun())

"""The list of tests that all frameworks have in common, in models of ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import importlib

import numpy as np
import pytest
from common_list import test_common, test_the_file_is_the_one_that_was_built  # noqa: F401
from models import number, session


def _flat(inputs):
    return [each for value in inputs for each in (value if isinstance(value, list) else [value])]


def _attr(value):
    if isinstance(value, np.dtype):
        return number(value)
    if isinstance(value, list):
        texts = bool(value) and isinstance(value[0], str)
        return np.array(value, object) if texts else [-1 if each is None else each if isinstance(each, float) else int(each) for each in value]
    return value


class OnnxRuntime:
    NAME = "onnxruntime"

    def run(self, op, inputs, attrs, outputs):
        return self._session(op, inputs, attrs, outputs, lambda x: x.shape)(inputs)

    def compile(self, op, inputs, attrs, outputs):
        return self._session(op, inputs, attrs, outputs, lambda x: [f"size{i}" if i == 0 else None for i in range(x.ndim)])

    def gradient(self, *_):
        importlib.import_module("onnxruntime.training")

    def named(self, case):
        op = rf'adapter\.ops(\.|::){case.op}|{case.op}, "opsrun.adapter.ops"'
        return [op, r"node 'node'|Node ?\(node\)", *([case.blames.split()[-1]] if case.blames else [])]

    def _session(self, op, inputs, attrs, outputs, shape_of):
        its = session("adapter.ops", op, [(x.dtype, shape_of(x)) for x in _flat(inputs)], [(y.dtype, None) for y in outputs],
                      {name: _attr(value) for name, value in attrs.items()}, declare=True, file="adapter_ops")
        return lambda inputs: its.run(None, {f"in{i}": np.asarray(x) for i, x in enumerate(_flat(inputs))})


host = pytest.fixture(lambda: OnnxRuntime())

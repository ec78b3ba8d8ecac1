"""What ops say about batches: results for a batch are those for each example.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

import opsrun.ops
from opsrun._engine import engine

ATTRS = {"Cast": {"DstT": np.int32}}
N = 4  # each dimension that an op works on


def ops_with_batches():
    described = [json.loads(engine().describe(f"{plugin[0]}.{op}")) for plugin in engine().plugins() for op in plugin[-1]]
    return {each["name"]: each for each in described if each["batch"]}


OPS = ops_with_batches()


def dtype_of(op, argument):
    """The type of an argument."""
    if argument["dtype"] is not None:
        return argument["dtype"]
    allowed = next(each["allowed"] for each in op["attrs"] if each["name"] == argument["type_attr"])
    return next(each for each in ("float32", "complex64") if allowed is None or each in allowed)


def sample(dtype, shape, seed):
    numbers = np.random.default_rng(seed).uniform(0.2, 0.9, shape)
    return numbers > 0.5 if dtype == "bool" else numbers.astype(dtype)


def called(op, arrays):
    function = getattr(getattr(opsrun.ops, op["plugin"]["name"]), op["python"]["function"])
    inputs = [arrays] if op["inputs"][0]["list"] else arrays
    return np.asarray(function(*inputs, **ATTRS.get(op["name"], {})))


@pytest.mark.parametrize("name", OPS)
def test_a_batch_has_the_results_of_its_examples(name):
    op = OPS[name]
    dims = op["batch"]["inputs"] * (3 if op["inputs"][0]["list"] else 1)
    types = [dtype_of(op, each) for each in op["inputs"]] * (len(dims) // len(op["inputs"]))
    # Of inputs whose leading dimensions may differ, all but the first have one that is broadcast.
    leading = [(2, 3) if i == 0 or not op["batch"]["broadcasts"] else (1, 3) for i in range(len(dims))]
    batch = [sample(dtype, (5, *lead, *[N] * n), i) for i, (dtype, lead, n) in enumerate(zip(types, leading, dims))]
    found, examples = called(op, batch), [called(op, list(each)) for each in zip(*batch)]
    assert found.shape[found.ndim - op["batch"]["outputs"][0]:] == (N,) * op["batch"]["outputs"][0]
    np.testing.assert_allclose(found, np.stack(examples), rtol=1e-6)


def test_they_are_many():
    assert len(OPS) > 60

"""in_opsrun.py: the plugin in opsrun's own package.

usage: in_opsrun.py shrink.so

SPDX-License-Identifier: Apache-2.0
"""

import sys

import numpy as np

import opsrun

# [use]
shrink = opsrun.load_op_library(sys.argv[1])  # reads shrink.opsrun.yaml beside it

def loss(x):
    return shrink.pool_rows(shrink.soft_threshold(x, threshold=1.0), rows=2).sum()

gradient = opsrun.grad(loss)(np.float32([[1, -3], [0.5, 2], [4, 0]]))
# [/use]
assert gradient.tolist() == [[0, 0.5], [0, 0.5], [1, 0]]

message = ""
# [failure]
try:
    opsrun.grad(lambda x: shrink.kept_rows(x).sum())(np.ones((2, 2), np.float32))
except opsrun.errors.InvalidArgumentError as error:
    message = error.diagnostics[0].message
expected = "op 'KeptRows' of node 'kept_rows' declares no gradient"
# [/failure]
assert message == expected

# [registered]
@opsrun.RegisterGradient("KeptRows")
def _kept_rows_grad(op, grad):
    x, arrays = op.inputs[0], opsrun.ops.array_ops
    is_kept = (x != 0.0).any(axis=1)
    return arrays.scatter_nd(arrays.where(is_kept), grad, opsrun.ops.shape_ops.shape(x, out_type="int64"))
# [/registered]

gradient = opsrun.grad(lambda x: shrink.kept_rows(2.0 * x).sum())
assert gradient(np.float32([[0, 0], [1, 0], [0, 0]])).tolist() == [[0, 0], [2, 2], [0, 0]]

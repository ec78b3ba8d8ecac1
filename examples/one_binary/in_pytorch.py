"""in_pytorch.py: the plugin in PyTorch.

usage: in_pytorch.py shrink.so

SPDX-License-Identifier: Apache-2.0
"""

import sys

# [use]
import torch

import opsrun.torch

shrink = opsrun.torch.load_op_library(sys.argv[1])  # the ops are also in torch.ops.opsrun_shrink
x = torch.tensor([[1, -3], [0.5, 2], [4, 0]], requires_grad=True)
pool = torch.compile(lambda x: shrink.pool_rows(shrink.soft_threshold(x, threshold=1.0), rows=2), dynamic=True)
pool(x).sum().backward()
x.grad  # tensor([[0.0, 0.5], [0.0, 0.5], [1.0, 0.0]])
# [/use]
assert x.grad.tolist() == [[0, 0.5], [0, 0.5], [1, 0]]

message = ""
# [failure]
try:
    shrink.kept_rows(x).sum().backward()
except NotImplementedError as error:
    message = str(error)
expected = ("opsrun_shrink::KeptRows is not differentiable: op 'KeptRows' of plugin 'shrink' declares no gradient; "
            "use .detach() on its inputs if it needs none")
# [/failure]
assert message == expected, message

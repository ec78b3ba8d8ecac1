"""opsrun's plugins as libraries of PyTorch's operators.

    import opsrun.torch

    ops = opsrun.torch.load_op_library("zero_out.so")
    ops.zero_out(torch.tensor([5, 4, 3]))        # torch.ops.opsrun_zero_out.ZeroOut is the same operator

SPDX-License-Identifier: Apache-2.0
"""

from opsrun.torch._library import OpLibrary, load_op_library

__all__ = ["OpLibrary", "load_op_library"]

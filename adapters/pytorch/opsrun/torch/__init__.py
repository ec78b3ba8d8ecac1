"""opsrun's plugins as libraries of PyTorch operators.

    import opsrun.torch

    ops = opsrun.torch.load_op_library("zero_out.so")
    ops.zero_out(torch.tensor([5, 4, 3]))        # torch.ops.opsrun_zero_out.ZeroOut is the same operator

SPDX-License-Identifier: Apache-2.0
"""

import torch as _torch  # import it first: the extension module uses its libraries

if tuple(int(_part) for _part in _torch.__version__.split(".")[:2]) < (2, 10):
    raise ImportError(f"opsrun.torch requires PyTorch 2.10 or later, but this is {_torch.__version__}: pip install --upgrade torch")

try:
    from opsrun._native import version as _version
except ImportError as problem:
    raise ImportError("opsrun.torch adds to the package opsrun, which is not installed: pip install opsrun") from problem

_BUILD = "build it again, with pip install --no-build-isolation --force-reinstall --no-deps opsrun-torch"
try:
    from opsrun.torch import _native
except ImportError as problem:
    raise ImportError(f"opsrun.torch does not fit PyTorch {_torch.__version__} or opsrun {_version}: {_BUILD} ({problem})") from problem
if _native.OPSRUN_VERSION != _version:
    raise ImportError(f"opsrun.torch was built with opsrun {_native.OPSRUN_VERSION}, but this is {_version}: {_BUILD}")

from opsrun.torch import _cuda, _plain  # noqa: E402
from opsrun.torch._library import OpLibrary, load_op_library  # noqa: E402

_plain.learn()
_cuda.find_streams()

__all__ = ["OpLibrary", "load_op_library"]

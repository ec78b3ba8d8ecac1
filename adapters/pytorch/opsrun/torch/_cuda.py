"""Which CUDA stream is PyTorch's current one.

PyTorch's stable function for that is in a library that a PyTorch for the CPU does not have, so the extension module is not
linked with it: one wheel serves both.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import ctypes
import os

import torch

from opsrun.torch import _native


def find_streams() -> None:
    """Tells the extension module where the function is. Does nothing in a PyTorch without CUDA."""
    if torch.version.cuda is not None:
        with contextlib.suppress(OSError, AttributeError):  # then tensors on a GPU are refused
            library = ctypes.CDLL("libtorch_cuda.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
            _native.use_streams(ctypes.cast(library.aoti_torch_get_current_cuda_stream, ctypes.c_void_p).value)

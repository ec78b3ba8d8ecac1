"""Finds out where PyTorch stores what its stable functions do not say: whether a call needs more than the kernel.

See native/plain.h. Tensors whose properties are known are compared word by word.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Callable

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from opsrun.torch import _native

_Tensors = list[torch.Tensor]


def learn() -> bool:
    """Tells the extension module where things are. Returns False, and does nothing, if that is not certain.

    Runs in a thread of its own, which is in no mode of PyTorch's.
    """
    found: list[bool] = []

    def run() -> None:
        with contextlib.suppress(Exception):  # nothing that is found, or not found, is an error
            found.append(_learn())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found == [True]


def _learn() -> bool:
    if not _knows_modes():
        return False
    plain = [torch.empty(3), torch.ones(2, 2, dtype=torch.int64), torch.zeros([], dtype=torch.complex64)]
    idle = [torch.ones(3, requires_grad=True).requires_grad_(False) for _ in range(4)]
    leaves = [torch.ones(3, requires_grad=True), *(torch.nn.Parameter(each) for each in torch.ones(4, 2))]
    results = [each * 2 for each in leaves[:2]]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(each, each) * 2 for each in torch.ones(3, 2)]
        return _learn_from(plain, idle, leaves, results, duals)


def _learn_from(plain: _Tensors, idle: _Tensors, leaves: _Tensors, results: _Tensors, duals: _Tensors) -> bool:
    view = plain[0][1:]
    with_state = [view, *idle, *leaves, *results, *duals]
    unlike = [torch.ones(2).to_sparse(), torch.empty(2, device="meta")]
    (keys,) = _where([_words(each) for each in plain], lambda i: all(
        _words(each)[i] == torch._C._dispatch_keys(each).raw_repr() for each in (*plain, *with_state, *unlike)))
    (state,) = _where([_words(each) for each in plain], lambda i: all(_words(each)[i] == 0 for each in plain)
                      and all(_words(each)[i] != 0 for each in with_state))
    of_idle, of_leaves, of_results, of_duals = ([_words(each, state) for each in group]
                                                for group in (idle, leaves, results, duals))
    # A pointer may take several words.
    tangent = _differing(of_duals, [*of_idle, *of_leaves, *of_results])[0]
    creator = _differing(of_results, [*of_idle, *of_leaves, *of_duals])[0]
    flags = [_bytes(each) for each in of_leaves]
    others = [_bytes(each) for each in (*of_idle, *of_results, *of_duals)]
    (flag,) = (i for i in _differing(flags, others) if all(each[i] == 1 for each in flags))
    if len({each[0] for each in (*of_idle, *of_leaves, *of_results, *of_duals)}) != 1:
        return False
    if _words(view, state)[0] == of_idle[0][0] or _words(plain[0])[keys] != _dense("CPU"):
        return False
    _native.learn(keys, state, tangent, creator, flag, of_idle[0][0], _dense("CPU"), _dense("CUDA"))
    return True


def _differing(those: list[list[int]], others: list[list[int]]) -> list[int]:
    """Where those are not 0, but all others are."""
    return _where([*those, *others], lambda i: all(each[i] != 0 for each in those) and all(each[i] == 0 for each in others))


def _where(lists: list[list[int]], is_it: Callable[[int], bool]) -> list[int]:
    return [i for i in range(min(map(len, lists))) if is_it(i)]


def _bytes(words: list[int]) -> list[int]:
    return list(struct.pack(f"={len(words)}Q", *words))


def _words(tensor: torch.Tensor, word: int = -1) -> list[int]:
    """The words of a tensor, or of the object that it refers to with one of them, as unsigned numbers."""
    return [each % 2**64 for each in torch.ops.opsrun.words.default(tensor, word)]


def _dense(backend: str) -> int:
    """The keys of a dense tensor without further properties."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)
    for name in (backend, f"Autograd{backend}", f"Autocast{backend}"):
        keys = keys.add(getattr(torch._C.DispatchKey, name))
    return int(keys.raw_repr())


def _knows_modes() -> bool:
    """True if the extension module sees that a thread is in a mode."""

    class Mode(TorchDispatchMode):
        pass

    with Mode():
        inside = _native.thread_keys()
    with torch._C._AutoDispatchBelowAutograd():
        below = _native.thread_keys()
    return _native.thread_keys() == [0, 0] and inside != [0, 0] and below not in ([0, 0], inside)

"""Finds out where PyTorch stores what its stable functions do not say: whether a call needs more than the kernel.

See native/plain.h. Tensors are compared word by word, before and after a change of what is to be found.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from opsrun.torch import _native


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
    found = [_find() for _ in range(3)]
    if not _knows_modes() or any(each != found[0] for each in found) or not _holds(*found[0]):
        return False
    _native.learn(*found[0], _words(_idle(), found[0][1])[0], _dense())
    return True


def _find() -> tuple[int, int, int, int, int]:
    """Where things are, in the order of Places. Each is found by a change to one object, since unused parts of objects have
    any contents. A pointer may take several words: the first one counts. Raises ValueError or IndexError if it is not
    clear."""
    x = torch.ones(3)
    (keys,) = (i for i, word in enumerate(_words(x)) if word == torch._C._dispatch_keys(x).raw_repr())
    (state,) = _set(lambda: _words(x), lambda: x.requires_grad_())
    one, two, three = (_idle() for _ in range(3))
    (flag,) = _set(lambda: list(_bytes(_words(one, state))), lambda: one.requires_grad_())
    creator = _set(lambda: _words(two, state), lambda: two.add_(x))[0]
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(3), torch.ones(3))
        tangent = _set(lambda: _words(three, state), lambda: three.copy_(dual))[0]
    return keys, state, tangent, creator, flag


def _set(read: Callable[[], list[int]], change: Callable[[], Any]) -> list[int]:
    """The indices of what was 0 before the change, but is not 0 afterwards."""
    before = read()
    change()
    return [i for i, (old, new) in enumerate(zip(before, read(), strict=True)) if old == 0 != new]


def _bytes(words: list[int]) -> bytes:
    return struct.pack(f"={len(words)}Q", *words)


def _idle() -> torch.Tensor:
    """A tensor with a state for gradients, but without one."""
    return torch.ones(3, requires_grad=True).requires_grad_(False)


def _holds(keys: int, state: int, tangent: int, creator: int, flag: int) -> bool:
    """True if these places say about other tensors what is known about them."""
    plain = [torch.empty(3), torch.ones(2, 2, dtype=torch.int64), torch.zeros([], dtype=torch.complex64)]
    leaves = [torch.nn.Parameter(torch.ones(2)), torch.ones(3, requires_grad=True)]
    results = [each * 2 for each in leaves]
    view = plain[0][1:]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(each, each) * 2 for each in torch.ones(3, 2)]
        with_state = [_idle(), *leaves, *results, *duals]
        unlike = [torch.ones(2).to_sparse(), torch.empty(2, device="meta")]
        states = [_words(each, state) for each in with_state]
        seen = [(each[tangent] != 0, each[creator] != 0, _bytes(each)[flag]) for each in states]
        expected = [(False, False, 0), *[(False, False, 1)] * 2, *[(False, True, 0)] * 2, *[(True, False, 0)] * 3]
        return (seen == expected and len({each[0] for each in states}) == 1 and _words(view, state)[0] != states[0][0]
                and all(_words(each)[state] == 0 for each in plain) and all(_words(each)[keys] == _dense() for each in plain)
                and all(_words(each)[keys] == torch._C._dispatch_keys(each).raw_repr() for each in (*with_state, *unlike)))


def _words(tensor: torch.Tensor, word: int = -1) -> list[int]:
    """The words of a tensor, or of the object that it refers to with one of them, as unsigned numbers."""
    with torch.no_grad():  # or else PyTorch adds to the state
        return [each % 2**64 for each in torch.ops.opsrun.words.default(tensor, word)]


def _dense() -> int:
    """The keys of a dense tensor in CPU memory without further properties."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)
    for name in ("CPU", "AutogradCPU", "AutocastCPU"):
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

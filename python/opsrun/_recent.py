"""A cache of what was used last.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """Keeps values up to a number and a total size; the one that was added last stays in any case.

    Any number of threads. A value that leaves lives as long as somebody uses it.

    Attributes:
        most: The number of values.
        most_size: The sum of their sizes.
    """

    def __init__(self, most: int, most_size: int) -> None:
        self.most = most
        self.most_size = most_size
        self._size = 0
        self._values: collections.OrderedDict[Hashable, tuple[V, int]] = collections.OrderedDict()
        self._lock = threading.RLock()  # comparing keys may run code that comes back here

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def add(self, key: Hashable, value: V, size: int) -> None:
        left = []  # destroyed without the lock
        with self._lock:
            if key in self._values:
                return
            self._values[key] = (value, size)
            self._size += size
            while len(self._values) > 1 and (len(self._values) > self.most or self._size > self.most_size):
                left.append(self._values.popitem(last=False)[1])
                self._size -= left[-1][1]

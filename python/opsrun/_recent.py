"""Caches of recently used values.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """A cache with a limited number and total size of values. It always keeps the value that was added last.

    Any thread. A value that is dropped lives as long as it is in use.

    Attributes:
        most: The maximum number of values.
        most_size: The maximum sum of their sizes.
    """

    def __init__(self, most: int, most_size: int = 0) -> None:
        self.most = most
        self.most_size = most_size
        self._size = 0
        self._values: collections.OrderedDict[Hashable, tuple[V, int]] = collections.OrderedDict()
        self._lock = threading.RLock()  # comparing keys may run code that re-enters this object

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        with self._lock:
            dropped, self._values, self._size = self._values, collections.OrderedDict(), 0
        dropped.clear()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def add(self, key: Hashable, value: V, size: int = 0) -> V:
        """Adds or replaces a value, and returns it."""
        dropped = []  # destroyed after the lock is released
        with self._lock:
            if key in self._values:
                dropped.append(self._values.pop(key))
            self._values[key] = (value, size)
            self._size += size - sum(each for _, each in dropped)
            while len(self._values) > 1 and (len(self._values) > self.most or self._size > self.most_size):
                dropped.append(self._values.popitem(last=False)[1])
                self._size -= dropped[-1][1]
        return value

"""One op: what distinguishes its calls, for the functions of the extension module.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from opsrun.torch import _native

NUMBERS: dict[torch.dtype, int] = {getattr(torch, name): number for name, number in _native.DTYPES.items()}
TYPES = {number: dtype for dtype, number in NUMBERS.items()}


class Op:
    """An op with its operator's arguments.

    Attributes:
        is_plain: It has no lists, one output, and only attrs that are equal if they compare so.

    Args:
        name: Its operator, "opsrun_zero_out::ZeroOut", whose schema is defined.
        op: Its name, "zero_out.ZeroOut".
        inputs, outputs: For each, its name, and whether it is a list.
        attrs: For each, its name, its type in the op, and whether it is optional.
        keywords: The names of the attrs among the operator's arguments.
    """

    def __init__(self, name: str, op: str, inputs: list[tuple[str, bool]], attrs: list[tuple[str, str, bool]],
                 outputs: list[tuple[str, bool]], keywords: list[str]) -> None:
        self.name, self.op, self.attrs, self.keywords = name, op, attrs, keywords
        self.in_lists, self.out_lists = [listed for _, listed in inputs], [listed for _, listed in outputs]
        simple = all(kind in ("int", "bool", "string", "func", "type") for _, kind, _ in attrs)
        self.is_plain = simple and not any(self.in_lists) and self.out_lists == [False]
        self.native = _native.implement(op, name, inputs, attrs, outputs)

    @functools.cached_property
    def operator(self) -> Any:
        namespace, _, name = self.name.partition("::")
        return getattr(getattr(torch.ops, namespace), name).default

    def groups(self, args: Sequence[Any]) -> list[list[Any]]:
        """The tensors of each input."""
        return [list(arg) if listed else [arg] for arg, listed in zip(args, self.in_lists, strict=True)]

    def values(self, kwargs: dict[str, Any]) -> list[Any]:
        """The value of each attr, None for one that is left out."""
        return [kwargs.get(name) for name in self.keywords]

    def key(self, groups: list[list[Any]], values: list[Any]) -> bytes:
        """What distinguishes calls: the types of inputs, and the attrs. The tensors may be fake, those of attrs not.

        Raises:
            ValueError: opsrun does not have a type.
        """
        numbers: list[int | bytes] = []
        for group, listed in zip(groups, self.in_lists):
            if listed:
                numbers.append(len(group))
            numbers += [self._number(tensor.dtype) for tensor in group]
        for value, (_, kind, optional) in zip(values, self.attrs, strict=True):
            if optional:
                numbers.append(value is not None)
            if value is not None:
                self._add(numbers, kind, value)
        return b"".join(struct.pack("<q", each) if isinstance(each, int) else each for each in numbers)

    def lists(self, result: Any) -> list[list[Any]]:
        """What the operator returns, as a list for each output."""
        if not self.out_lists:
            return []
        results = [result] if len(self.out_lists) == 1 else result
        return [list(each) if listed else [each] for each, listed in zip(results, self.out_lists, strict=True)]

    def grouped(self, results: list[Any], counts: list[int]) -> Any:
        """Results as the operator returns them. counts: the number of results of each output."""
        grouped: list[Any] = []
        for listed, count in zip(self.out_lists, counts, strict=True):
            grouped.append(results[:count] if listed else results[0])
            del results[:count]
        if not grouped:
            return None
        return grouped[0] if len(grouped) == 1 else tuple(grouped)

    def _number(self, dtype: torch.dtype) -> int:
        if dtype not in NUMBERS:
            raise ValueError(f"{self.name}: opsrun has no data type {dtype}")
        return NUMBERS[dtype]

    def _add(self, numbers: list[int | bytes], kind: str, value: Any) -> None:
        """Adds a value to a key, as described in native/arguments.h."""
        if kind.startswith("list("):
            numbers.append(len(value))
            for each in value:
                self._add(numbers, kind[5:-1], each)
        elif kind == "shape":
            numbers += [len(value), *map(int, value)]
        elif kind == "float":
            numbers.append(struct.pack("<d", value))
        elif kind in ("string", "func"):
            text = value.encode()
            numbers += [len(text), _padded(text)]
        elif kind == "type":
            numbers.append(self._number(value))
        elif kind == "tensor":
            numbers += [self._number(value.dtype), value.dim(), *value.shape, _padded(_bytes(value))]
        else:
            numbers.append(int(value))


def _padded(text: bytes) -> bytes:
    return text + bytes(-len(text) % 8)


def _bytes(tensor: torch.Tensor) -> bytes:
    with _disable_current_modes():  # a trace must not see this
        plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
        return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size())


def array(number: int, shape: list[int], elements: bytes) -> torch.Tensor:
    """A tensor, of what the extension module describes. No trace sees that it is made."""
    cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    made: torch.Tensor = torch.ops.aten.empty.memory_format.redispatch(cpu, shape, dtype=TYPES[number])
    ctypes.memmove(made.data_ptr(), elements, len(elements))
    return made

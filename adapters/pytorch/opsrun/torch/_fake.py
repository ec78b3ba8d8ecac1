"""Infers results for tensors without memory: tensors on the device meta, and those of torch.compile's traces.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensor

from opsrun.torch import _native
from opsrun.torch._op import TYPES, Op

# As in opsrun/embed.h: kinds of sizes; values from 16 on are operations on two sizes.
_KNOWN, _INPUT, _ELEMENT, _UNKNOWN = range(4)
_NOTHING = -2**63  # opsrun_known_sizes: an unknown element
_OPERATIONS: dict[int, Callable[[Any, Any], Any]] = {16: operator.add, 17: operator.sub, 18: operator.mul,
                                                     19: operator.floordiv, 20: torch.sym_min, 21: torch.sym_max}

# The attribute of a traced tensor that stores its elements if an op infers them; None for an unknown element.
_ELEMENTS = "_opsrun_elements"


class Fake:
    """Infers the results of one op, for torch.library.register_fake."""

    def __init__(self, op: Op) -> None:
        self._op, self._name = op, op.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        groups = self._op.groups(args)
        tensors = [tensor for group in groups for tensor in group]
        key = self._op.key(groups, [self._plain(value) for value in self._op.values(kwargs)])
        symbols = _Symbols()
        constants = [_constant(tensor) for tensor in tensors]  # used until infer returns
        known = [(symbols.of(tensor.shape), _address(constant), symbols.of(getattr(tensor, _ELEMENTS, None)))
                 for tensor, constant in zip(tensors, constants)]
        sizes, outputs, equal, counts = _native.infer(self._op.native, key, known)
        values = self._evaluate(sizes, tensors)
        for a, b in zip(equal[::2], equal[1::2]):
            torch._check(values[a]() == values[b]())
        device = self._device(tensors)
        return self._op.grouped([self._result(*output, sizes, values, device) for output in outputs], counts)

    def _device(self, tensors: list[torch.Tensor]) -> torch.device:
        devices = {str(tensor.device): tensor.device for tensor in tensors}
        if any(device.type == "cuda" for device in devices.values()):
            devices.pop("cpu", None)  # such inputs may be beside others on a GPU
        if len(devices) > 1:
            raise RuntimeError(f"{self._name}: inputs are on different devices, {' and '.join(devices)}; move them to one")
        return next(iter(devices.values()), torch.device("cpu"))

    def _result(self, number: int, shape: list[int] | None, elements: list[int] | None,
                sizes: list[tuple[int, int, int, int]], values: list[Callable[[], Any]],
                device: torch.device) -> torch.Tensor:
        if shape is None:
            why = f"{self._name} cannot be traced with these inputs: the rank of an output is known only after the op has run"
            raise _NeedsElements(self._op.operator, why) if _is_compiling() else NotImplementedError(why)
        result = torch.empty([values[i]() for i in shape], dtype=TYPES[number], device=device)
        if elements is not None:
            setattr(result, _ELEMENTS, [None if sizes[i][0] == _UNKNOWN else values[i]() for i in elements])
        return result

    def _evaluate(self, sizes: list[tuple[int, int, int, int]], tensors: list[torch.Tensor]) -> list[Callable[[], Any]]:
        """Functions that compute the sizes on demand, since an unknown size may never be needed."""
        values: list[Callable[[], Any]] = []
        for kind, value, a, b in sizes:
            values.append(_once(self._size(kind, value, a, b, tensors, values)))
        return values

    def _size(self, kind: int, value: int, a: int, b: int, tensors: list[torch.Tensor],
              values: list[Callable[[], Any]]) -> Callable[[], Any]:
        if kind == _KNOWN:
            return lambda: value
        if kind == _INPUT:
            return lambda: tensors[a].shape[b]
        if kind == _ELEMENT:
            return lambda: getattr(tensors[a], _ELEMENTS)[b]
        if kind == _UNKNOWN:
            return self._unknown_size
        return lambda: _OPERATIONS[kind](values[a](), values[b]())

    def _unknown_size(self) -> Any:
        try:
            context = torch.library.get_ctx()
        except RuntimeError as outside:
            raise NotImplementedError(f"{self._name} cannot run on meta tensors of these shapes: a size of an output is "
                                      "known only after the op has run") from outside
        return context.new_dynamic_size()

    def _plain(self, attr: Any) -> Any:
        if isinstance(attr, (list, tuple)):
            return [self._plain(each) for each in attr]
        if isinstance(attr, torch.SymInt):
            return int(attr)
        return self._elements_of(attr) if isinstance(attr, torch.Tensor) else attr

    def _elements_of(self, attr: torch.Tensor) -> torch.Tensor:
        """The tensor, whose elements must be known: each value of an attr makes a different op."""
        if attr.device.type != "cpu":
            raise NotImplementedError(f"{self._name}: an attr is a tensor in the memory of {attr.device}; use .cpu()")
        if not isinstance(attr, FakeTensor):
            return attr
        if attr.constant is None:
            raise _NeedsElements(self._op.operator, f"{self._name} cannot be traced with an attr that is a tensor: the op is "
                                 "another one for each value of it")
        return attr.constant


def _is_compiling() -> bool:
    return torch.compiler.is_compiling() or torch._guards.TracingContext.try_get() is not None


def _constant(tensor: torch.Tensor) -> torch.Tensor | None:
    """The elements of a traced tensor if later traces know them too: torch.compile's backends trace again without
    them."""
    lasting = torch.compiler.is_exporting() or not _is_compiling()
    constant = getattr(tensor, "constant", None) if lasting else None
    return constant.contiguous() if constant is not None and constant.is_cpu else None


def _address(constant: torch.Tensor | None) -> int:
    """Of its elements, 0 for None."""
    if constant is None:
        return 0
    return constant.data_ptr() or 8  # not read, since there are no elements


def _once(compute: Callable[[], Any]) -> Callable[[], Any]:
    found: list[Any] = []

    def value() -> Any:
        if not found:
            found.append(compute())
        return found[0]

    return value


class _NeedsElements(DataDependentOutputException):
    """Makes torch.compile call the op between two graphs."""

    def __init__(self, operator: Any, text: str) -> None:
        super().__init__(operator)
        self.args = (text,)


class _Symbols:
    """Numbers for unknown sizes; equal expressions get equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, sizes: Any) -> tuple[list[int], list[int]] | None:
        if sizes is None:
            return None
        known, symbols = [], []
        for size in sizes:
            if size is None:
                known.append(_NOTHING)
                symbols.append(0)
                continue
            plain = size if isinstance(size, int) else size.node.maybe_as_int()
            known.append(-1 if plain is None else plain if plain >= 0 else plain - 1)
            symbols.append(0 if plain is not None else
                           self._numbers.setdefault(str(size.node.expr), len(self._numbers) + 1))
        return known, symbols

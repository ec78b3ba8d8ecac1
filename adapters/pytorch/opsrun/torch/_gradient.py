"""The gradients that plugins declare, as calls of PyTorch operators.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from opsrun._recent import Recent
from opsrun.torch import _native
from opsrun.torch._op import TYPES, Op, array

# OPSRUN_OPERAND_*
_NONE, _INPUT, _OUTPUT, _GRADIENT, _CONSTANT, _CALL = range(6)

# Registers an op of a plugin, unless it is registered, and returns it. Raises NotImplementedError if PyTorch does not
# support it.
Find = Callable[[str, str], Op]
Operand = tuple[int, int, int]
Shapes = tuple[tuple[int, ...], ...]  # of all inputs, -1 for an unknown size


class _Call:
    """A call in a gradient.

    Attributes:
        operands: The inputs, lists flattened.
    """

    def __init__(self, op: Op, operands: list[Operand], counts: list[int | None], attrs: list[tuple[str, Any]]) -> None:
        self._operator, self.operands, self._counts = op.operator, operands, counts
        self._is_plain = op.is_plain
        given = dict(attrs)  # those that are inferred from inputs are no arguments
        self._attrs = {keyword: _value(kind, given[name])
                       for keyword, (name, kind, _) in zip(op.keywords, op.attrs) if given.get(name) is not None}

    def run(self, tensors: list[Any]) -> list[Any]:
        """The results, lists flattened."""
        if self._is_plain:
            return [self._operator(*tensors, **self._attrs)]
        args: list[Any] = []
        for count in self._counts:
            args.append(tensors[0] if count is None else tensors[:count])
            del tensors[:1 if count is None else count]
        return flat(self._operator(*args, **self._attrs))


def flat(results: Any) -> list[Any]:
    if isinstance(results, torch.Tensor):
        return [results]
    return [] if results is None else [tensor for each in results for tensor in flat(each)]


def _value(kind: str, value: Any) -> Any:
    """An attr as an argument; None for one that arguments cannot express: the op then determines it itself."""
    if kind.startswith("list("):
        values = [_value(kind[5:-1], each) for each in value]
        return None if any(each is None for each in values) else values
    if value is None or kind not in ("type", "tensor"):
        return value
    return array(*value) if kind == "tensor" else TYPES[value]


class Gradient:
    """The gradient of an op.

    Attributes:
        inputs, outputs: The indices of those that its calls use.

    Args:
        shapes: Those of the inputs, or None for a gradient for all shapes.

    Raises:
        ValueError: The op declares an invalid gradient.
        NotImplementedError: The gradient uses an op that PyTorch does not support.
    """

    def __init__(self, op: Op, key: bytes, shapes: Shapes | None, find: Find) -> None:
        calls, constants, self._of_inputs = _native.differentiate(
            op.native, key, None if shapes is None else [list(shape) for shape in shapes])
        self._calls = [_Call(find(plugin, name), *rest) for plugin, name, *rest in calls]
        self._needed: dict[tuple[bool, ...], list[bool]] = {}  # by which gradients are wanted: which calls are needed
        self._constants = [array(*each) for each in constants]
        operands = [*self._of_inputs, *(operand for call in self._calls for operand in call.operands)]
        self.inputs = sorted({index for kind, index, _ in operands if kind == _INPUT})
        self.outputs = sorted({index for kind, index, _ in operands if kind == _OUTPUT})

    def compute(self, inputs: dict[int, Any], outputs: dict[int, Any], gradients: Sequence[Any],
                wanted: Sequence[bool]) -> list[Any]:
        """The gradients of the wanted inputs, None for the others. inputs, outputs: those that it uses.

        The calls go through PyTorch's dispatcher, so they are traced and differentiated like any others."""
        wanted = tuple(wanted)
        needed = self._needed.get(wanted)
        if needed is None:
            needed = self._needed[wanted] = self._calls_for(wanted)
        results: list[list[Any]] = []
        places: dict[int, Any] = {_INPUT: inputs, _OUTPUT: outputs, _GRADIENT: gradients}

        def tensor(operand: Operand) -> Any:
            kind, index, output = operand
            if kind == _CALL:
                return results[index][output]
            if kind == _CONSTANT:
                return torch.ops.aten.lift_fresh.default(self._constants[index])  # lets a trace treat it as a constant
            return places[kind][index]

        for call, is_needed in zip(self._calls, needed, strict=True):
            results.append(call.run([tensor(each) for each in call.operands]) if is_needed else [])
        return [tensor(each) if want and each[0] != _NONE else None
                for each, want in zip(self._of_inputs, wanted, strict=True)]

    def _calls_for(self, wanted: Sequence[bool]) -> list[bool]:
        """By call: whether a wanted gradient depends on it."""
        needed = [False] * len(self._calls)
        for (kind, index, _), want in zip(self._of_inputs, wanted, strict=True):
            if kind == _CALL and want:
                needed[index] = True
        for i in reversed(range(len(needed))):
            if needed[i]:
                for kind, index, _ in self._calls[i].operands:
                    if kind == _CALL:
                        needed[index] = True
        return needed


class Gradients:
    """The gradients of an op with these types and attrs, by the shapes of its inputs. Any thread.

    There is one gradient for all shapes. A gradient for specific shapes may need fewer calls, since it does not sum where
    nothing was broadcast. Deriving one takes a millisecond, so it is done for shapes that occur again, and only a limited
    number of times. Ops whose shape functions reject unknown shapes have only specific gradients.
    """

    _MOST_DERIVED = 64

    def __init__(self, op: Op, key: bytes, find: Find) -> None:
        self._op, self._key, self._find = op, key, find
        self._lock = threading.Lock()
        self._of_shapes: Recent[Gradient | bool] = Recent(16)  # False: these shapes occurred once
        self._derived = 0
        self._for_all: Gradient | Exception | None = None

    def of(self, inputs: Sequence[torch.Tensor]) -> Gradient:
        """The gradient for a call. Raises as Gradient does."""
        if any(tensor.is_nested for tensor in inputs):
            return self._general()
        shapes = tuple(tuple(size if isinstance(size, int) else -1 for size in tensor.shape) for tensor in inputs)
        found = self._of_shapes.get(shapes)
        if isinstance(found, Gradient):
            return found
        if found is None:
            self._of_shapes.add(shapes, False)
        again = found is not None and self._derived < self._MOST_DERIVED
        if not again and not any(map(is_traced, inputs)):  # the graph of a trace is made once, but runs often
            try:
                return self._general()
            except (ValueError, RuntimeError):
                pass
        return self._specific(shapes)

    def _general(self) -> Gradient:
        """The gradient for all shapes. Holds no lock while deriving, which opens plugins and may register operators."""
        if self._for_all is None:
            try:
                self._for_all = Gradient(self._op, self._key, None, self._find)
            except Exception as problem:  # noqa: BLE001
                self._for_all = problem
        if isinstance(self._for_all, Exception):
            raise self._for_all
        return self._for_all

    def _specific(self, shapes: Shapes) -> Gradient:
        with self._lock:
            self._derived += 1
        try:
            made = Gradient(self._op, self._key, shapes, self._find)
        except (ValueError, RuntimeError):
            if not isinstance(self._for_all, Gradient):
                raise
            made = self._for_all  # it serves these shapes, too
        self._of_shapes.add(shapes, made)
        return made


def is_traced(tensor: torch.Tensor) -> bool:
    return torch._C._dispatch_keys(tensor).has(torch._C.DispatchKey.Python)

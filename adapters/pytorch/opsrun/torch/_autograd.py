"""Calls that need more than a kernel: those that record a gradient, have a tangent, or are traced or transformed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from opsrun._recent import Recent
from opsrun.torch import _native
from opsrun.torch._gradient import Find, Gradient, Gradients, flat, is_traced
from opsrun.torch._op import Op

_NOT_DECLARED, _DECLARED, _NOT_NEEDED = range(3)  # OPSRUN_GRADIENT_*


class _Kept(BaseException):
    """The type that the extension module raises: the object is the exception that Autograd has kept."""

    def __new__(cls, given: Any) -> Any:
        return given if isinstance(given, BaseException) else _native.kept()  # Python may make it twice


_native.set_kept_type(_Kept)


class Autograd:
    """A kernel for the dispatch key Autograd, of the operator that the extension module calls unless a call is plain.

    Exceptions cannot pass through PyTorch's stable functions, so they are kept, and raised behind them.
    """

    def __init__(self, op: Op, find: Find) -> None:
        self._op, self._find = op, find
        self._untraced: Any = None
        self._node = type(f"Opsrun{op.operator._opname}", (_Node,), {})
        self._known: Recent[Gradients | int] = Recent(64)
        self._of_kinds: dict[Any, Gradients | int] = {}  # by types and attrs, for fast lookups
        self._has_tensor_attrs = any(kind in ("tensor", "list(tensor)") for _, kind, _ in op.attrs)

    def __call__(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns a list for each output, since PyTorch's stable functions mix up results of different types."""
        try:
            run = self._call
            if torch._C._dynamo.eval_frame.get_eval_frame_callback():  # torch.compile would compile this module, too
                run = self._untraced = self._untraced or torch._dynamo.disable(self._call)
            lists = self._op.lists(run(keys, args, kwargs))
        except BaseException as problem:  # noqa: BLE001
            _native.keep(problem, f"{type(problem).__name__}: {problem}")
            lists = [[] for _ in self._op.out_lists]
        return lists[0] if len(lists) == 1 else tuple(lists) or None

    def _call(self, keys: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        below = _Below(self._op, keys, args, kwargs)
        inputs = args if self._op.is_plain else [tensor for group in self._op.groups(args) for tensor in group]
        records = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in inputs)
        values = self._op.values(kwargs)
        if self._has_tensor_attrs:
            self._check(values)
        if not records and not _is_forward():
            return below()
        if self._has_tensor_attrs and not all(map(_is_readable, flat([value for value in values if _has_tensors(value)]))):
            below()  # reports an error if a trace cannot contain this call
            raise NotImplementedError(f"{self._op.name} cannot be differentiated in a trace: an attr is a tensor")
        gradients = self._gradients(args, values)
        if gradients == _NOT_NEEDED or not self._op.out_lists:
            return below()
        gradient = gradients.of(inputs) if isinstance(gradients, Gradients) else None
        results = self._node.record(below, gradient, inputs)
        return results[0] if self._op.is_plain else self._op.grouped(list(results), below.counts)

    def _gradients(self, args: Sequence[Any], values: list[Any]) -> Gradients | int:
        kind = None
        if self._op.is_plain and not any(isinstance(value, torch.SymInt) for value in values):
            kind = (*(tensor.dtype for tensor in args), *values)
        found = self._of_kinds.get(kind)
        if found is None:
            found = self._of_key(self._op.key(self._op.groups(args), values))
            if kind is not None and len(self._of_kinds) < 64:
                self._of_kinds[kind] = found
        return found

    def _of_key(self, key: bytes) -> Gradients | int:
        found = self._known.get(key)
        if found is None:
            kind = _native.gradient(self._op.native, key)
            found = self._known.add(key, Gradients(self._op, key, self._find) if kind == _DECLARED else kind)
        return found

    def _check(self, values: list[Any]) -> None:
        """Attrs are constants, so tensors in them must not require gradients."""
        for (name, _, _), value in zip(self._op.attrs, values, strict=True):
            if not _has_tensors(value):
                continue
            if any((torch.is_grad_enabled() and each.requires_grad) or _has_tangent(each) for each in flat(value)):
                raise ValueError(f"{self._op.name}: attr '{name}' requires a gradient, but an attr is a constant; use .detach()")


class _Below:
    """The rest of a call: what PyTorch does behind gradients.

    Attributes:
        is_transformed: Whether the call is in a transformation of torch.func.
        counts: Afterwards, the number of results of each output.
    """

    def __init__(self, op: Op, keys: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self.op, self._keys, self._args, self._kwargs = op, keys, args, kwargs
        self.is_transformed = torch._C._are_functorch_transforms_active()
        self._records = torch.is_grad_enabled()
        self.counts: list[int] = []

    def __call__(self) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return self.op.operator.redispatch(self._keys & torch._C._after_autograd_keyset, *self._args, **self._kwargs)

    def flat(self) -> tuple[Any, ...]:
        if self.op.is_plain:
            return (self(),)
        lists = self.op.lists(self())
        self.counts = [len(each) for each in lists]
        return tuple(flat(lists))

    def in_node(self) -> tuple[Any, ...]:
        """As flat. PyTorch has turned derivatives off for the node, but outer transformations of torch.func still need them."""
        if not self.is_transformed:
            return self.flat()
        with torch.set_grad_enabled(self._records), forward_ad._set_fwd_grad_enabled(True):
            return self.flat()


class _Node(torch.autograd.function._SingleLevelFunction):
    """A call in the autograd graph. Saves only tensors that the gradient uses.

    Its base class is that of torch.autograd.Function, which begins with the outermost transformation of torch.func: such
    a call is already in one of them.
    """

    @classmethod
    def record(cls, below: _Below, gradient: Gradient | None, inputs: Sequence[Any]) -> tuple[Any, ...]:
        results: tuple[Any, ...]
        if not below.is_transformed:
            results = cls.apply(below, gradient, *inputs)
        else:
            with enable_single_level_autograd_function():
                results = cls.apply(below, gradient, *inputs)
        return results

    @staticmethod
    def forward(ctx: Any, below: _Below, gradient: Gradient | None, *inputs: Any) -> tuple[Any, ...]:
        outputs = below.in_node()
        ctx.op, ctx.gradient = below.op, gradient
        used: list[Any] = []
        if gradient is not None:
            used = [*[inputs[i] for i in gradient.inputs], *[outputs[i] for i in gradient.outputs]]
            ctx.save_for_backward(*used)
        if below.is_transformed or _is_forward():
            ctx.outputs = [(each.shape, each.dtype, each.device) for each in outputs]
            ctx.save_for_forward(*used)
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return None, None, *_pull(ctx, ctx.saved_tensors, gradients, ctx.needs_input_grad[2:])

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> tuple[Any, ...]:
        """The gradient is linear in what comes in, so its own gradient, with respect to that, is the derivative."""
        given = tangents[2:]
        with torch.enable_grad():
            seeds = [torch.zeros(shape, dtype=dtype, device=device, requires_grad=dtype.is_floating_point or dtype.is_complex)
                     for shape, dtype, device in ctx.outputs]
            saved = [forward_ad.unpack_dual(each, level=0).primal for each in ctx.saved_tensors]
            found = _pull(ctx, saved, seeds, [each is not None for each in given])
            pairs = [(pulled, tangent) for pulled, tangent in zip(found, given, strict=True)
                     if pulled is not None and pulled.requires_grad]
            asked = [seed for seed in seeds if seed.requires_grad]
            slopes = iter(torch.autograd.grad([pulled for pulled, _ in pairs], asked, [tangent for _, tangent in pairs],
                                              create_graph=True, allow_unused=True) if pairs else [None] * len(asked))
        return tuple(next(slopes) if seed.requires_grad else None for seed in seeds)


def _pull(ctx: Any, saved: Sequence[Any], gradients: Sequence[Any], wanted: Sequence[bool]) -> list[Any]:
    """The gradients of inputs, from those of outputs."""
    if ctx.gradient is None:
        plugin, _, name = ctx.op.op.rpartition(".")
        raise NotImplementedError(f"{ctx.op.name} is not differentiable: op '{name}' of plugin '{plugin}' declares no gradient; "
                                  "use .detach() on its inputs if it needs none")
    n = len(ctx.gradient.inputs)
    return ctx.gradient.compute(dict(zip(ctx.gradient.inputs, saved[:n])), dict(zip(ctx.gradient.outputs, saved[n:])),
                                gradients, wanted)


def _is_forward() -> bool:
    """True if tensors may have tangents."""
    return forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active()


def _has_tangent(tensor: torch.Tensor) -> bool:
    return _is_forward() and forward_ad.unpack_dual(tensor, level=0).tangent is not None


def _has_tensors(value: Any) -> bool:
    return isinstance(value, torch.Tensor) or (isinstance(value, list) and any(map(_has_tensors, value)))


def _is_readable(tensor: torch.Tensor) -> bool:
    """False for tensors without accessible elements: in a trace, or on the device meta."""
    return tensor.device.type == "cpu" and tensor.layout == torch.strided and not tensor.is_quantized and not is_traced(tensor)


with contextlib.suppress(AttributeError):
    torch._C._dynamo.eval_frame.skip_code(Autograd.__call__.__code__)

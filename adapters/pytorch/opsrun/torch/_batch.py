"""torch.vmap: one call for all examples, if the op says how it treats batches, and otherwise one for each.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import torch


class Batched:
    """A function for torch.library.register_vmap. PyTorch's own fallback does not support lists of tensors.

    Args:
        operator: The operator for a single example.
        batch: For one call: see opsrun._op_def.OpDef.batch.
    """

    def __init__(self, operator: Any, batch: dict[str, Any] | None) -> None:
        self._operator = operator
        self._batch = batch

    def __call__(self, info: Any, in_dims: tuple[Any, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        if self._batch is not None and (results := self._in_one_call(info.batch_size, in_dims, args, kwargs)) is not None:
            return results, _zeros(results)
        if info.batch_size == 0:
            raise NotImplementedError(f"{self._operator} cannot be batched without examples: they determine its outputs")
        each = [self._operator(*(_example(arg, dims, i) for arg, dims in zip(args, in_dims)), **kwargs)
                for i in range(info.batch_size)]
        return _stacked(each), _zeros(each[0])

    def _in_one_call(self, size: int, in_dims: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The results for all examples; None if the op does not take these as a batch."""
        assert self._batch is not None
        leading = [shape for arg, dims, own in zip(args, in_dims, self._batch["inputs"]) for shape in _leading(arg, dims, own)]
        if None in leading or not (self._batch["broadcasts"] or len(set(leading)) == 1):
            return None
        rank = max(len(shape) for shape in leading if shape is not None)

        def align(arg: Any, dims: Any, own: int) -> Any:
            if isinstance(arg, (list, tuple)):
                return [align(each, dim, own) for each, dim in zip(arg, dims)]
            if dims is None:
                return arg if self._batch["broadcasts"] else arg.expand(size, *arg.shape)
            missing = rank - (arg.dim() - 1 - own)
            return arg.movedim(dims, 0)[(slice(None), *[None] * missing)]

        results = self._operator(*map(align, args, in_dims, self._batch["inputs"]), **kwargs)
        each = results if isinstance(results, tuple) else (results,)
        found = [shape for result, own in zip(each, self._batch["outputs"]) for shape in _leading(result, _nones(result), own)]
        fits = all(shape is not None and len(shape) == rank + 1 and shape[0] == size for shape in found)
        return results if fits else None


def _leading(arg: Any, dims: Any, own: int) -> list[Any]:
    """For each tensor, the shape of an example in front of the op's own dimensions; None if it has fewer of them."""
    if isinstance(arg, (list, tuple)):
        return [shape for each, dim in zip(arg, dims) for shape in _leading(each, dim, own)]
    shape = list(arg.shape)
    if dims is not None:
        del shape[dims]
    return [tuple(shape[:len(shape) - own]) if len(shape) >= own else None]


def _example(arg: Any, dims: Any, i: int) -> Any:
    if isinstance(arg, (list, tuple)):
        return [_example(each, dim, i) for each, dim in zip(arg, dims)]
    return arg if dims is None else arg.select(dims, i)


def _stacked(results: list[Any]) -> Any:
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return type(results[0])(_stacked(list(each)) for each in zip(*results, strict=True))


def _nones(result: Any) -> Any:
    return None if isinstance(result, torch.Tensor) else [None] * len(result)


def _zeros(result: Any) -> Any:
    return 0 if isinstance(result, torch.Tensor) else type(result)(_zeros(each) for each in result)

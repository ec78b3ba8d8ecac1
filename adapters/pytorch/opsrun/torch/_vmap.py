"""torch.vmap for ops with lists of tensors, which PyTorch's own fallback does not support: one call per example.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Any

import torch


class Batched:
    """A function for torch.library.register_vmap.

    Args:
        operator: The operator for a single example.
    """

    def __init__(self, operator: Any) -> None:
        self._operator = operator

    def __call__(self, info: Any, in_dims: tuple[Any, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        if info.batch_size == 0:
            raise NotImplementedError(f"{self._operator} cannot be batched without examples: they determine its outputs")
        results = [self._operator(*(_example(arg, dims, i) for arg, dims in zip(args, in_dims)), **kwargs)
                   for i in range(info.batch_size)]
        return _stacked(results), _zeros(results[0])


def _example(arg: Any, dims: Any, i: int) -> Any:
    if isinstance(arg, (list, tuple)):
        return [_example(each, dim, i) for each, dim in zip(arg, dims)]
    return arg if dims is None else arg.select(dims, i)


def _stacked(results: list[Any]) -> Any:
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return type(results[0])(_stacked(list(each)) for each in zip(*results, strict=True))


def _zeros(result: Any) -> Any:
    return 0 if isinstance(result, torch.Tensor) else type(result)(_zeros(each) for each in result)

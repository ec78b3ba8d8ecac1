"""Arguments and results that are lists, tuples and dicts of tensors: taken apart, and put together again.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opsrun.graph import TensorSpec


def _is_container(tree: Any) -> bool:
    return isinstance(tree, (dict, list, tuple)) and not isinstance(tree, TensorSpec)


def structure_of(tree: Any) -> Any:
    """What two trees have in common if they differ in nothing but leaves: containers and keys, with their types."""
    if not _is_container(tree):
        return None
    if isinstance(tree, dict):
        return (dict, *((type(key), key, structure_of(item)) for key, item in tree.items()))
    return (type(tree), *(structure_of(item) for item in tree))


def leaves_of(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The leaves, each with a name: "x", "params_0", "params_w"."""
    if not _is_container(tree):
        return [(name, tree)]
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in leaves_of(tree[key], f"{name}_{key}")]
    names = tree._fields if hasattr(tree, "_fields") else range(len(tree))
    return [leaf for key, item in zip(names, tree) for leaf in leaves_of(item, f"{name}_{key}")]


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """The same tree of what the function makes of each leaf, in the order of leaves_of."""
    if not _is_container(tree):
        return function(tree)
    if isinstance(tree, dict):
        return {key: map_tree(function, item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_tree(function, item) for item in tree))
    return type(tree)(map_tree(function, item) for item in tree)

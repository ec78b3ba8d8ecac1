"""Arguments and results that are lists, tuples and dicts of tensors: taken apart, and put together again.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leaves_of(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The leaves, each with a name: "x", "params_0", "params_w"."""
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in leaves_of(tree[key], f"{name}_{key}")]
    if isinstance(tree, (list, tuple)):
        names = tree._fields if hasattr(tree, "_fields") else range(len(tree))
        return [leaf for key, item in zip(names, tree) for leaf in leaves_of(item, f"{name}_{key}")]
    return [(name, tree)]


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """The same tree of what the function makes of each leaf, in the order of leaves_of."""
    if isinstance(tree, dict):
        return {key: map_tree(function, item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_tree(function, item) for item in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(map_tree(function, item) for item in tree)
    return function(tree)

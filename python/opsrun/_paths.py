"""Paths and texts for the extension module.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os


def path_text(path: str | bytes | os.PathLike[str]) -> str:
    """The path as a text. Raises TypeError for what is no path, and ValueError for one that is not UTF-8."""
    return checked_text(os.fsdecode(path), "a path")


def checked_text(text: str, what: str) -> str:
    """The text itself. Raises TypeError for what is no str, and ValueError for one that cannot be written as UTF-8."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"{what} cannot be written as UTF-8: {text!r}") from problem
    return text

"""Errors of traced functions, with the line of the user's code that causes them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Iterable

from opsrun.errors import Error

_HERE = os.path.dirname(os.path.abspath(__file__))


class TracingError(Error, TypeError):
    """A traced function does something that a graph cannot do."""

    code = 3


class ForeignTensorError(TracingError):
    """A traced function uses a tensor of another traced function."""


def user_line() -> str:
    """The current line of the user's code: "model.py, line 12: if loss > 0:"."""
    for frame in reversed(traceback.extract_stack()):
        folder = os.path.dirname(os.path.abspath(frame.filename))
        if not folder.startswith(_HERE) and f"{os.sep}numpy{os.sep}" not in frame.filename:
            return f"{frame.filename}, line {frame.lineno}: {frame.line}".rstrip(": ")
    return "unknown place"


def did_you_mean(name: str, known: Iterable[str], what: str) -> str:
    """"; did you mean 'mat_mul'?", or what there is: "; ops: abs, add and 30 more"."""
    names = list(known)
    plain = {each.replace("_", "").lower(): each for each in names}
    near = difflib.get_close_matches(name.replace("_", "").lower(), plain, 2)
    if near:
        return "; did you mean " + " or ".join(f"'{plain[each]}'" for each in near) + "?"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"; {what}: {', '.join(names[:12]) or 'none'}{more}"


def refuse(what: str, help_: str, kind: type[TracingError] = TracingError) -> TracingError:
    return kind(f"{what}\n  at {user_line()}\n  = help: {help_}")

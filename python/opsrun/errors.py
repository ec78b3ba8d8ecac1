"""Exceptions of opsrun, one class for each code, and the messages they hold.

An exception's text is what the program opsrun prints; its `diagnostics` are the parts: code, place, help.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import warnings
from typing import NamedTuple


class Place(NamedTuple):
    """Where something is in a file. Lines and columns start at 1; 0 means that there is no place."""

    line: int
    column: int
    end_line: int
    end_column: int


class Label(NamedTuple):
    """Another place, and how it is related to a message."""

    place: Place
    text: str


class Diagnostic(NamedTuple):
    """One message about a graph, a plugin or a run."""

    code: str
    severity: str
    message: str
    file: str
    place: Place
    label: str
    also: tuple[Label, ...]
    help: tuple[str, ...]
    notes: tuple[str, ...]
    suggestion: str

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def column(self) -> int:
        return self.place.column

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{where}{self.severity}[{self.code}]: {self.message}"


class OpsrunWarning(UserWarning):
    """A warning about a graph or a plugin.

    Attributes:
        diagnostic: Its parts.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


class Error(Exception):
    """Base class of all exceptions of opsrun.

    Attributes:
        code: The number of the code, as in gRPC and absl: 3 is INVALID_ARGUMENT.
        diagnostics: What is wrong, one message each. It may be empty.
    """

    code: int = 2

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.diagnostics = diagnostics


OpError = Error


class CancelledError(Error):
    """A run was stopped."""

    code = 1


class UnknownError(Error):
    """There is no better code."""

    code = 2


class InvalidArgumentError(Error, ValueError):
    """A graph, an input or an attr is wrong."""

    code = 3


class DeadlineExceededError(Error, TimeoutError):
    """There was no time left."""

    code = 4


class NotFoundError(Error, LookupError):
    """An op, a file or another named thing does not exist."""

    code = 5


class AlreadyExistsError(Error):
    """A named thing exists already."""

    code = 6


class PermissionDeniedError(Error, PermissionError):
    """The system refused access."""

    code = 7


class ResourceExhaustedError(Error, MemoryError):
    """Memory, or something else that is limited, has run out."""

    code = 8


class FailedPreconditionError(Error):
    """It cannot be done in this state; for example, a plugin is refused."""

    code = 9


class AbortedError(Error):
    """It was lost to somebody else; trying again may help."""

    code = 10


class OutOfRangeError(Error, IndexError):
    """Something is past an end."""

    code = 11


class UnimplementedError(Error, NotImplementedError):
    """No kernel, or this version of opsrun, does it."""

    code = 12


class InternalError(Error):
    """A bug of opsrun or of a plugin."""

    code = 13


class UnavailableError(Error):
    """It is not there now."""

    code = 14


class DataLossError(Error):
    """Data is damaged."""

    code = 15


class UnauthenticatedError(Error):
    """There are no valid credentials."""

    code = 16


_BY_CODE = {each.code: each for each in Error.__subclasses__()}


def make_error(code: int, text: str, diagnostics: list[Diagnostic]) -> Error:
    """The exception for a code of the library and its report."""
    found = tuple(_tidy(each) for each in diagnostics)
    message = text.rstrip("\n") or "; ".join(each.message for each in found) or f"opsrun failed with code {code}"
    return _BY_CODE.get(code, UnknownError)(message, found)


def warn(diagnostics: list[Diagnostic]) -> None:
    """Issues the warnings of a call that succeeded."""
    for each in diagnostics:
        warnings.warn(OpsrunWarning(_tidy(each)), stacklevel=4)


def _tidy(raw: Diagnostic) -> Diagnostic:
    return raw._replace(
        place=Place(*raw.place),
        also=tuple(Label(Place(*place), text) for place, text in raw.also),
        help=tuple(raw.help),
        notes=tuple(raw.notes),
    )

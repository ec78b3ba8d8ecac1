"""Exceptions of opsrun, one class for each code, and the messages they hold.

An exception of a call names the op and its arguments; one of a graph file has the text that the program opsrun prints.
Its `diagnostics` are the parts: code, place, help.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import errno
import re
import warnings
from typing import NamedTuple, Self


class Place(NamedTuple):
    """A place in a file. Lines and columns start at 1; 0 means that the place is unknown."""

    line: int
    column: int
    end_line: int
    end_column: int


class Label(NamedTuple):
    """Another place, with its relation to the message."""

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
        diagnostic: The parts of the message.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


class Error(Exception):
    """Base class of all exceptions of opsrun.

    Attributes:
        code: The number of the code, as in gRPC and absl: 3 is INVALID_ARGUMENT.
        diagnostics: One for each problem. It may be empty.
    """

    code: int = 2

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.diagnostics = diagnostics

    def in_call(self, call: str, line: str = "") -> Self:
        """The same error in the words of a Python call: on one line, and one for the line of a traced function."""
        sentences = [_OF_NODE.sub("", each.message) for each in self.diagnostics]
        text = f"{call}: {'; '.join(sentences) or self.message}"
        return type(self)(f"{text}\n  at {line}" if line else text, self.diagnostics)


# What a message about a graph says of its node first.
_OF_NODE = re.compile(r"^(node '\w+' failed: [A-Z_]+: |op '[^']*' does not accept these (shapes|attrs): )")

OpError = Error


class CancelledError(Error):
    """A run was stopped."""

    code = 1


class UnknownError(Error):
    """An error without a more specific code."""

    code = 2


class InvalidArgumentError(Error, ValueError):
    """A graph, an input or an attr is invalid."""

    code = 3


class DeadlineExceededError(Error, TimeoutError):
    """The time limit was exceeded."""

    code = 4


class NotFoundError(Error, LookupError):
    """An op, a file or another named thing does not exist."""

    code = 5


class MissingFileError(NotFoundError, FileNotFoundError):
    """A file does not exist."""

    errno = errno.ENOENT


class AlreadyExistsError(Error):
    """A named thing exists already."""

    code = 6


class PermissionDeniedError(Error, PermissionError):
    """The system refused access."""

    code = 7


class ResourceExhaustedError(Error, MemoryError):
    """Memory or another limited resource is exhausted."""

    code = 8


class FailedPreconditionError(Error):
    """The operation is not possible in this state; for example, a plugin is refused."""

    code = 9


class AbortedError(Error):
    """The operation was aborted because of a conflict; trying again may help."""

    code = 10


class OutOfRangeError(Error, IndexError):
    """An index or a value is out of range."""

    code = 11


class UnimplementedError(Error, NotImplementedError):
    """No kernel supports the operation, or this version of opsrun does not."""

    code = 12


class InternalError(Error):
    """An internal error of opsrun or of a plugin."""

    code = 13


class UnavailableError(Error):
    """Something is temporarily unavailable."""

    code = 14


class DataLossError(Error):
    """Data is damaged."""

    code = 15


class UnauthenticatedError(Error):
    """There are no valid credentials."""

    code = 16


_BY_CODE = {each.code: each for each in Error.__subclasses__()}


def make_error(code: int, text: str, diagnostics: list[Diagnostic]) -> Error:
    """The exception for a code and a report of the library."""
    found = tuple(_tidy(each) for each in diagnostics)
    message = text.rstrip("\n") or "; ".join(each.message for each in found) or f"opsrun failed with code {code}"
    missing = code == NotFoundError.code and any(each.code == "G000" for each in found)
    return (MissingFileError if missing else _BY_CODE.get(code, UnknownError))(message, found)


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

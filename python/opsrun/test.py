"""Tests of ops: assertions about arrays, and comparison of declared gradients with numerical ones.

    class ZeroOutTest(opsrun.test.TestCase):
        def test_zero_out(self):
            self.assertAllEqual(lib.zero_out([5, 4]), [5, 0])
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import contextlib
import re
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from opsrun._gradients import vjp
from opsrun._values import Array, has_typed
from opsrun.errors import Error


class TestCase(unittest.TestCase):
    """unittest.TestCase with assertions about arrays."""

    def assertAllEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Asserts equal shapes and elements; NaN equals NaN."""
        a, b = _texts(np.asarray(first)), _texts(np.asarray(second))
        self.assertShapeEqual(a, b, msg)
        same = (a == b) | ((a != a) & (b != b))
        if not np.all(same):
            self.fail(self._formatMessage(msg, _difference(a, b, ~np.asarray(same))))

    def assertAllClose(self, first: Any, second: Any, rtol: float = 1e-6, atol: float = 1e-6,
                       msg: str | None = None) -> None:
        """Asserts equal shapes and |first - second| <= atol + rtol * |second|. Also for dicts, tuples and lists of
        arrays."""
        if isinstance(first, dict) or isinstance(second, dict):
            self.assertTrue(isinstance(first, dict) and isinstance(second, dict), msg or "only one of the two is a dict")
            self.assertEqual(set(first), set(second), msg)
            for key in first:
                self.assertAllClose(first[key], second[key], rtol, atol, f"{key}: {msg or ''}")
            return
        if isinstance(first, tuple) or (isinstance(first, list) and isinstance(second, (list, tuple)) and has_typed([first, second])):
            self.assertTrue(isinstance(second, (list, tuple)) or np.ndim(second) > 0, msg or "only one of the two is a tuple")
            self.assertEqual(len(first), len(second), msg)
            for a, b in zip(first, second):
                self.assertAllClose(a, b, rtol, atol, msg)
            return
        a, b = np.asarray(first), np.asarray(second)
        self.assertShapeEqual(a, b, msg)
        near = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        if not np.all(near):
            self.fail(self._formatMessage(msg, _difference(a, b, ~near)))

    def assertShapeEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Asserts equal shapes."""
        a, b = np.shape(first), np.shape(second)
        if a != b:
            self.fail(self._formatMessage(msg, f"the shapes differ: {list(a)} and {list(b)}"))

    @contextlib.contextmanager
    def assertRaisesOpError(self, pattern: str) -> Iterator[None]:
        """Expects an exception of opsrun whose text matches the regular expression `pattern`."""
        try:
            yield
        except Error as error:
            if re.search(pattern, str(error)) is None:
                self.fail(f"the error does not match {pattern!r}: {error}")
            return
        self.fail(f"there was no error that matches {pattern!r}")


def _texts(array: Array) -> Array:
    """Converts str to bytes: ops return bytes, but tests often use str."""
    if array.dtype.kind in "OSU":
        flat = [item.encode() if isinstance(item, str) else item for item in array.reshape(-1).tolist()]
        result = np.empty(len(flat), object)
        result[:] = flat
        return result.reshape(array.shape)
    return array


def _difference(a: Array, b: Array, wrong: Array) -> str:
    places = np.argwhere(wrong)
    shown = [f"  at {place.tolist()}: {a[tuple(place)]!r} and {b[tuple(place)]!r}" for place in places[:5]]
    more = [f"  and {len(places) - 5} more"] if len(places) > 5 else []
    return "\n".join([f"{len(places)} of {a.size} elements differ:", *shown, *more])


def compute_gradient(function: Callable[..., Any], args: Sequence[Any], delta: float = 1 / 1024) -> tuple[list[Array], list[Array]]:
    """The Jacobians of a function, as its ops declare them and by central differences.

    Args:
        function: A function of arrays that calls ops and returns one tensor.
        args: The point at which to evaluate it: arrays of floats. float64 gives the best results. Bind other arguments,
            such as indices, in a lambda.
        delta: The distance by which each element is moved.

    Returns:
        Two lists with a matrix for each argument; it has a row for each element of the result, a column for each of the
        argument.

    Raises:
        TypeError: An argument is not an array of floats, or the function does not return one tensor of floats.
        ValueError: delta is too small for an element's type, so that moving it has no effect.
    """
    arrays = [_floats(arg, f"args[{i}]") for i, arg in enumerate(args)]
    value, products = vjp(function, *arrays)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fV":
        what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise TypeError(f"the function returns {what}, and its gradient is compared if it returns one tensor of floats")
    size = int(np.size(value))
    declared = [np.zeros((size, array.size)) for array in arrays]
    for row in range(size):
        seed = np.zeros(size, value.dtype)
        seed[row] = 1
        for matrix, gradient in zip(declared, products(seed.reshape(np.shape(value)))):
            matrix[row] = np.asarray(gradient, np.float64).reshape(-1)
    measured = [np.zeros((size, array.size)) for array in arrays]
    for number, (matrix, array) in enumerate(zip(measured, arrays)):
        flat = array.reshape(-1)  # a view of the array, which is row-major
        for column in range(array.size):
            before = flat[column]
            ends = []
            for step in (delta, -delta):
                flat[column] = before + step
                ends.append((np.asarray(function(*arrays), np.float64).reshape(-1), float(flat[column])))
            flat[column] = before
            if ends[0][1] == ends[1][1]:
                raise ValueError(f"args[{number}] holds {float(before)!r}, which does not change in {array.dtype} when it is moved "
                                 f"by {delta!r}; use a larger delta, or float64")
            matrix[:, column] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])
    return declared, measured


def _floats(arg: Any, what: str) -> Array:
    """A separate row-major array of floats. Plain integers are converted."""
    array = np.asarray(arg)
    if array.dtype.kind not in "fV" and (array.dtype.kind not in "iu" or has_typed(arg)):
        raise TypeError(f"{what} is {array.dtype}, and gradients are compared for arguments of floats; give the others in a lambda")
    return np.array(array, array.dtype if array.dtype.kind == "f" else np.float64, order="C")


def max_error(declared: Sequence[Array], measured: Sequence[Array]) -> float:
    """The largest difference between the matrices of compute_gradient; NaN if any element is NaN."""
    if [a.shape for a in declared] != [b.shape for b in measured]:
        raise ValueError(f"the matrices have other shapes: {[a.shape for a in declared]} and {[b.shape for b in measured]}")
    return float(np.max([np.max(np.abs(a - b), initial=0) for a, b in zip(declared, measured)], initial=0))


main = unittest.main

"""draw.py: random inputs for ops, determined by a seed.

A Draw belongs to one case of one op. Tables call its methods to make the inputs of that case:

    d.type      the case's type, as opsrun names it: "float32", "bfloat16", "string", ...
    d.number    the number of the case, from 0. Case 0 is the smallest shape that is allowed, case 1 has no elements.
    d.large     the case tests large arrays: shapes have about LARGE elements
    d.random    numpy.random.Generator

NumPy has no bfloat16 and no 8-bit floats. Their values are drawn as float32 that the type can represent; the graph
converts them with Cast, and converts outputs back.

SPDX-License-Identifier: Apache-2.0
"""

import zlib

import numpy as np

LARGE = 60_000
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FLOATS_AND_COMPLEX = FLOATS + COMPLEX
REAL = INTEGERS + FLOATS
NUMBERS = REAL + COMPLEX
FIXED_SIZE = NUMBERS + ["bool"]
ALL_TYPES = FIXED_SIZE + ["string"]
FLOAT8 = ["float8_e5m2", "float8_e4m3fn"]
V = np.int32  # of a list: the vector or matrix that most ops take as shapes, axes and indices
CONVERTED = {"bfloat16": 16, "float8_e5m2": 22, "float8_e4m3fn": 21}  # the bits of a float32 that the type lacks


def numpy_type(name):
    return np.dtype("float32" if name in CONVERTED else "U" if name == "string" else name)


class Draw:
    def __init__(self, op, type_name, number, seed, large=False):
        self.type, self.number, self.large = type_name, number, large
        self.random = np.random.default_rng(zlib.crc32(f"{op} {type_name} {number} {seed}".encode()))
        self.converted = []  # arrays that the graph converts to the type

    def choice(self, *values):
        return values[self.random.integers(len(values))]

    def some(self, probability=0.5):
        return bool(self.random.random() < probability)

    def integer(self, low, high):
        """Both included."""
        return int(self.random.integers(low, high, endpoint=True))

    def shape(self, min_rank=0, max_rank=4, min_size=0, large=True):
        """Any shape; sizes are `min_size` to 4. large=False: also in the case for large arrays."""
        large = large and self.large
        least = max(min_rank, 1 if self.number == 1 or large else 0)
        rank = min_rank if self.number == 0 else self.integer(least, max_rank)
        sizes = [self.integer(max(min_size, 1), 4) for _ in range(rank)]
        if rank and min_size == 0 and (self.number == 1 or self.some(0.1)) and not large:
            sizes[self.integer(0, rank - 1)] = 0
        if large and rank:
            at = self.integer(0, rank - 1)
            sizes[at] = 1
            sizes[at] = LARGE // int(np.prod(sizes)) + self.integer(0, 9)
        return tuple(sizes)

    def axis(self, rank):
        """A valid axis, negative half the time."""
        return self.integer(-rank, rank - 1)

    def indices(self, size, shape, type_name="int32"):
        """Indices below `size`, which must not be 0 unless the shape has no elements."""
        return self.random.integers(0, max(size, 1), shape).astype(type_name)

    def index_type(self):
        return self.choice("int32", "int64")

    def integers(self, values):
        return np.array(values, self.index_type())

    def permutation(self, n):
        return [int(i) for i in self.random.permutation(n)]

    def values(self, shape=None, type_name=None, low=None, high=None, special=True):
        """An array of a type, by default the case's. Between low and high, if they are given, else with extremes."""
        shape = self.shape() if shape is None else tuple(shape)
        name = type_name or self.type
        if low is not None:
            array = self._between(name, shape, low, high)
        else:
            array = self._any(name, shape, special)
        array = np.asarray(array)
        if name in CONVERTED:
            array = rounded(array, name)
            self.converted.append(array)
        return array

    def _between(self, name, shape, low, high):
        kind = numpy_type(name).kind
        if kind in "iu":
            return self.random.integers(low, high, shape, dtype=name, endpoint=True)
        real = self.random.uniform(low, high, shape)
        if kind == "c":
            real = real + 1j * self.random.uniform(low, high, shape)
        return np.asarray(real).astype(numpy_type(name))

    def _any(self, name, shape, special):
        kind = numpy_type(name).kind
        if kind == "b":
            return self.random.integers(0, 2, shape).astype(bool)
        if kind == "U":
            words = np.array(["", "a", "opsrun", "a string that is longer than any string object", "ä"])
            return words[self.random.integers(0, len(words), shape)]
        if kind in "iu":
            limits = np.iinfo(name)
            small = self.random.integers(0 if kind == "u" else -9, 9, shape).astype(name)
            full = self.random.integers(limits.min, limits.max, shape, dtype=name, endpoint=True)
            return self._mixed([small, full], [limits.min, limits.max, 0, 1] if special else [], name)
        part = self._float(name, shape, special)
        if kind == "c":
            part = np.asarray(part).astype(name)
            part.imag = self._float(name, shape, special)
        return part

    def _float(self, name, shape, special):
        real = np.dtype({"complex64": "float32", "complex128": "float64"}.get(name, numpy_type(name)))
        plain = self.random.normal(0, 1, shape), self.random.normal(0, 50, shape).round()
        limits = np.finfo(real)
        extremes = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, limits.max, limits.tiny]
        return self._mixed(plain, extremes if special and self.number % 2 else [], real)

    def _mixed(self, sources, extremes, dtype):
        array = np.where(self.random.random(np.shape(sources[0])) < 0.5, *sources).astype(dtype)
        if extremes:
            chosen = self.random.random(array.shape) < 0.2
            which = self.random.integers(0, len(extremes), array.shape)
            array = np.where(chosen, np.array(extremes, dtype)[which], array)
        return np.asarray(array, dtype)


def rounded(array, name):
    """Without the bits that the type lacks. Of 8-bit floats, only small numbers are kept: their ranges are small."""
    array = np.array(array, np.float32)
    if name != "bfloat16":
        array = np.where(np.isfinite(array), np.clip(array, -16, 16), 1).astype(np.float32)
        array = np.where(np.abs(array) < 0.02, 0, array).astype(np.float32)
    mask = np.uint32(0xFFFFFFFF << CONVERTED[name] & 0xFFFFFFFF)
    bits = array.view(np.uint32)
    return np.where(np.isnan(array), array, (bits & mask).view(np.float32)).astype(np.float32)


# Inputs that many ops take, for the third argument of op().
def element_wise(count=1, **bounds):
    """`count` arrays of one shape."""
    def draw(d):
        shape = d.shape()
        return [d.values(shape, **bounds) for _ in range(count)]
    return draw


def broadcast(count=2, **bounds):
    """`count` arrays whose shapes can be broadcast with each other."""
    def draw(d):
        whole = d.shape()
        full = d.integer(0, count - 1)
        return [d.values(_part(d, whole) if i != full and d.number > 1 else whole, **bounds) for i in range(count)]
    return draw


def _part(d, whole):
    sizes = [1 if d.some(0.3) else size for size in whole]
    return tuple(sizes[d.integer(0, len(sizes)):])

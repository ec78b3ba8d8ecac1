"""What opsrun writes, it reads: constants of traced functions, saved graphs, what `config` prints, and files.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

import ml_dtypes
import numpy as np
import pytest

import opsrun
from opsrun import _program, _yaml
from opsrun._values import NAMES, number_of
from opsrun.ops import array_ops

OPS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops")
scales = opsrun.load_op_library(os.path.join(OPS, "test_gradients.so"))
strings = opsrun.load_op_library(os.path.join(OPS, "test_strings.so"))
RANDOM = np.random.default_rng(7)
FLOATS = [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn,
          ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e5m2fnuz]
INTEGERS = [np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)]


def numbers(dtype):
    """The special numbers of a type, and any others."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True, True, False])
    if dtype.kind in "iu":
        return np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2**53 + 1 if dtype.itemsize == 8 else 7], dtype)
    if dtype.kind == "c":
        parts = numbers(f"f{dtype.itemsize // 2}")
        both = np.empty(parts.shape, dtype)
        both.real, both.imag = parts, RANDOM.permutation(parts)
        return both
    return np.frombuffer(special(dtype).tobytes() + RANDOM.bytes(512 * dtype.itemsize), dtype)


def special(dtype):
    limits = ml_dtypes.finfo(dtype)
    values = [0.0, -0.0, np.nan, 0.1, -1.0, float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)]
    with np.errstate(all="ignore"):
        return np.array([*values, np.inf, -np.inf], np.float64).astype(dtype)


def texts():
    every = [bytes([i]) + b"a" for i in range(256)]
    words = [b"", b"no", b"~", b"1", b".inf", b"a: b #c", b"it's \"q\"", "Zoë \u2028 \U0001f600".encode(), b"\xff\xfe\x00z", b"x\n  y\t"]
    return np.array(words + every, object)


def parts(array):
    """The bits of the numbers, of complex ones both parts, with one NaN in place of all NaNs."""
    flat = array.reshape(-1)
    flat = flat.view(f"f{flat.dtype.itemsize // 2}") if flat.dtype.kind == "c" else flat
    bits = flat.view(f"u{flat.dtype.itemsize}").copy()
    bits[flat != flat] = 1  # noqa: PLR0124
    return bits.tolist()


def same(given, read):
    assert given.dtype == read.dtype and given.shape == read.shape
    if given.dtype.kind == "O":
        assert given.tolist() == read.tolist()
    else:
        assert parts(given) == parts(read)


def config(path):
    """What the program prints for a graph, with everything filled in."""
    program = os.path.join(_program.prefix(), "bin", "opsrun")
    return subprocess.run([program, "config", path], capture_output=True, check=True).stdout.decode()


ARRAYS = [*[numbers(dtype) for dtype in (*FLOATS, *INTEGERS, bool, np.complex64, np.complex128)], texts()]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.dtype))
def test_constants(array, tmp_path):
    shapes = [array, array[:4].reshape(2, 2), array[2:3].reshape(()), array[:0], array[:0].reshape(0, 2),
              array[:0].reshape(2, 0), np.repeat(array[1:2], 3)]
    function = opsrun.function(lambda x: [x, *(array_ops.identity(each) for each in shapes)])
    for given, read in zip(shapes, function(np.float32(1))[1:]):
        same(given, np.asarray(read))
    path = tmp_path / "g.yaml"
    function.graph.save(path)
    loaded = opsrun.Graph.load(path)
    names = [spec.name for spec in loaded.outputs]
    for graph in (loaded, opsrun.Graph.from_yaml(config(path))):
        results = graph.run({name: np.float32(1) for name, _, _ in graph.feeds})
        for given, name in zip(shapes, names[1:]):
            same(given, np.asarray(results[name]))


def test_float_attrs_are_rounded_once():
    """Kernels read a float: the nearest one to the number that is given, also if a text stands between them."""
    one = np.float32([1])
    for code in [*RANDOM.integers(1, 0x7f000000, 100), 0x15ae43fd, 0x3f800000]:
        low, high = np.array([code, code + 1], np.uint32).view(np.float32).astype(np.float64)
        middle = (low + high) / 2
        for factor in map(float, (low, middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf))):
            expected = np.float32([factor])
            function = opsrun.function(lambda x: scales.test_scale(x, factor=factor))  # noqa: B023
            np.testing.assert_array_equal(function(one), expected)
            np.testing.assert_array_equal(opsrun.Graph.from_yaml(function.graph.to_yaml()).run(x=one)["test_scale"], expected)
            if code in (0x15ae43fd, 0x3f800000):
                np.testing.assert_array_equal(scales.test_scale(one, factor=factor), expected)
                gradient = opsrun.grad(lambda x: scales.test_scale(x, factor=factor).sum())  # noqa: B023
                np.testing.assert_array_equal(gradient(one), expected)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.dtype))
def test_attrs_that_are_tensors(array):
    for value in (array, array[:4].reshape(2, 2), array[:0].reshape(0, 2), array[:0].reshape(2, 0)):
        dtype = "string" if array.dtype.kind == "O" else array.dtype
        written = _yaml.flow({"value": _yaml.attr("tensor", value, "value"), "T": NAMES[number_of(dtype)]})
        graph = f"opsrun: 1\nnodes: {{n: {{op: TestConst, attrs: {written}}}}}\noutputs: [n]\n"
        for result in (strings.test_const(value=value, T=dtype), opsrun.Graph.from_yaml(graph).run()["n"]):
            same(value, np.asarray(result))


def test_attrs_that_are_strings():
    names = np.array([b"\xfe"], object)
    for text in texts():
        function = opsrun.function(lambda x: strings.test_greet(x, greeting=text))  # noqa: B023
        for result in (function(names), strings.test_greet(names, greeting=text),
                       opsrun.Graph.from_yaml(function.graph.to_yaml()).run(x=names)["test_greet"]):
            assert result.tolist() == [text + b" \xfe"]


NUMPY_NAMES = sorted({*np.sctypeDict, *np.typecodes["All"], "f4,i4", "3f4", "T", "f1", "V4"} - {0}, key=str)


@pytest.mark.parametrize("order", ["", "<", ">", "=", "|"])
def test_names_of_data_types_in_files(order, tmp_path):
    """Every name that NumPy knows is read as NumPy reads it, or refused with the reason."""
    reasons = {"O": "pickle", "g": "long doubles", "G": "long doubles", "M": "dates and times", "m": "dates and times",
               "V": "opaque bytes|has parts|elements with parts", "T": "strings of any length"}
    for name in (order + str(name) for name in NUMPY_NAMES):
        try:
            dtype = np.dtype(name)
        except TypeError:
            continue
        if dtype.num >= 256:  # of another package
            continue
        data = RANDOM.bytes(2 * dtype.itemsize)
        if dtype.char in "SU?" and dtype.itemsize:
            data = np.array(["a", "b"] if dtype.char != "?" else [True, False]).astype(dtype).tobytes()
        header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': (2,), }}\n".encode()
        path = tmp_path / "x.npy"
        path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + data)
        graph = f"opsrun: 1\nfeeds: {{x: {{npy: {path}}}}}\noutputs: [x]\n"
        if dtype.char in reasons:
            with pytest.raises(opsrun.errors.Error, match=reasons[dtype.char]):
                opsrun.Graph.from_yaml(graph)
            continue
        expected = np.load(path)
        found = opsrun.Graph.from_yaml(graph).run()["x"]
        if dtype.char in "SU":
            assert [text.decode() for text in found] == [str(np.char.decode(t) if dtype.char == "S" else t) for t in expected], name
        else:
            same(expected.astype(expected.dtype.newbyteorder("=")), found.astype(found.dtype))

"""jax_calls_test.py: what XLA calls in opsrun.jax for a card, on the fake driver. The test is XLA: it makes the frames.

usage: jax_calls_test.py FOLDER...     the plugins for the fake driver

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import ctypes
import sys
import unittest
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p, cast

import numpy as np

CUDA = ctypes.CDLL("libcuda.so.1")
TYPES = {"float32": 11, "int32": 4, "int64": 5}  # XLA_FFI_DataType_*


def cuda(name, *arguments):
    error = getattr(CUDA, name)(*arguments)
    assert error == 0, f"{name} returns {error}"


def struct(name, *fields):
    """A struct of XLA's C API, which begins with its size and a list of extensions."""
    return type(name, (Structure,), {"_fields_": [("size", c_size_t), ("extensions", c_void_p), *fields]})


Buffer = struct("Buffer", ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64)))
List = struct("List", ("n", c_int64), ("types", POINTER(c_int)), ("items", POINTER(c_void_p)))  # arguments, or results
Attrs = struct("Attrs", ("n", c_int64), ("types", POINTER(c_int)), ("names", c_void_p), ("items", POINTER(c_void_p)))
Frame = struct("Frame", ("api", c_void_p), ("ctx", c_void_p), ("stage", c_int), ("args", List), ("rets", List),
               ("attrs", Attrs), ("future", c_void_p))
Error = struct("Error", ("message", c_char_p), ("code", c_int))
State = struct("State", ("ctx", c_void_p), ("type", c_void_p), ("state", c_void_p), ("destroy", c_void_p))
StreamOf = struct("StreamOf", ("ctx", c_void_p), ("stream", c_void_p))
Ordinal = struct("Ordinal", ("ctx", c_void_p), ("ordinal", c_int32))
Allocation = struct("Allocation", ("ctx", c_void_p), ("bytes", c_size_t), ("alignment", c_size_t), ("data", c_void_p))
Release = struct("Release", ("ctx", c_void_p), ("bytes", c_size_t), ("data", c_void_p))


class Text(Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t)]


class Xla:
    """XLA's C API, version 0.1, for one card."""

    # In the order of the API; None: not called.
    NAMES = ["error_create", None, None, None, "stream_get", "succeed", None, "state_set", "state_get", "allocate", "free", None,
             None, None, None, None, None, "ordinal_get"]

    def __init__(self):
        self.stream, self.blocks, self.error, self.state, self.destroy = c_void_p(), {}, None, None, None
        cuda("cuStreamCreate", byref(self.stream), 1)
        kinds = {"error_create": Error, "stream_get": StreamOf, "succeed": State, "state_set": State, "state_get": State,
                 "allocate": Allocation, "free": Release, "ordinal_get": Ordinal}
        self._functions = [CFUNCTYPE(c_void_p, POINTER(kinds[name]))(getattr(self, name)) if name else None
                           for name in self.NAMES]
        addresses = [cast(each, c_void_p).value if each else 0 for each in self._functions]
        header = np.zeros(1, np.dtype([("words", "u8", 4), ("major", "i4"), ("minor", "i4"), ("internal", "u8")]))
        header["minor"] = 1
        self._api = header.tobytes() + np.array(addresses, np.uint64).tobytes()

    def error_create(self, args):
        self.error = args[0].code, args[0].message.decode()
        return 1

    def succeed(self, args):
        return None

    def stream_get(self, args):
        args[0].stream = self.stream.value

    def ordinal_get(self, args):
        args[0].ordinal = 0

    def state_set(self, args):
        self.state, self.destroy = args[0].state, args[0].destroy

    def state_get(self, args):
        args[0].state = self.state

    def allocate(self, args):
        args[0].data = self.take(args[0].bytes)

    def free(self, args):
        bytes_of = self.blocks.pop(args[0].data)
        assert bytes_of == args[0].bytes

    def take(self, n):
        memory = c_void_p()
        cuda("cuMemAlloc_v2", byref(memory), c_size_t(max(n, 1)))
        self.blocks[memory.value] = n
        return memory.value

    @contextlib.contextmanager
    def program(self, text):
        """While it is entered, XLA has a program with this call."""
        self.call("instantiate_on_card", text, [], [])
        yield
        cuda("cuStreamSynchronize", self.stream)
        CFUNCTYPE(None, c_void_p)(self.destroy)(self.state)

    def execute(self, text, inputs, results):
        """The arrays that the program's op gives; inputs: arrays; results: types and shapes."""
        outputs = [np.empty(shape, dtype) for dtype, shape in results]
        made = [self.to_card(each) for each in outputs]
        self.call("execute_on_card", text, [self.to_card(each) for each in inputs], made)
        for array, buffer in zip(outputs, made):
            cuda("cuMemcpyDtoHAsync_v2", c_void_p(array.ctypes.data), c_void_p(buffer.data), c_size_t(array.nbytes), self.stream)
        cuda("cuStreamSynchronize", self.stream)
        return outputs

    def run(self, text, inputs, results):
        with self.program(text):
            before = len(self.blocks) + len(inputs) + len(results)
            outputs = self.execute(text, inputs, results)
            assert len(self.blocks) == before, "a temporary was not given back"
        return outputs

    def to_card(self, array):
        data = self.take(array.nbytes)
        cuda("cuMemcpyHtoDAsync_v2", c_void_p(data), c_void_p(array.ctypes.data), c_size_t(array.nbytes), self.stream)
        dims = (c_int64 * array.ndim)(*array.shape)
        return Buffer(0, None, TYPES[str(array.dtype)], data, array.ndim, dims)

    def call(self, handler, text, inputs, outputs):
        data = text.encode()
        span = Text(data, len(data))
        arrays = [[(c_int * len(each))(*[1] * len(each)), (c_void_p * len(each))(*[ctypes.addressof(item) for item in each])]
                  for each in (inputs, outputs)]
        lists = [List(0, None, len(items), types, items) for types, items in arrays]
        attrs = Attrs(0, None, 1, (c_int * 1)(4), None, (c_void_p * 1)(ctypes.addressof(span)))
        frame = Frame(0, None, cast(c_char_p(self._api), c_void_p), None, 0, *lists, attrs, None)
        self.error = None
        if CFUNCTYPE(c_void_p, POINTER(Frame))(address(handler))(byref(frame)) is not None:
            raise RuntimeError(self.error)


def address(handler):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return get(getattr(native, handler), None)


def graph(op, feeds, inputs, attrs=""):
    """A call of an op as opsrun.jax writes it."""
    declared = ", ".join(f"{name}: {{dtype: {dtype}}}" for name, dtype in feeds.items())
    return f"{{opsrun: 1, feeds: {{{declared}}}, nodes: {{n: {{op: {op}, in: {{{inputs}}}{attrs}}}}}}}"


class Calls(unittest.TestCase):
    def setUp(self):
        self.xla = Xla()

    def test_a_kernel_on_the_card(self):
        x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
        text = graph("math_ops.Tanh", {"x": "float32"}, "x: x")
        y, = self.xla.run(text, [x], [("float32", (2, 3))])
        np.testing.assert_allclose(y, np.tanh(x), rtol=1e-5)

    def test_inputs_and_outputs_in_cpu_memory(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        text = graph("math_ops.Sum", {"x": "float32", "axes": "int32"}, "input: x, reduction_indices: axes")
        y, = self.xla.run(text, [x, np.int32([1])], [("float32", (2,))])
        self.assertEqual(y.tolist(), [3, 12])
        text = graph("shape_ops.Shape", {"x": "float32"}, "input: x")
        y, = self.xla.run(text, [x], [("int32", (2,))])
        self.assertEqual(y.tolist(), [2, 3])

    def test_an_op_without_a_kernel_for_cards_runs_on_the_cpu(self):
        x = np.float32([3, 1, 3])
        text = graph("array_ops.Unique", {"x": "float32"}, "x: x")
        y, idx = self.xla.run(text, [x], [("float32", (2,)), ("int32", (3,))])
        self.assertEqual((y.tolist(), idx.tolist()), ([3, 1], [0, 1, 0]))

    def test_a_failure(self):
        text = graph("array_ops.Unique", {"x": "float32"}, "x: x")
        with self.assertRaisesRegex(RuntimeError, "array_ops.Unique, output y: .*shape"):
            self.xla.run(text, [np.float32([3, 1, 3])], [("float32", (3,)), ("int32", (3,))])

    def test_other_streams_and_temporaries(self):
        x = np.arange(5, dtype=np.int32)
        y, = self.xla.run(graph("beside.AddOnSide", {"x": "int32"}, "in: x"), [x], [("int32", (5,))])
        self.assertEqual(y.tolist(), [2, 3, 4, 5, 6])

    def test_a_tensor_of_an_earlier_call(self):
        text, rows = graph("beside.Last", {"x": "int32"}, "in: x"), np.arange(12, dtype=np.int32).reshape(4, 3)
        with self.xla.program(text):
            found = [self.xla.execute(text, [row], [("int32", (3,))])[0].tolist() for row in rows]
        self.assertEqual(found, [[0, 1, 2], [0, 1, 2], [3, 4, 5], [6, 7, 8]])


if __name__ == "__main__":
    cuda("cuInit", 0)
    context = c_void_p()
    cuda("cuDevicePrimaryCtxRetain", byref(context), 0)
    cuda("cuCtxPushCurrent_v2", context)
    from opsrun.jax import _native as native

    native.engine(sys.argv[1:])
    unittest.main(argv=sys.argv[:1])

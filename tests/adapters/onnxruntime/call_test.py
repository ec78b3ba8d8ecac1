"""A plugin gives the same results in ONNX Runtime as in opsrun's own package.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import onnxruntime
import pytest
from models import INFERS_TYPES, TensorProto, helper, make_session, model, number, run, session

import opsrun.onnx

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../../examples/onnx_model/onnx_model.py")


def numbers(dtype, shape=(3, 4)):
    return (np.arange(np.prod(shape)).reshape(shape) % 5).astype(dtype)


def equal(found, expected):
    """The same types, shapes and elements."""
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a.dtype.kind == b.dtype.kind and a.shape == b.shape and a.tolist() == b.tolist()


def test_the_example():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[[0. 5.]\n [0. 0.]]\n", 0), done.stderr


def test_types_without_a_type_of_numpy():
    """ONNX Runtime's bfloat16 goes in and out of the op by casts of its own."""
    nodes = [helper.make_node("Cast", ["x"], ["narrow"], to=TensorProto.BFLOAT16),
             helper.make_node("Tanh", ["narrow"], ["tanh"], domain="opsrun.math_ops"),
             helper.make_node("Cast", ["tanh"], ["y"], to=TensorProto.FLOAT)]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in ("x", "y")]
    x = np.float32([0, 0.5, -2])
    found = make_session("math_ops", helper.make_graph(nodes, "graph", infos[:1], infos[1:])).run(None, {"x": x})[0]
    np.testing.assert_allclose(found, np.tanh(x), atol=2**-8)


def test_shapes_of_all_kinds(here):
    for shape in [(), (0,), (1, 0, 2), (2,) * 9]:
        x = numbers("float32", shape)
        equal(run("math_ops", "Tanh", [x], ["float32"]), here.math_ops.tanh(x))


# In a node, and in a call of opsrun.
ATTRS = [({}, {}), ({"i": 2**40}, {"i": 2**40}), ({"f": 1e-3}, {"f": float(np.float32(1e-3))}), ({"b": 0}, {"b": False}),
         ({"s": "'%\n \\é"}, {"s": "'%\n \\é"}), ({"s": ""}, {"s": ""}), ({"t": number("int8")}, {"t": "int8"}),
         ({"shape": []}, {"shape": []}), ({"shape": [-1, 7, 0]}, {"shape": [None, 7, 0]}), ({"is": []}, {"is_": []}),
         ({"is": [7, -9]}, {"is_": [7, -9]}), ({"fs": [0.5, -0.25]}, {"fs": [0.5, -0.25]}), ({"fs": []}, {"fs": []}),
         ({"bs": [1, 1, 0]}, {"bs": [True, True, False]}),
         ({"ss": np.array(["", "a,b"], object)}, {"ss": ["", "a,b"]}), ({"ts": [number("float32"), number("bool")]}, {"ts": [np.float32, bool]})]


@pytest.mark.parametrize("given, expected", ATTRS, ids=lambda each: repr(each))
def test_attrs(here, given, expected):
    equal(run("adapter.ops", "AllAttrs", [], ["float64"], given, file="adapter_ops"), here.adapter_ops.all_attrs(**expected))


@pytest.mark.parametrize("value", [np.float32([[1, 2.5], [3, -0.5]]), np.zeros((0, 2), np.float32), np.float32(4)], ids=repr)
def test_attrs_that_are_tensors(here, value):
    equal(run("adapter.ops", "TensorAttr", [], ["float32"], {"value": np.asarray(value)}, file="adapter_ops"),
          here.adapter_ops.tensor_attr(value=value))


def test_strings(here):
    x = np.array([["a", ""], ["c" * 100, "ä"]], object)
    flat = x.reshape(-1)
    assert run("array_ops", "Identity", [x], [object])[0].tolist() == x.tolist()
    assert run("host_ops", "ReverseStrings", [flat], [object])[0].tolist() == flat[::-1].tolist()
    assert run("array_ops", "Identity", [flat[:0]], [object])[0].shape == (0,)


@pytest.mark.skipif(not INFERS_TYPES, reason="ONNX Runtime 1.17 gives an only output the type of an only input")
def test_the_type_of_an_output_may_follow_from_an_attr():
    x = np.array(["1.5", "-2"], object)
    assert run("string_to_number", "StringToNumber", [x], ["float32"], declare=True)[0].tolist() == [1.5, -2]
    attrs = {"out_type": number("int64")}
    assert run("string_to_number", "StringToNumber", [x[1:]], ["int64"], attrs, declare=True)[0].tolist() == [-2]
    assert run("cast", "Cast", [np.float32([1.5])], ["int32"], {"DstT": number("int32")}, declare=True)[0].tolist() == [1]


def test_lists(here):
    values = [numbers("float32") + i for i in range(12)]
    for op, function in [("AddN", here.list_ops.add_n), ("Pack", here.list_ops.pack)]:
        equal(run("list_ops", op, values, ["float32"], declare=not INFERS_TYPES), function(values))
    x = numbers("int32")
    equal(run("list_ops", "Split", [np.array(0, np.int32), x], ["int32"] * 3, {"num_split": 3}, declare=True),
          here.list_ops.split(0, x, num_split=3))
    mixed = [np.float32([1, 2]), np.array(3, np.int32), np.array([True])]
    equal(run("list_ops", "IdentityN", mixed, ["float32", "int32", "bool"], declare=True), here.list_ops.identity_n(mixed))


def test_lists_may_be_empty():
    x = numbers("float32")
    assert run("host_ops", "Swapped", [x, x[0]], ["float32"] * 2, {"Us": [1, 1]}, declare=True)[0].shape == (4,)
    with pytest.raises(Exception, match="Ts and Us differ in length"):
        run("host_ops", "Swapped", [], ["float32"], {"Us": [1]}, declare=True)


def test_a_kernel_belongs_to_a_node():
    """What it keeps outlives a run, and two sessions have two kernels."""
    both = [session("adapter.ops", "Previous", [("float32", [1000])], [("float32", None)], file="adapter_ops") for _ in range(2)]
    for its in both:
        assert [float(its.run(None, {"in0": np.full(1000, i, np.float32)})[0][0]) for i in range(4)] == [0, 0, 1, 2]


def test_shared_objects_outlive_kernels():
    counts = [run("adapter.ops", "Count", [], ["int64"], {"by": by}, file="adapter_ops")[0] for by in (1, 2, 1)]
    assert [int(each - counts[0]) for each in counts] == [0, 2, 3]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_loops_on_threads(threads):
    x = np.arange(100000, dtype=np.int32)
    for each in run("adapter.ops", "Threads", [x], ["int32"], file="adapter_ops", threads=threads):
        np.testing.assert_array_equal(each, x + 1)


def test_tasks_and_in_place():
    x = numbers("float32")
    assert run("host_ops", "CountLater", [], ["int64"], {"n": 10})[0] == 10
    assert run("host_ops", "AddOne", [x], ["float32", "bool"])[0].tolist() == (x + 1).tolist()


def test_a_session_in_several_threads():
    its = session("math_ops", "MatMul", [("float32", [None, 40]), ("float32", [40, None])], [("float32", None)])
    with ThreadPoolExecutor(4) as pool:
        feeds = [{"in0": np.full((n, 40), n, np.float32), "in1": np.ones((40, 3), np.float32)} for n in range(30)]
        for n, (found,) in enumerate(pool.map(lambda each: its.run(None, each), feeds)):
            np.testing.assert_array_equal(found, np.full((n, 3), 40 * n))


def test_plugins_are_files_or_libraries(plugins):
    options = onnxruntime.SessionOptions()
    by_file, by_library = opsrun.onnx.register(options, [plugins.zero_out, opsrun.ops.math_ops])
    assert (by_file.name, by_file.OP_LIST, by_file.LIB_PATH) == ("opsrun.zero_out", ("ZeroOut",), opsrun.ops.zero_out.LIB_PATH)
    assert by_library.name == "opsrun.math_ops" and opsrun.onnx.register(onnxruntime.SessionOptions(), []) == []


# A program that does not know opsrun: ONNX Runtime opens the library, and closes it with the last session.
ALONE = """
import sys, onnxruntime
for _ in range(3):
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(sys.argv[1])
    session = onnxruntime.InferenceSession(sys.argv[2], options)
    print(session.run(None, {"in0": [[5, 4, 3]]})[0].tolist())
    del options, session
assert "opsrun" not in sys.modules
"""


def test_without_opsrun_in_python_all_plugins_are_registered(tmp_path):
    file = str(tmp_path / "model.onnx")
    onnx.save(model("zero_out", "ZeroOut", [("int32", [1, 3])], [("int32", None)]), file)
    done = subprocess.run([sys.executable, "-c", ALONE, opsrun.onnx._native.PATH, file], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("[[5, 0, 0]]\n" * 3, 0), done.stderr

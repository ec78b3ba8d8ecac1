"""Errors: when a plugin is registered, when a session is created, and when it runs.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnxruntime
import pytest
from models import number, run

import opsrun
import opsrun.onnx

X = np.arange(3, dtype=np.float32)


def adapter_op(name, arrays, outputs, attrs=None, **kwargs):
    return run("adapter.ops", name, arrays, outputs, attrs, file="adapter_ops", **kwargs)


def all_attrs(**attrs):
    return adapter_op("AllAttrs", [], ["float64"], attrs)


def test_the_example_of_the_guide():
    # [errors]
    try:
        run("zero_out", "ZeroOut", [np.ones(3, np.float32)], ["float32"], {"preserve_index": 9})
    except Exception as error:
        caught = error  # ... INVALID_ARGUMENT: zero_out.ZeroOut (node 'node'), attr preserve_index: ... only 3 elements
    # [/errors]
    assert "INVALID_ARGUMENT: zero_out.ZeroOut (node 'node'), attr preserve_index: preserve_index is 9, but" in str(caught)


@pytest.mark.parametrize("message, call", [
    ("INVALID_ARGUMENT: zero_out.ZeroOut \\(node 'node'\\): .*preserve_index.* at least 0",
     lambda: run("zero_out", "ZeroOut", [X], ["float32"], {"preserve_index": -1})),
    ("attr 'preserve_index' is FLOAT in the node, expected INT", lambda: run("zero_out", "ZeroOut", [X], ["float32"], {"preserve_index": 0.5})),
    ("makes attr 'T' bool, but op 'ZeroOut' allows", lambda: run("zero_out", "ZeroOut", [X > 0], ["bool"])),
    ("the code is negative", lambda: adapter_op("Fails", [X], ["float32"], {"code": -1})),  # by the constructor
    ("Fails.*: .*'code'", lambda: adapter_op("Fails", [X], ["float32"])),
    ("UNIMPLEMENTED: test_ops.TestNoKernel.*no CPU kernel", lambda: run("test_ops", "TestNoKernel", [X], ["float32"])),
    ("attr 'f' is STRING in the node, expected FLOAT", lambda: all_attrs(f="x")),
    ("attr 'is' is INT in the node, expected INTS", lambda: all_attrs(**{"is": 3})),
    ("attr 'ss' is STRINGS in the node, expected TENSOR", lambda: all_attrs(ss=["a"])),
    ("attr 'ss' is a list of strings: expected a tensor of strings with one dimension", lambda: all_attrs(ss=np.array([["a"]], object))),
    ("attr 'ss' is a list of strings: expected a tensor", lambda: all_attrs(ss=np.float32([1]))),
    ("attr 't': 99 is not the number of a type", lambda: all_attrs(t=99)),
    ("attr 't': 14 is not the number of a type", lambda: all_attrs(t=number("complex64"))),
    ("attr 'shapes' cannot be set in a node", lambda: all_attrs(shapes=[1])),
    ("AllAttrs.*: .*shape", lambda: all_attrs(shape=[-7])),
    ("there are several lists; set the attr of all but one, such as 'T'",
     lambda: adapter_op("Mixed", [X, X], ["float32"] * 3, declare=True)),
    ("the node has only 2 inputs", lambda: adapter_op("Mixed", [X, X], ["float32"] * 3, {"N": 2**62}, declare=True)),
    ("Mixed.*N", lambda: adapter_op("Mixed", [X, X], ["float32"] * 3, {"N": -1}, declare=True)),
    ("output size 1 not in range", lambda: adapter_op("Mixed", [X, X], ["float32"], {"N": 1}, declare=True)),
    ("output size 1 not in range", lambda: run("array_ops", "Unique", [np.array([7])], ["int64"], declare=True)),
    ("output size 1 not in range|type inference failed", lambda: run("host_ops", "AddOne", [X], ["float32"])),
    ("the node has 4 outputs, expected 3", lambda: adapter_op("Mixed", [X, X], ["float32"] * 4, {"N": 1}, declare=True)),
    ("host_ops.Swapped.*: the node has 1 outputs, expected 2", lambda: run("host_ops", "Swapped", [X, X], ["float32"], {"Us": [1, 1]}, declare=True)),
    ("list_ops.Split.*: the node has 1 outputs, expected 3",
     lambda: run("list_ops", "Split", [np.array(0, np.int32), X], ["float32"], {"num_split": 3}, declare=True)),
    ("the model gives output 3 another data type than the op",
     lambda: adapter_op("Mixed", [X, X, X], ["float32", "float32", "float32", "int32"], {"N": 2}, declare=True)),
    ("Nope", lambda: run("math_ops", "Nope", [X], ["float32"])),
    ("input size 1 not in range", lambda: run("math_ops", "Add", [X], ["float32"])),
    ("complex64", lambda: run("array_ops", "Identity", [X.astype(np.complex64)], ["complex64"])),
    ("DATA_LOSS: adapter.ops.Fails \\(node 'node'\\), input x: told to fail, ä \N{REPLACEMENT CHARACTER}",
     lambda: adapter_op("Fails", [X], ["float32"], {"code": 15})),
    ("OUT_OF_RANGE: adapter.ops.Threads.*element 77 is the wrong", lambda: adapter_op("Threads", [np.zeros(1000, np.int32)], ["int32"], {"fail_at": 77})),
    ("the sky fell", lambda: run("test_ops", "TestFail", [X], ["float32"], {"message": "the sky fell"})),
    ("test_ops.TestThrow", lambda: run("test_ops", "TestThrow", [X], ["float32"])),
])
def test_what_is_refused(message, call):
    with pytest.raises(Exception, match=message) as caught:
        call()
    assert type(caught.value).__module__.startswith("onnxruntime") or isinstance(caught.value, RuntimeError)


def test_codes():
    kinds = onnxruntime.capi.onnxruntime_pybind11_state
    for code, kind in [(3, kinds.InvalidArgument), (11, kinds.InvalidArgument), (12, kinds.NotImplemented), (13, kinds.Fail)]:
        with pytest.raises(kind, match="told to fail"):
            adapter_op("Fails", [X], ["float32"], {"code": code})


def test_a_failed_run_spoils_nothing(here):
    for _ in range(3):
        with pytest.raises(Exception, match="only 3 elements"):
            run("zero_out", "ZeroOut", [X], ["float32"], {"preserve_index": 7})
        assert run("zero_out", "ZeroOut", [X], ["float32"], {"preserve_index": 2})[0].tolist() == [0, 0, 2]


def test_ops_that_onnx_runtime_cannot_have_are_listed(plugins):
    array_ops, hash_table, own = opsrun.onnx.register(onnxruntime.SessionOptions(), [plugins.array_ops, plugins.hash_table, plugins.adapter_ops])
    assert array_ops.UNSUPPORTED["Variable"] == ("op array_ops.Variable is not available in ONNX Runtime: it has no tensors of the "
                                                 "type of output 'resource'")
    assert hash_table.OP_LIST == () and own.UNSUPPORTED == {
        "Swallow": "op adapter.ops.Swallow is not available in ONNX Runtime: a node must have an output"}


def test_arguments_of_register():
    options = onnxruntime.SessionOptions()
    with pytest.raises(TypeError, match="session_options must be onnxruntime.SessionOptions, not str"):
        opsrun.onnx.register("model.onnx", "zero_out.so")
    with pytest.raises(TypeError, match="int"):
        opsrun.onnx.register(options, 3)
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="none.so.*cannot be read"):
        opsrun.onnx.register(options, ["none.so"])

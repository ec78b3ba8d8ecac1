"""bench/peers/onnx_calls.py: the cost of a plugin op's node in ONNX Runtime, compared with a custom operator in C++.

Both run ZeroOut on 4 numbers, in models with a chain of 1,000 nodes and with one node, on one thread, alternating in one
process.

usage: PYTHONPATH=build/release/python build/venv_onnx/bin/python bench/peers/onnx_calls.py ZERO_OUT.SO [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""

import tempfile

import numpy as np
import native_ops
import onnxruntime
from in_turns import CHAIN, compare, parser, print_header
from onnx import TensorProto, helper

import opsrun.onnx

FEEDS = {"x": np.array([5, 4, 3, 2], np.int32)}


def runner(domain, register, length):
    """A function that runs a chain of ZeroOut of this domain."""
    names = ["x"] + [f"y{i}" for i in range(length)]
    nodes = [helper.make_node("ZeroOut", [a], [b], domain=domain, preserve_index=0) for a, b in zip(names, names[1:])]
    # With the shapes, which plugins would infer, but the native operator does not.
    infos = [helper.make_tensor_value_info(name, TensorProto.INT32, [4]) for name in names]
    graph = helper.make_graph(nodes, "chain", infos[:1], infos[-1:], value_info=infos[1:-1])
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    register(options)
    model = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, FEEDS)[0]


def main():
    options = parser()
    options.add_argument("plugin")
    given = options.parse_args()
    print(f"ns a node, ONNX Runtime {onnxruntime.__version__}")
    print_header()
    with tempfile.TemporaryDirectory() as folder:
        library = native_ops.of_onnxruntime(folder)
        for name, length in (("a chain of 1,000 nodes", CHAIN), ("Session.run of one node", 1)):
            native = runner("native", lambda its: its.register_custom_ops_library(library), length)
            plugin = runner("opsrun.zero_out", lambda its: opsrun.onnx.register(its, given.plugin), length)
            assert native().tolist() == plugin().tolist() == [5, 0, 0, 0]
            compare(name, native, plugin, given.rounds * CHAIN // length // (1 if length > 1 else 50), length)


if __name__ == "__main__":
    main()

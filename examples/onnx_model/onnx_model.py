"""Runs ops of two plugins as nodes of an ONNX model, and compares the result with opsrun's own.

    python examples/onnx_model/onnx_model.py

SPDX-License-Identifier: Apache-2.0
"""

# [model]
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import opsrun.onnx

nodes = [
    helper.make_node("MatMul", ["x", "w"], ["product"], domain="opsrun.math_ops"),
    helper.make_node("Relu", ["product"], ["positive"]),  # ONNX's own
    helper.make_node("ZeroOut", ["positive"], ["y"], domain="opsrun.zero_out", preserve_index=1),
]
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
w = helper.make_tensor_value_info("w", TensorProto.FLOAT, [3, 2])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])
versions = {"": 17, "opsrun.math_ops": 1, "opsrun.zero_out": 1}
model = helper.make_model(helper.make_graph(nodes, "example", [x, w], [y]), ir_version=8,
                          opset_imports=[helper.make_opsetid(*each) for each in versions.items()])

options = onnxruntime.SessionOptions()
opsrun.onnx.register(options, [opsrun.ops.math_ops, opsrun.ops.zero_out])
session = onnxruntime.InferenceSession(model.SerializeToString(), options)
# [/model]

feeds = {"x": np.float32([[1, 2, 3], [4, 5, 6]]), "w": np.float32([[1, 0], [0, 1], [1, 1]])}
found = session.run(["y"], feeds)[0]
math = opsrun.ops.math_ops
expected = opsrun.ops.zero_out.zero_out(math.relu(math.mat_mul(feeds["x"], feeds["w"])), preserve_index=1)
np.testing.assert_array_equal(found, expected)
print(found)

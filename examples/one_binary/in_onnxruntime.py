"""in_onnxruntime.py: the plugin in ONNX Runtime.

usage: in_onnxruntime.py shrink.so

SPDX-License-Identifier: Apache-2.0
"""

import sys

# [use]
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import opsrun.onnx

nodes = [helper.make_node("SoftThreshold", ["x"], ["y"], domain="opsrun.shrink", threshold=1.0),
         helper.make_node("PoolRows", ["y"], ["pooled"], domain="opsrun.shrink", rows=2)]
x, pooled = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [size, 2]) for name, size in [("x", "n"), ("pooled", "m")])
graph = helper.make_graph(nodes, "example", [x], [pooled])
model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("opsrun.shrink", 1)])

options = onnxruntime.SessionOptions()
opsrun.onnx.register(options, sys.argv[1])
session = onnxruntime.InferenceSession(model.SerializeToString(), options)
result = session.run(None, {"x": np.float32([[1, -3], [0.5, 2], [4, 0]])})  # [[0, -0.5], [3, 0]]
# [/use]
assert result[0].tolist() == [[0, -0.5], [3, 0]]

message = ""
# [failure]
try:
    onnxruntime.InferenceSession(model.SerializeToString())  # without the options
except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
    message = str(error)
expected = "Fatal error: opsrun.shrink:SoftThreshold(-1) is not a registered function/op"
# [/failure]
assert expected in message, message

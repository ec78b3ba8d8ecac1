"""Models of one node, which call an op of a plugin in ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import onnxruntime
from libraries import path_of
from onnx import TensorProto, helper, numpy_helper

import opsrun.onnx

# From 1.18 on, ONNX Runtime takes the types of outputs from custom operators that infer them.
INFERS_TYPES = tuple(int(each) for each in onnxruntime.__version__.split(".")[:2]) >= (1, 18)


def number(dtype):
    """The number of a data type in ONNX."""
    return TensorProto.STRING if dtype == object else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def attribute(name, value):
    """An attribute; arrays are tensors, and an empty list has integers."""
    if isinstance(value, np.ndarray):
        return helper.make_attribute(name, numpy_helper.from_array(value))
    return helper.make_attribute(name, value, attr_type=onnx.AttributeProto.INTS if value == [] else None)


def model(plugin, op, inputs, outputs, attrs=None, declare=False):
    """A model whose only node is called "node".

    inputs, outputs: for each its data type and shape, None if that is not known.
    declare: the model states the types of the node's outputs, also where ONNX Runtime could infer them.
    """
    names = [f"in{i}" for i in range(len(inputs))], [f"out{i}" for i in range(len(outputs))]
    node = helper.make_node(op, *names, name="node", domain=f"opsrun.{plugin}")
    node.attribute.extend(attribute(name, value) for name, value in (attrs or {}).items())
    infos = [[helper.make_tensor_value_info(name, number(dtype), shape) for name, (dtype, shape) in zip(*each)]
             for each in ((names[0], inputs), (names[1], outputs))]
    if declare:
        graph = helper.make_graph([node], "graph", *infos)
    else:
        copies = [helper.make_node("Identity", [name], [f"copy{i}"]) for i, name in enumerate(names[1])]
        named = [helper.make_tensor_value_info(f"copy{i}", number(dtype), shape) for i, (dtype, shape) in enumerate(outputs)]
        graph = helper.make_graph([node, *copies], "graph", infos[0], named)
    return of_graph(graph)


def of_graph(graph):
    """A model that imports the domains of the graph's nodes."""
    domains = {node.domain: 1 if node.domain else 17 for node in graph.node}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*each) for each in {"": 17, **domains}.items()], ir_version=8)


def make_session(plugin, graph, threads=0):
    """A session of a graph. plugin: the name of the file to register."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    opsrun.onnx.register(options, path_of(plugin))
    return onnxruntime.InferenceSession(of_graph(graph).SerializeToString(), options, providers=["CPUExecutionProvider"])


def session(plugin, op, *args, file=None, threads=0, **kwargs):
    """A session of such a model."""
    return make_session(file or plugin, model(plugin, op, *args, **kwargs).graph, threads=threads)


def run(plugin, op, arrays, outputs, attrs=None, shapes=None, **kwargs):
    """What a model of the op computes of arrays. outputs: their data types; shapes: of the inputs in the model."""
    shapes = [array.shape for array in arrays] if shapes is None else shapes
    inputs = [(array.dtype, shape) for array, shape in zip(arrays, shapes)]
    its = session(plugin, op, inputs, [(dtype, None) for dtype in outputs], attrs, **kwargs)
    return its.run(None, {f"in{i}": np.asarray(array) for i, array in enumerate(arrays)})

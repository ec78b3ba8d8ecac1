"""bench/peers/in_onnx.py: the graphs of graphs.py in ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnxruntime
import onnxruntime.capi.onnxruntime_pybind11_state as errors

ENDING = ".onnx"
NAMES = {"AddN": "Sum", "Conv2D": "Conv", "MeanOfImage": "ReduceMean", "Sum": "ReduceSum"}
_custom_ops = []  # the library of ZeroOut, once it is built


def version():
    return onnxruntime.__version__


def configure(threads):
    global _threads
    _threads = threads


def _order(array, graph):
    """An image with its channels first."""
    return np.ascontiguousarray(array.transpose(0, 3, 1, 2)) if graph.images and array.ndim == 4 else array


def _weights(graph):
    """The weights in the order in which the nodes need them."""
    weights = dict(graph.weights)
    for _, op, inputs, attrs in graph.nodes:
        if op == "Conv2D":
            weights[inputs[1]] = np.ascontiguousarray(graph.weights[inputs[1]].transpose(3, 2, 0, 1))
        elif op == "Dense":
            dense = graph.weights[inputs[1]]
            weights[inputs[1]] = np.ascontiguousarray(
                dense.reshape(*attrs["image"], -1).transpose(2, 0, 1, 3).reshape(dense.shape))
    return weights


def _nodes(graph, weights):
    from onnx import helper

    for name, op, inputs, attrs in graph.nodes:
        more = {"Cast": {"to": helper.np_dtype_to_tensor_dtype(np.dtype(attrs.get("to")))},
                "Conv2D": {"auto_pad": "SAME_UPPER"}, "MaxPool": {"kernel_shape": [2, 2], "strides": [2, 2]},
                "MeanOfImage": {"axes": [2, 3], "keepdims": 0}, "Dense": {}, "Pad": {}, "Sum": {"keepdims": 0}, "Unique": {"sorted": 0},
                "ZeroOut": {"domain": "native", "preserve_index": 0}}.get(op, attrs)
        constants = {"Pad": np.array(attrs.get("paddings")).T, "Sum": np.array(attrs.get("axis"))}
        if op in constants:
            weights[f"{name}_c"] = constants[op].astype(np.int64).reshape(-1)
            inputs = [*inputs, f"{name}_c"]
        if op == "Dense":
            yield helper.make_node("Flatten", inputs[:1], [f"{name}_r"])
            op, inputs = "MatMul", [f"{name}_r", inputs[1]]
        outputs = [name, "", f"{name}_inverse"] if op == "Unique" else [name]
        yield helper.make_node(NAMES.get(op, op), inputs, outputs, **more)


def _model(graph):
    from onnx import helper, numpy_helper

    weights = _weights(graph)
    nodes = list(_nodes(graph, weights))
    feeds = {name: _order(array, graph) for name, array in graph.feeds.items()}
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for name, array in feeds.items()]
    kind = inputs[0].type.tensor_type.elem_type
    outputs = [helper.make_empty_tensor_value_info(graph.nodes[-1][0])]
    # The native operator infers no shapes.
    middle = [helper.make_tensor_value_info(name, kind, inputs[0].type.tensor_type.shape and list(feeds["x"].shape))
              for name, op, _, _ in graph.nodes[:-1] if op == "ZeroOut"]
    made = helper.make_graph(nodes, "graph", inputs, outputs, [numpy_helper.from_array(array, name) for name, array in weights.items()],
                             value_info=middle)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("native", 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=8)


def save(graph, path):
    with open(path, "wb") as file:
        file.write(_model(graph).SerializeToString())


def _session(model, parallel=False):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1 if parallel else _threads
    options.inter_op_num_threads = _threads if parallel else 1
    if parallel:
        options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
    for library in _custom_ops:
        options.register_custom_ops_library(library)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def load(path):
    session = _session(path)
    return lambda feeds: session.run(None, feeds)[0]


def _bound(session, feeds):
    """Runs without copies of the feeds and of the result, in memory that is allocated once."""
    binding = session.io_binding()
    for name, array in feeds.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    binding.bind_output(session.get_outputs()[0].name)
    session.run_with_iobinding(binding)
    binding.bind_ortvalue_output(session.get_outputs()[0].name, binding.get_outputs()[0])

    def run():
        session.run_with_iobinding(binding)
        return binding.get_outputs()[0]

    return run


def ways(graph, threads, folder, _compiles):
    if graph.nodes[0][1] == "ZeroOut" and not _custom_ops:
        import native_ops

        _custom_ops.append(native_ops.of_onnxruntime(folder))
    model = _model(graph).SerializeToString()
    feeds = {name: _order(array, graph) for name, array in graph.feeds.items()}
    try:
        session = _session(model)
    except (errors.InvalidGraph, errors.NotImplemented):
        raise NotImplementedError(f"ONNX Runtime has no {graph.nodes[0][1]} of {graph.feeds['x'].dtype}") from None
    found = {"Session.run": lambda: session.run(None, feeds)[0], "I/O binding": _bound(session, feeds)}
    if threads > 1 and len(graph.nodes) > 1:
        parallel = _session(model, parallel=True)
        found["ORT_PARALLEL"] = lambda: parallel.run(None, feeds)[0]
    return found


def to_numpy(result, graph):
    """graph: None if it has no images."""
    array = result if isinstance(result, np.ndarray) else result.numpy()
    return array.transpose(0, 2, 3, 1) if graph is not None and graph.images and array.ndim == 4 else array


def first_result(path):
    four = np.float32([1, 2, 3, 4])
    return load(path)({"x": four, "y": four})

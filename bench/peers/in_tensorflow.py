"""bench/peers/in_tensorflow.py: the graphs of graphs.py in TensorFlow, in sessions and as tf.function.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import tensorflow as tf

ENDING = ".pb"
v1 = tf.compat.v1
_custom_ops = {}


def version():
    return tf.__version__


def configure(threads):
    global _threads
    _threads = threads
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)


def _call(op, inputs, attrs):
    if op == "Conv2D":
        return tf.raw_ops.Conv2D(input=inputs[0], filter=inputs[1], strides=[1, 1, 1, 1], padding="SAME")
    if op == "MaxPool":
        return tf.raw_ops.MaxPool(input=inputs[0], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    if op == "Dense":
        return tf.raw_ops.MatMul(a=tf.reshape(inputs[0], [-1, int(np.prod(attrs["image"]))]), b=inputs[1])
    if op == "Pad":
        return tf.raw_ops.Pad(input=inputs[0], paddings=np.int32(attrs["paddings"]))
    if op == "MeanOfImage":
        return tf.raw_ops.Mean(input=inputs[0], axis=[1, 2])
    functions = {"Sub": tf.subtract, "Add": tf.add, "Exp": tf.exp, "Gather": tf.gather, "Less": tf.less, "Log1p": tf.math.log1p,
                 "MatMul": tf.matmul, "Relu": tf.nn.relu, "Softmax": tf.nn.softmax, "Tanh": tf.tanh,
                 "AddN": lambda *each: tf.raw_ops.AddN(inputs=list(each)), "Cast": lambda x, to: tf.cast(x, to),
                 "Concat": lambda *each, axis: tf.concat(each, axis), "Sum": tf.reduce_sum, "Transpose": tf.transpose,
                 "Unique": lambda x: tf.unique(x)[0], **_custom_ops}
    return functions[op](*inputs, **attrs)


def _result(graph, feeds):
    """The last tensor of the graph, for these tensors."""
    tensors = {**feeds, **{name: tf.constant(array) for name, array in graph.weights.items()}}
    for name, op, inputs, attrs in graph.nodes:
        tensors[name] = _call(op, [tensors[each] for each in inputs], attrs)
    return tensors[graph.nodes[-1][0]]


def _in_graph(graph):
    made = tf.Graph()
    with made.as_default():
        feeds = {name: v1.placeholder(array.dtype, array.shape, name=name) for name, array in graph.feeds.items()}
        tf.identity(_result(graph, feeds), name="result")
    return made


def save(graph, path):
    with open(path, "wb") as file:
        file.write(_in_graph(graph).as_graph_def().SerializeToString())


def _session(graph, names, executor=""):
    config = v1.ConfigProto(intra_op_parallelism_threads=_threads, inter_op_parallelism_threads=_threads)
    config.experimental.executor_type = executor
    session = v1.Session(graph=graph, config=config)
    with graph.as_default():
        return session.make_callable("result:0", feed_list=[f"{name}:0" for name in names])


def load(path):
    definition = v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    names = ["x", "y"]
    run = _session(graph, names, "SINGLE_THREADED_EXECUTOR" if _threads == 1 else "")
    return lambda feeds: run(*(feeds[name] for name in names))


def ways(graph, threads, folder, _compiles):
    if graph.nodes[0][1] == "ZeroOut" and not _custom_ops:
        import native_ops

        _custom_ops["ZeroOut"] = tf.load_op_library(native_ops.of_tensorflow(folder)).peer_zero_out
    made, feeds = _in_graph(graph), list(graph.feeds.values())
    default, alone = (_session(made, graph.feeds, executor) for executor in ("", "SINGLE_THREADED_EXECUTOR"))
    function = tf.function(lambda *tensors: _result(graph, dict(zip(graph.feeds, tensors))), autograph=False)
    tensors = [tf.constant(array) for array in feeds]
    concrete = function.get_concrete_function(*tensors)
    return {"Session": lambda: default(*feeds), "single threaded executor": lambda: alone(*feeds),
            "tf.function": lambda: concrete(*tensors)}


def to_numpy(result, _graph):
    return result if isinstance(result, np.ndarray) else result.numpy()


def first_result(path):
    four = np.float32([1, 2, 3, 4])
    return load(path)({"x": four, "y": four})

"""bench/peers/networks.py: small networks in opsrun and in ONNX Runtime, alternating in one process.

The network of examples/digits and a residual one of 32 x 32 images, with random weights, in batches of 1, 16 and 64.

usage: PYTHONPATH=build/release/python build/venv_onnx/bin/python bench/peers/networks.py [--threads N] [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import numpy as np
import onnxruntime
from in_turns import compare, parser, print_header
from onnx import TensorProto, helper, numpy_helper

import opsrun

OPTIONS = parser()
OPTIONS.add_argument("--threads", type=int, default=1)
GIVEN = OPTIONS.parse_args()
opsrun.configure(threads=GIVEN.threads)  # before the first op
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "digits"))
import digits  # noqa: E402

from opsrun.ops import math_ops  # noqa: E402

RANDOM = np.random.default_rng(0)


def weights(*shape):
    return (RANDOM.normal(size=shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


class Model:
    """An ONNX model of images, which ONNX Runtime has channel by channel."""

    def __init__(self, size, channels):
        self.nodes, self.weights, self.last = [], [], "image"
        self._image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [None, channels, size, size])

    def add(self, op, *more, **attrs):
        """Adds a node whose first input is the last node's output; arrays become weights. Returns its output."""
        inputs = [self.last]
        for each in more:
            name = each if isinstance(each, str) else f"w{len(self.weights)}"
            if not isinstance(each, str):
                self.weights.append(numpy_helper.from_array(each, name))
            inputs.append(name)
        self.last = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [self.last], **attrs))
        return self.last

    def conv(self, filters):
        taps = filters.shape[0]
        return self.add("Conv", np.ascontiguousarray(filters.transpose(3, 2, 0, 1)), auto_pad="SAME_UPPER",
                        kernel_shape=[taps, taps])

    def session(self, threads):
        out = helper.make_tensor_value_info(self.last, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "network", [self._image], [out], self.weights)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def digits_model(params):
    model = Model(8, 1)
    for name in ("edges", "shapes"):
        model.conv(params[name])
        model.add("Relu")
        model.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    model.add("Transpose", perm=[0, 2, 3, 1])
    model.add("Flatten")
    model.add("MatMul", params["digits"])
    model.add("Add", params["bias"])
    return model


WIDE, BLOCKS = 32, 4


def residual_params():
    blocks = {f"{i}{part}": weights(3, 3, WIDE, WIDE) for i in range(BLOCKS) for part in "ab"}
    return {"first": weights(3, 3, 3, WIDE), "last": weights(WIDE, 10), **blocks}


def residual(params, image):
    def conv(x, name):
        return math_ops.conv2d(x, params[name], strides=[1, 1, 1, 1], padding="SAME")

    x = math_ops.relu(conv(image, "first"))
    for i in range(BLOCKS):
        x = math_ops.relu(conv(math_ops.relu(conv(x, f"{i}a")), f"{i}b") + x)
        if i % 2:
            x = math_ops.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    return x.mean(axis=(1, 2)) @ params["last"]


def residual_model(params):
    model = Model(32, 3)
    model.conv(params["first"])
    for i in range(BLOCKS):
        before = model.add("Relu")
        model.conv(params[f"{i}a"])
        model.add("Relu")
        model.conv(params[f"{i}b"])
        model.add("Add", before)
        if i % 2:
            model.add("Relu")
            model.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    model.add("ReduceMean", axes=[2, 3], keepdims=0)
    model.add("MatMul", params["last"])
    return model


def network(score, params, size, channels):
    """A function of images that runs the graph of `score`, whose weights are constants."""

    @opsrun.function(image=opsrun.TensorSpec("image", "float32", (None, size, size, channels)))
    def run(image):
        return {"score": score(params, image)}

    return run


def main():
    print(f"us a run, ONNX Runtime {onnxruntime.__version__}, threads: {GIVEN.threads}; native: ONNX Runtime, plugin: opsrun")
    print_header()
    for name, size, channels, params, score, model in (
            ("digits", 8, 1, digits.new_params(), digits.score, digits_model),
            ("residual", 32, 3, residual_params(), residual, residual_model)):
        session, run = model(params).session(GIVEN.threads), network(score, params, size, channels)
        for batch in (1, 16, 64):
            image = RANDOM.random((batch, size, size, channels), np.float32)
            feeds = {"image": np.ascontiguousarray(image.transpose(0, 3, 1, 2))}
            graph = run.graph
            np.testing.assert_allclose(graph.run(image=image)["score"], session.run(None, feeds)[0], rtol=1e-3, atol=1e-4)
            compare(f"{name}, batch {batch}", lambda feeds=feeds: session.run(None, feeds),
                    lambda image=image: graph.run(image=image), GIVEN.rounds // (10 if size > 8 else 1), 1000)


if __name__ == "__main__":
    main()

"""bench/peers/graphs.py: the graphs that bench/run_peers.py measures, which each peer builds from its own ops.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses

import numpy as np

WIDE, BLOCKS = 32, 4  # of the residual network


@dataclasses.dataclass
class Graph:
    """Nodes in the order in which they run: (name, op, names of inputs, attrs). The last one's output is the result.

    images: tensors of four dimensions are images, row by row and channels last; a peer may use another order.
    """

    feeds: dict
    weights: dict = dataclasses.field(default_factory=dict)
    nodes: list = dataclasses.field(default_factory=list)
    images: bool = False

    def add(self, op, *inputs, **attrs):
        """Adds a node; arrays among the inputs become weights. Returns its name."""
        names = []
        for each in inputs:
            if not isinstance(each, str):
                self.weights[f"w{len(self.weights)}"] = each
                each = f"w{len(self.weights) - 1}"
            names.append(each)
        self.nodes.append((f"n{len(self.nodes)}", op, names, attrs))
        return self.nodes[-1][0]


def _random(*shape):
    return np.random.default_rng(sum(shape)).random(shape, np.float32)


def zero_outs(length):
    graph = Graph({"x": np.array([5, 4, 3, 2], np.int32)})
    last = "x"
    for _ in range(length):
        last = graph.add("ZeroOut", last)
    return graph


def chains(count, length, size):
    """Chains, and the sum of their ends. No node computes what another one computes, so none can be left out."""
    graph = Graph({"x": _random(size), "y": _random(size) + 1})
    ends = []
    for i in range(count):
        last = "y" if i == 0 else np.full(size, i, np.float32)
        for _ in range(length):
            last = graph.add("Sub", "x", last)
        ends.append(last)
    if count > 1:
        graph.add("AddN", *ends)
    return graph


def grid(size):
    """32 nodes wide and 100 deep; a node reads the one above it and that one's neighbor."""
    starts = np.random.default_rng(0).random((33, size), np.float32)
    graph = Graph({"x": starts[32]})
    row = [graph.add("Sub", "x", starts[i]) for i in range(32)]
    for _ in range(99):
        row = [graph.add("Sub", row[i], row[(i + 1) % 32]) for i in range(32)]
    last = row[0]
    for other in row[1:]:
        last = graph.add("Sub", last, other)  # a sum would depend on its order
    return graph


def _weights(random, *shape):
    return (random.normal(size=shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


def _network(batch, size, channels):
    return Graph({"x": _random(batch, size, size, channels)}, images=True), np.random.default_rng(0)


def digits(batch):
    """The network of examples/digits."""
    graph, random = _network(batch, 8, 1)
    x = "x"
    for shape in ((3, 3, 1, 16), (3, 3, 16, 32)):
        x = graph.add("MaxPool", graph.add("Relu", graph.add("Conv2D", x, _weights(random, *shape))))
    x = graph.add("Dense", x, _weights(random, 2 * 2 * 32, 10), image=(2, 2, 32))
    graph.add("Add", x, _weights(random, 10))
    return graph


def residual(batch):
    """A residual network on images of 32 x 32 pixels."""
    graph, random = _network(batch, 32, 3)
    x = graph.add("Relu", graph.add("Conv2D", "x", _weights(random, 3, 3, 3, WIDE)))
    for i in range(BLOCKS):
        y = graph.add("Relu", graph.add("Conv2D", x, _weights(random, 3, 3, WIDE, WIDE)))
        y = graph.add("Conv2D", y, _weights(random, 3, 3, WIDE, WIDE))
        x = graph.add("Relu", graph.add("Add", y, x))
        if i % 2:
            x = graph.add("MaxPool", x)
    graph.add("MatMul", graph.add("MeanOfImage", x), _weights(random, WIDE, 10))
    return graph


def _of_one_node(op, feeds, attrs):
    graph = Graph(dict(zip("xyz", feeds)))
    graph.add(op, *("xx" if op == "Add" else graph.feeds), **attrs)
    return graph


def single(op, shapes, attrs={}, dtype="float32"):
    random = np.random.default_rng(0)
    return _of_one_node(op, [random.random(shape).astype(dtype) for shape in shapes], attrs)


def gather(rows, width, count):
    return _of_one_node("Gather", [_random(rows, width), np.random.default_rng(0).integers(0, rows, count)], {})


def unique(size, distinct):
    """The distinct values are first, in order: some peers sort them, others keep the order in which they find them."""
    more = np.random.default_rng(0).integers(0, distinct, size - distinct)
    return _of_one_node("Unique", [np.concatenate([np.arange(distinct), more])], {})


def matmul(size, dtype="float32"):
    graph = Graph({"x": _random(size, size).astype(dtype)})
    weights = _random(size, size) - 0.5
    graph.add("MatMul", "x", (weights + 1j * weights.T if dtype == "complex64" else weights).astype(dtype))
    return graph


def conv(size, channels, taps=3, filters=None):
    graph, random = _network(1, size, channels)
    graph.add("Conv2D", "x", _weights(random, taps, taps, channels, filters or channels))
    return graph


def build(description):
    """The graph of a Case."""
    return globals()[description[0]](*description[1:])

"""Graphs whose nodes run tile by tile: the bits of the ops called alone.

SPDX-License-Identifier: Apache-2.0
"""

import json
import random

import numpy as np
import pytest

import opsrun
import opsrun.ops
from opsrun._engine import engine

SHAPES = [(40, 30, 20), (30000,), (300, 130), (7, 5000)]
UNARY = ["Neg", "Abs", "Square", "Tanh", "Floor", "Relu", "Sign", "Exp"]
BINARY = ["Add", "Sub", "Mul", "RealDiv", "Maximum", "SquaredDifference", "Atan2", "FloorMod"]


def feeds_for(shape, dtype, random_numbers):
    """Tensors that are broadcast to the shape: the shape itself, rows, columns, one element, a scalar."""
    shapes = [shape, shape, shape[-1:], (*shape[:-1], 1), (1,) * len(shape), (), shape[1:] or (1,)]
    return {f"x{i}": np.asarray(random_numbers.normal(size=each)).astype(dtype) for i, each in enumerate(shapes)}


def random_graph(seed):
    """The feeds, and the lines of nodes with their op, inputs and attrs. All nodes have the shape of the first feed."""
    rng = random.Random(seed)
    feeds = feeds_for(rng.choice(SHAPES), rng.choice(["float32", "float64"]), np.random.default_rng(seed))
    large, masks, nodes = ["x0", "x1"], [], []
    for i in range(rng.randint(3, 14)):
        name, whole = f"n{i}", rng.choice(large[-4:])
        other = rng.choice([*feeds, *large])
        kind = rng.randint(0, 9)
        if kind < 4:
            nodes.append((name, rng.choice(UNARY), [whole]))
        elif kind < 8:
            nodes.append((name, rng.choice(BINARY), rng.sample([whole, other], 2)))
        elif kind == 8 and masks:
            nodes.append((name, "SelectV2", [rng.choice(masks), whole, other]))
        else:
            nodes.append((name, "Less", [whole, other]))
        (masks if nodes[-1][1] == "Less" else large).append(name)
    return feeds, nodes, rng


def text_of(feeds, nodes, outputs):
    lines = ["opsrun: 1", "feeds:"]
    lines += [f"  {name}: {{dtype: {array.dtype}, shape: {list(array.shape)}}}" for name, array in feeds.items()]
    lines += ["nodes:"] + [f"  {name}: {{op: math_ops.{op}, in: [{', '.join(inputs)}]}}" for name, op, inputs in nodes]
    return "\n".join([*lines, f"outputs: [{', '.join(outputs)}]", ""])


def alone(feeds, nodes):
    values = dict(feeds)
    for name, op, inputs in nodes:
        values[name] = call_alone(op, [values[each] for each in inputs], {})
    return values


def call_alone(op, inputs, attrs):
    function = json.loads(engine().describe(f"math_ops.{op}"))["python"]["function"]
    return np.asarray(getattr(opsrun.ops.math_ops, function)(*inputs, **attrs))


@pytest.mark.parametrize("seed", range(60))
def test_a_random_graph(seed):
    feeds, nodes, rng = random_graph(seed)
    outputs = rng.sample([name for name, _, _ in nodes], rng.randint(1, 3))
    graph = opsrun.Graph.from_yaml(text_of(feeds, nodes, outputs))
    expected = alone(feeds, nodes)
    for _ in range(2):
        results = graph.run(feeds)
        for name in outputs:
            assert np.asarray(results[name]).tobytes() == expected[name].tobytes(), name


def test_most_nodes_of_such_graphs_run_in_tiles():
    plans = [opsrun.Graph.from_yaml(text_of(feeds, nodes, [nodes[-1][0]])).plan(feeds).details
             for feeds, nodes, _ in map(random_graph, range(60))]
    swept = sum(sweep["steps"] for plan in plans for sweep in plan["sweeps"])
    assert swept > 0.6 * sum(len(plan["steps"]) for plan in plans)


def network(call, x, w):
    """A few layers; call(op, inputs, attrs) computes a node."""
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    for filters, bias, pool in (("f1", "b1", "MaxPool"), ("f2", "b2", "AvgPool")):
        x = call("Conv2D", [x, w[filters]], {"strides": [1, 1, 1, 1], "padding": "SAME"})
        x = call("Relu", [call("BiasAdd", [x, w[bias]], {})], {})
        x = call(pool, [x], window)
    return call("Tanh", [x], {})


@pytest.mark.parametrize("examples", [2, 7, 16, 64, 301])
def test_a_network_takes_examples_in_groups(examples):
    random_numbers = np.random.default_rng(examples)
    shapes = {"x": (examples, 12, 12, 3), "f1": (3, 3, 3, 16), "b1": (16,), "f2": (5, 5, 16, 20), "b2": (20,)}
    feeds = {name: random_numbers.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = []

    def add(op, inputs, attrs):
        nodes.append(f"  n{len(nodes)}: {{op: math_ops.{op}, in: [{', '.join(inputs)}], attrs: {json.dumps(attrs)}}}")
        return f"n{len(nodes) - 1}"

    result = network(add, "x", {name: name for name in feeds})
    text = text_of(feeds, [], [result]).replace("nodes:", "\n".join(["nodes:", *nodes]))
    graph = opsrun.Graph.from_yaml(text)
    expected = network(call_alone, feeds["x"], feeds)
    for _ in range(2):
        assert np.asarray(graph.run(feeds)[result]).tobytes() == np.asarray(expected).tobytes()
    assert examples < 16 or [sweep["steps"] for sweep in graph.plan(feeds).details["sweeps"]] == [5]

"""Nodes that the kernel of Conv2D computes, too: the bits of the ops called alone.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

import opsrun
from sweeps_test import call_alone

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}


class Network:
    """A graph, and the values of its nodes, of ops called alone."""

    def __init__(self, feeds):
        self.feeds, self.values, self.lines = feeds, dict(feeds), []

    def add(self, op, *inputs, **attrs):
        name = f"n{len(self.lines)}"
        self.values[name] = call_alone(op, [self.values[each] for each in inputs], attrs)
        self.lines.append(f"  {name}: {{op: math_ops.{op}, in: [{', '.join(inputs)}], attrs: {json.dumps(attrs)}}}")
        return name

    def fused(self, *outputs):
        """Runs it twice, and compares all bits. Returns the ops after the first one of each step."""
        feeds = [f"  {name}: {{dtype: {each.dtype}, shape: {list(each.shape)}}}" for name, each in self.feeds.items()]
        text = "\n".join(["opsrun: 1", "feeds:", *feeds, "nodes:", *self.lines, f"outputs: [{', '.join(outputs)}]", ""])
        graph = opsrun.Graph.from_yaml(text)
        for _ in range(2):
            results = graph.run(self.feeds)
            for name in outputs:
                assert np.asarray(results[name]).tobytes() == self.values[name].tobytes(), text
        return [" ".join(each["op"] for each in step["fused"]) for step in graph.plan(self.feeds).details["steps"]]


def feeds(images, filters, dtype="float32", window=(3, 3)):
    """What a convolution may need: with numbers that are not finite, zeros of both signs, and negative ones."""
    random = np.random.default_rng(images[1] * filters)
    shapes = {"x": images, "f": (*window, images[3], filters), "bias": (filters,), "more": (*images[:3], filters)}
    made = {name: random.normal(size=shape).astype(dtype) for name, shape in shapes.items()}
    for number in (np.nan, np.inf, -np.inf, -0.0, 0.0):
        made["more"].reshape(-1)[random.integers(made["more"].size)] = number
    made["x"].reshape(-1)[random.integers(made["x"].size)] = np.nan
    return made


@pytest.mark.parametrize("examples", [1, 3, 16, 64])
@pytest.mark.parametrize("filters", [1, 5, 16, 31, 33, 80])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_follows_a_convolution(examples, filters, dtype):
    net = Network(feeds((examples, 9, 8, 4), filters, dtype))
    plain = net.add("Relu", net.add("Conv2D", "x", "f", **CONV))
    bias = net.add("BiasAdd", net.add("Conv2D", "x", "f", **CONV), "bias")
    both = net.add("Relu", net.add("Add", "more", net.add("Conv2D", "x", "f", **CONV)))
    all_three = net.add("Add", net.add("BiasAdd", net.add("Conv2D", "x", "f", **CONV), "bias"), "more")
    vector = net.add("Relu", net.add("AddV2", "bias", net.add("Conv2D", "x", "f", **CONV)))
    relu = net.add("Relu", all_three)
    fused = net.fused(plain, bias, both, vector, relu)
    assert sorted(fused) == sorted(["Relu", "BiasAdd", "Add Relu", "BiasAdd Add Relu", "AddV2 Relu"])


@pytest.mark.parametrize("images, filters, window, attrs", [
    ((2, 40, 37, 16), 130, (3, 3), {}),
    ((1, 64, 64, 3), 32, (7, 7), {"strides": [1, 2, 2, 1]}),
    ((1, 17, 19, 5), 20, (3, 2), {"dilations": [1, 2, 3, 1]}),
    ((1, 6, 6, 64), 600, (1, 1), {}),
    ((1, 5, 4, 2), 7, (3, 3), {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 9, 8, 7, 9, 0, 0]}),
])
def test_windows_of_all_kinds(images, filters, window, attrs):
    attrs = {**CONV, **attrs}
    given = feeds(images, filters, window=window)
    shape = call_alone("Conv2D", [given["x"], given["f"]], attrs).shape
    given["more"] = np.resize(given["more"], shape)
    net = Network(given)
    sums = net.add("Add", net.add("BiasAdd", net.add("Conv2D", "x", "f", **attrs), "bias"), "more")
    assert net.fused(net.add("Relu", sums)) == ["BiasAdd Add Relu"]


# Several examples go through its steps in groups.
@pytest.mark.parametrize("examples", [1, 2, 16, 301])
def test_a_residual_network(examples):
    net = Network(feeds((examples, 16, 16, 8), 8))
    x = "x"
    for _ in range(3):
        y = net.add("Relu", net.add("Conv2D", x, "f", **CONV))
        x = net.add("Relu", net.add("Add", net.add("Conv2D", y, "f", **CONV), x))
    assert net.fused(x) == 3 * ["Relu", "Add Relu"]


def test_what_is_not_computed_with_it():
    def steps(*after, given=None):
        net = Network(given or feeds((1, 5, 6, 5), 5))
        last = net.add("Conv2D", "x", "f", **CONV)
        for op, other, attrs in after:
            last = net.add(op, last, *other, **attrs)
        return net.fused(last)

    assert steps(("BiasAdd", ["bias"], {"data_format": "NCHW"})) == ["", ""]
    assert steps(("Relu", [], {}), ("BiasAdd", ["bias"], {})) == ["Relu", ""]
    assert steps(("Sub", ["more"], {}), ("Relu", [], {})) == ["", "", ""]
    assert steps(("Add", ["more"], {}), ("Add", ["more"], {})) == ["Add", ""]
    for dtype in ("float16", "int32"):
        given = feeds((1, 5, 6, 5), 5)
        given = {name: np.nan_to_num(each, posinf=3, neginf=-3).astype(dtype) for name, each in given.items()}
        assert steps(("Relu", [], {}), given=given) == ["", ""], dtype
    empty = {"x": np.zeros((1, 5, 6, 0), np.float32), "f": np.zeros((3, 3, 0, 5), np.float32), "bias": np.ones(5, np.float32)}
    assert steps(("BiasAdd", ["bias"], {}), given=empty) == ["", ""]

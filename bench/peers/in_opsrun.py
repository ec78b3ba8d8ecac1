"""bench/peers/in_opsrun.py: the graphs of graphs.py in opsrun, as graph files that Python runs.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess

import numpy as np

import opsrun

ENDING = ".yaml"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = {"Concat": "ConcatV2", "MeanOfImage": "Mean"}
SQUARE = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}


def version():
    return opsrun.__version__


def configure(threads):
    opsrun.configure(threads=threads)


def _node(name, op, inputs, attrs):
    """The lines of the feeds and nodes that stand for a node."""
    constants = {"Concat": attrs.get("axis"), "Dense": [-1, int(np.prod(attrs.get("image", ())))], "MeanOfImage": [1, 2],
                 "Pad": [list(pair) for pair in attrs.get("paddings", ())], "Sum": attrs.get("axis"),
                 "Transpose": list(attrs.get("perm", ()))}
    more = {"Cast": {"DstT": attrs.get("to")}, "Conv2D": {"strides": [1, 1, 1, 1], "padding": "SAME"}, "MaxPool": SQUARE}.get(op, {})
    feed = [f"  {name}_c: {{value: {constants[op]}, dtype: int32}}"] if op in constants else []
    if op == "Dense":
        return feed, [f"  {name}_r: {{op: Reshape, in: [{inputs[0]}, {name}_c]}}",
                      f"  {name}: {{op: MatMul, in: [{name}_r, {inputs[1]}]}}"]
    inputs = ["[" + ", ".join(inputs) + "]"] if op == "Concat" else inputs
    words = ", ".join([*inputs, f"{name}_c"] if feed else inputs)
    attrs = f", attrs: {json.dumps(more)}" if more else ""
    return feed, [f"  {name}: {{op: {NAMES.get(op, op)}, in: [{words}]{attrs}}}"]


def save(graph, path):
    """Writes the graph file, and its weights beside it."""
    feeds = [f"  {name}: {{dtype: {array.dtype}, shape: {list(array.shape)}}}" for name, array in graph.feeds.items()]
    nodes = []
    if graph.weights:
        archive = os.path.splitext(path)[0] + ".npz"
        np.savez(archive, **graph.weights)
        feeds += [f"  {name}: {{npz: {os.path.basename(archive)}, key: {name}}}" for name in graph.weights]
    for node in graph.nodes:
        more, lines = _node(*node)
        feeds += more
        nodes += lines
    last = graph.nodes[-1][0] + (".y" if graph.nodes[-1][1] == "Unique" else "")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["opsrun: 1", "feeds:", *feeds, "nodes:", *nodes, f"outputs: [{last}]", ""]))


def compile_graph(path):
    """The file of the compiled graph."""
    subprocess.run([os.path.join(ROOT, "build/release/bin/opsrun"), "-q", "compile", path], check=True)
    return path.removesuffix(ENDING) + ".opsplan"


def load(path):
    """A function of feeds that runs the graph of a file."""
    graph = opsrun.Graph.load(path)
    last = graph.outputs[0].name
    return lambda feeds: graph.run(feeds)[last]


def ways(graph, _threads, folder, _compiles):
    """{a name: a function without arguments that runs the graph}"""
    path = os.path.join(folder, "graph.yaml")
    save(graph, path)
    run = load(path)
    return {"Graph.run": lambda: run(graph.feeds)}


def to_numpy(result, _graph):
    return result


def first_result(path):
    four = np.float32([1, 2, 3, 4])
    return load(path)({"x": four, "y": four})

"""bench/peers/in_numpy.py: the graphs of one node of graphs.py in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

FUNCTIONS = {"Add": np.add, "Tanh": np.tanh, "MatMul": np.matmul}


def version():
    return np.__version__


def configure(_threads):
    """The caller has set the threads of OpenBLAS; other functions have one."""


def ways(graph, _threads, _folder, _compiles):
    if len(graph.nodes) > 1:
        raise NotImplementedError("NumPy has no graphs")
    _, op, inputs, attrs = graph.nodes[0]
    arrays = [graph.feeds.get(name, graph.weights.get(name)) for name in inputs]
    if op == "Pad":
        return {"np.pad": lambda: np.pad(arrays[0], attrs["paddings"])}
    if op not in FUNCTIONS:
        raise NotImplementedError(f"NumPy has no {op}")
    return {f"np.{FUNCTIONS[op].__name__}": lambda: FUNCTIONS[op](*arrays)}


def to_numpy(result, _graph):
    return result

"""bench/peers/in_numpy.py: the graphs of one node of graphs.py in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

FUNCTIONS = {
    "Add": np.add, "Cast": lambda x, to: x.astype(to), "Concat": lambda *each, axis: np.concatenate(each, axis), "Exp": np.exp,
    "Gather": lambda x, rows: np.take(x, rows, 0), "Less": np.less, "Log1p": np.log1p, "MatMul": np.matmul,
    "Pad": lambda x, paddings: np.pad(x, paddings), "Sum": lambda x, axis: np.sum(x, axis), "Tanh": np.tanh,
    "Transpose": lambda x, perm: np.ascontiguousarray(x.transpose(perm)),
    "Unique": lambda x: np.unique(x, return_inverse=True)[0]}


def version():
    return np.__version__


def configure(_threads):
    """The caller has set the threads of OpenBLAS; other functions have one."""


def ways(graph, _threads, _folder, _compiles):
    if len(graph.nodes) > 1:
        raise NotImplementedError("NumPy has no graphs")
    _, op, inputs, attrs = graph.nodes[0]
    arrays = [graph.feeds.get(name, graph.weights.get(name)) for name in inputs]
    if op not in FUNCTIONS:
        raise NotImplementedError(f"NumPy has no {op}")
    return {"": lambda: FUNCTIONS[op](*arrays, **attrs)}


def to_numpy(result, _graph):
    return result

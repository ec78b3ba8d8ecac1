"""bench/peers/cases.py: what bench/run_peers.py measures, as a table.

SPDX-License-Identifier: Apache-2.0
"""

import typing

PARTS = {
    "a": "a chain of 1,000 nodes, time a node",
    "b": "1,000 independent nodes, time a node",
    "c": "a graph 32 wide and 100 deep, time a node",
    "d": "small networks, time a run",
    "e": "from a file to the first result",
    "f": "64 requests at once: the residual network, one image",
    "g": "from the start of a process to a result",
    "h": "memory that a chain of 100 nodes on 64 MiB adds",
    "i": "single ops, time a call",
}
# The names of peers on the command line, and in the table.
PEERS = {"opsrun": "opsrun", "onnx": "ONNX Runtime", "tensorflow": "TensorFlow", "torch": "PyTorch", "numpy": "NumPy"}


class Case(typing.NamedTuple):
    part: str
    title: str
    threads: int
    graph: tuple  # a function of graphs.py and its arguments
    kind: str = "run"  # how it is measured: run, load, requests, start, program, memory
    nodes: int = 1  # a run's time is divided by it
    quick: bool = True  # a part of run_peers --quick
    drawn: bool = True  # a row of the picture
    compiled: bool = False  # opsrun's file is compiled; what others save is

    @property
    def name(self):
        return f"{self.part}. {self.title or 'requests'}, threads: {self.threads}"

    @property
    def metrics(self):
        return {"requests": ("time a request", "p99 of waiting"), "memory": ("bytes",)}.get(self.kind, ("time",))

    def rows(self):
        """(name, title) of each row of the table."""
        if len(self.metrics) == 1:
            return [(self.name, self.title)]
        return [(f"{self.name}, {metric}", f"{self.title}{metric}") for metric in self.metrics]


def _networks():
    for network, words in (("digits", "digits"), ("residual", "residual network")):
        for batch in (1, 16, 64):
            for threads in (1, 2):
                yield Case("d", f"{words}, batch {batch}", threads, (network, batch), quick=batch == 16 and threads == 1,
                           drawn=batch != 16)


_MILLION, _MATRIX = (1_000_000,), (1000, 1000)


def _single_ops():
    drawn = {"Pad of an image, 1080 x 1920", "Add of 1,000,000", "Tanh of 1,000,000", "MatMul, 512 x 512", "Conv2D, 56 x 56 x 64"}
    for title, graph in (
            ("Pad of a vector, 1,000,000", ("single", "Pad", [_MILLION], {"paddings": ((8, 8),)})),
            ("Pad of an image, 1080 x 1920", ("single", "Pad", [(1080, 1920)], {"paddings": ((4, 4), (4, 4))})),
            ("Pad of 8 x 56 x 56 x 64", ("single", "Pad", [(8, 56, 56, 64)], {"paddings": ((0, 0), (1, 1), (1, 1), (0, 0))})),
            ("Pad of a matrix, 4096 x 4096", ("single", "Pad", [(4096, 4096)], {"paddings": ((1, 1), (1, 1))})),
            ("Add of 1,000,000", ("single", "Add", [_MILLION])),
            ("Less of 1,000,000", ("single", "Less", [_MILLION, _MILLION])),
            ("Tanh of 1,000,000", ("single", "Tanh", [_MILLION])),
            ("Exp of 1,000,000", ("single", "Exp", [_MILLION])),
            ("Log1p of 1,000,000 float64", ("single", "Log1p", [_MILLION], {}, "float64")),
            ("Cast of 1,000,000 to int32", ("single", "Cast", [_MILLION], {"to": "int32"})),
            ("Sum of rows, 1000 x 1000", ("single", "Sum", [_MATRIX], {"axis": 1})),
            ("Sum of columns, 1000 x 1000", ("single", "Sum", [_MATRIX], {"axis": 0})),
            ("Softmax, 1000 x 1000", ("single", "Softmax", [_MATRIX])),
            ("Transpose, 1000 x 1000", ("single", "Transpose", [_MATRIX], {"perm": (1, 0)})),
            ("Concat of columns, 3 x 1000 x 100", ("single", "Concat", [(1000, 100)] * 3, {"axis": 1})),
            ("Concat of columns, 2 x 1000 x 1000", ("single", "Concat", [_MATRIX] * 2, {"axis": 1})),
            ("Gather of 10,000 rows of 64", ("gather", 100_000, 64, 10_000)),
            ("Unique of 1,000,000 int64", ("unique", 1_000_000, 1000)),
            ("MatMul, 512 x 512", ("matmul", 512)),
            ("MatMul, 512 x 512, float64", ("matmul", 512, "float64")),
            ("MatMul, 512 x 512, complex64", ("matmul", 512, "complex64")),
            ("MatMul, 2048 x 2048", ("matmul", 2048)),
            ("Conv2D, 56 x 56 x 64", ("conv", 56, 64)),
            ("Conv2D 5 x 5, 112 x 112 x 3 to 32", ("conv", 112, 3, 5, 32))):
        for threads in (1,) if graph[0] == "unique" else (1, 2):
            yield Case("i", title, threads, graph, quick=threads == 1 and title in drawn, drawn=title in drawn)


CASES = (
    Case("a", "ZeroOut of 4 numbers, a custom op", 1, ("zero_outs", 1000), nodes=1000),
    Case("a", "Sub of 4 numbers", 1, ("chains", 1, 1000, 4), nodes=1000),
    *(Case("b", "Sub of 4 numbers", threads, ("chains", 1000, 1, 4), nodes=1000, quick=threads == 1) for threads in (1, 2)),
    *(Case("c", title, threads, graph, nodes=3231, quick=threads == 1) for title, graph in (
        ("Sub of 4 numbers", ("grid", 4)), ("Sub of 32,768 numbers", ("grid", 32768))) for threads in (1, 2)),
    *_networks(),
    Case("e", "1,000 nodes", 1, ("chains", 1, 1000, 4), kind="load"),
    Case("e", "100,000 nodes", 1, ("chains", 100, 1000, 4), kind="load", quick=False),
    Case("e", "100,000 nodes, compiled where possible", 1, ("chains", 100, 1000, 4), kind="load", quick=False, compiled=True),
    *(Case("f", "", threads, ("residual", 1), kind="requests", quick=threads == 1) for threads in (1, 2)),
    Case("g", "Python, one node", 1, ("chains", 1, 1, 4), kind="start"),
    Case("g", "the program opsrun, one node", 1, ("chains", 1, 1, 4), kind="program"),
    Case("h", "Sub of 16,777,216 numbers", 1, ("chains", 1, 100, 1 << 24), kind="memory"),
    *_single_ops(),
)

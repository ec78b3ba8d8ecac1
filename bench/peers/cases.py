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


def _single_ops():
    drawn = {"Pad of an image, 1080 x 1920", "Add of 1,000,000", "Tanh of 1,000,000", "MatMul, 512 x 512", "Conv2D, 56 x 56 x 64"}
    for title, graph in (
            ("Pad of a vector, 1,000,000", ("pad", (1_000_000,), ((8, 8),))),
            ("Pad of an image, 1080 x 1920", ("pad", (1080, 1920), ((4, 4), (4, 4)))),
            ("Pad of 8 x 56 x 56 x 64", ("pad", (8, 56, 56, 64), ((0, 0), (1, 1), (1, 1), (0, 0)))),
            ("Pad of a matrix, 4096 x 4096", ("pad", (4096, 4096), ((1, 1), (1, 1)))),
            ("Add of 1,000,000", ("elementwise", "Add", 1_000_000)),
            ("Tanh of 1,000,000", ("elementwise", "Tanh", 1_000_000)),
            ("MatMul, 512 x 512", ("matmul", 512)),
            ("Conv2D, 56 x 56 x 64", ("conv", 56, 64))):
        for threads in (1, 2):
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

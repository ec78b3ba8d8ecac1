"""random_graphs_test.py: random graphs of 20 nodes are differentiated rightly, once and twice.

usage: random_graphs_test.py OPSRUN [--seed N]      --seed: one graph alone, which is printed

Each graph is made of smooth ops on small matrices and vectors, with tensors that are used several times. What follows from
the gradients that the ops declare is compared with what opsrun gradcheck measures.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import random
import re
import subprocess
import sys

GRAPHS = 25
NODES = 20
STEEP = "steep"

# The op, its inputs, and the shape of its output. Tensors are [2, 3] (m), [3] (v) or scalars (s).
UNARY = ["Tanh", "Sigmoid", "Sin", "Cos", "Softplus", "Erf", "Neg", "Square", "Identity"]
BINARY = ["Add", "Sub", "Mul", "SquaredDifference"]


class Maker:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.tensors = [("x", "m"), ("y", "m"), ("v", "v"), ("s", "s")]
        self.nodes = []

    def pick(self, shapes):
        # Later ones more often, so that graphs become deep.
        fitting = [tensor for tensor in self.tensors if tensor[1] in shapes]
        return self.draw.choice(fitting[-6:])

    def add(self, op, inputs, shape, attrs=""):
        name = f"n{len(self.nodes)}"
        self.nodes.append(f"  {name}: {{op: {op}, in: {inputs}{attrs}}}")
        self.tensors.append((name, shape))

    def add_node(self):
        kind = self.draw.randrange(9)
        if kind < 3:
            name, shape = self.pick("mvs")
            self.add(self.draw.choice(UNARY), name, shape)
        elif kind < 6:
            (a, of_a), (b, of_b) = self.pick("m"), self.pick("mvs")
            if self.draw.random() < 0.5:
                (a, of_a), (b, of_b) = (b, of_b), (a, of_a)
            self.add(self.draw.choice(BINARY), f"[{a}, {b}]", "m" if "m" in (of_a, of_b) else of_a)
        elif kind == 6:
            a, b = self.pick("m")[0], self.pick("m")[0]
            self.add("MatMul", f"[{a}, {b}]", "mm", ", attrs: {transpose_b: true}")
            self.add("MatMul", f"[n{len(self.nodes) - 1}, {a}]", "m")
        elif kind == 7:
            op = self.draw.choice(["Sum", "Mean"])
            axis, shape = self.draw.choice([("first", "v"), ("both", "s")])
            self.add(op, f"[{self.pick('m')[0]}, {axis}]", shape)
        else:
            self.add(self.draw.choice(["Softmax", "LogSoftmax"]), self.pick("m")[0], "m")

    def make(self):
        while len(self.nodes) < NODES:
            self.add_node()
        ends = [name for name, shape in self.tensors[-5:] if shape == "m"] or [self.pick("m")[0]]
        numbers = lambda count: ", ".join(f"{self.draw.uniform(-1, 1):.3f}" for _ in range(count))
        rows = lambda: f"[[{numbers(3)}], [{numbers(3)}]]"
        return "\n".join([
            "opsrun: 1", "feeds:", f"  x: {{value: {rows()}, dtype: float64}}",
            f"  y: {{value: {rows()}, dtype: float64}}", f"  v: {{value: [{numbers(3)}], dtype: float64}}",
            f"  s: {{value: {numbers(1)}, dtype: float64}}", "  first: {value: [0], dtype: int32}",
            "  both: {value: [0, 1], dtype: int32}", "nodes:", *self.nodes,
            f"  end: {{op: AddN, in: {{inputs: [{', '.join(ends)}]}}}}", "  loss: {op: Mean, in: [end, both]}",
            "outputs: [loss]", ""])


def problem(opsrun, graph, of):
    """Why the gradient of the graph is wrong, or nothing. A function may be too steep to be measured."""
    done = subprocess.run([opsrun, "gradcheck", "--graph", "-", "--of", of, "--wrt", "x,y,v,s"], input=graph, text=True,
                          capture_output=True, timeout=200, check=False)
    if "error[R508]" in done.stderr:
        return STEEP
    return "" if done.returncode == 0 and "is right" in done.stdout else done.stdout + done.stderr


def second_order(opsrun, graph):
    """The graph with its gradient, and a sum of the gradient to differentiate."""
    done = subprocess.run([opsrun, "grad", "-", "--of", "loss", "--wrt", "x"], input=graph, text=True,
                          capture_output=True, timeout=200, check=True)
    tensor = re.search(r"^outputs: \[.*, (\S+)\]$|^  grad_x: (\S+)$", done.stdout, re.M)
    return done.stdout, tensor.group(1) or tensor.group(2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("opsrun")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    failed = steep = 0
    for seed in range(GRAPHS) if options.seed is None else [options.seed]:
        graph = Maker(seed).make()
        if options.seed is not None:
            print(graph)
        wrong = problem(options.opsrun, graph, "loss")
        if not wrong:
            twice, gradient = second_order(options.opsrun, graph)
            wrong = problem(options.opsrun, twice, gradient)
        if wrong == STEEP:
            steep += 1
        elif wrong:
            failed += 1
            print(f"graph {seed} is differentiated wrongly; see it with --seed {seed}\n{wrong}")
    print(f"{failed} of {GRAPHS if options.seed is None else 1} graphs are wrong, {steep} too steep to be measured")
    return 1 if failed or steep > GRAPHS // 5 else 0


if __name__ == "__main__":
    sys.exit(main())

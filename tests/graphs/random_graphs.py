"""random_graphs.py: random graphs of the project's own ops, determined by a seed.

SPDX-License-Identifier: Apache-2.0
"""

import random
from math import prod as product


class Generator:
    """A graph, built node by node. It keeps the real shape of each tensor, so that most nodes are valid."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.feeds = []   # (name, type, shape)
        self.nodes, self.constants = [], []  # lines
        self.values = {}  # name: (type, shape)
        for _ in range(self.random.randint(1, 3)):
            shape = [self.random.randint(0, 4) for _ in range(self.random.randint(0, 3))]
            self.feed(self.random.choice(["int32", "float32"]), shape)
        for _ in range(self.random.randint(1, 8)):
            self.random.choice([self.add_n, self.pack, self.unpack, self.split, self.pad, self.mirror_pad, self.shape,
                                self.fill, self.reshape, self.flatten, self.median, self.zero_out, self.fill_computed,
                                self.reshape_computed, self.slice, self.strided_slice, self.tile, self.broadcast,
                                self.pad_computed, self.range])()

    def feed(self, dtype, shape):
        name = f"f{len(self.feeds)}"
        self.feeds.append((name, dtype, shape))
        self.values[name] = (dtype, shape)

    def constant(self, value, dtype="int32"):
        name = f"c{len(self.constants)}"
        self.constants.append(f"  {name}: {{value: {value}, dtype: {dtype}}}")
        return name

    def any(self, condition=lambda dtype, shape: True):
        names = [name for name, (dtype, shape) in self.values.items() if condition(dtype, shape)]
        return self.random.choice(names) if names else None

    def node(self, op, inputs, outputs, attrs=""):
        """outputs: (suffix, type, shape) each. The node's name."""
        name = f"n{len(self.nodes)}"
        attrs = f", attrs: {{{attrs}}}" if attrs else ""
        self.nodes.append(f"  {name}: {{op: {op}, in: {inputs}{attrs}}}")
        for suffix, dtype, shape in outputs:
            self.values[name + suffix] = (dtype, shape)
        return name

    def add_n(self):
        x = self.any()
        dtype, shape = self.values[x]
        y = self.any(lambda d, s: (d, s) == (dtype, shape))
        self.node("AddN", f"[{x}, {y}]", [("", dtype, shape)])

    def pack(self):
        x = self.any(lambda d, s: len(s) < 4)
        dtype, shape = self.values[x]
        axis = self.random.randint(0, len(shape))
        count = self.random.randint(1, 3)
        packed = shape[:axis] + [count] + shape[axis:]
        axis -= self.random.choice([0, len(shape) + 1])
        self.node("Pack", f"[{', '.join([x] * count)}]", [("", dtype, packed)], f"axis: {axis}")

    def unpack(self):
        x = self.any(lambda d, s: s and s[0] > 0)
        if x:
            dtype, shape = self.values[x]
            self.node("Unpack", x, [(f".output.{i}", dtype, shape[1:]) for i in range(shape[0])], f"num: {shape[0]}")

    def split(self):
        x = self.any(lambda d, s: s)
        if x:
            dtype, shape = self.values[x]
            axis = self.random.randrange(len(shape))
            count = self.random.choice([n for n in range(1, 5) if shape[axis] % n == 0])
            part = [size // count if i == axis else size for i, size in enumerate(shape)]
            self.node("Split", f"[{self.constant(axis)}, {x}]",
                      [(f".output.{i}", dtype, part) for i in range(count)], f"num_split: {count}")

    def paddings(self, shape, most):
        return [[self.random.randint(0, most(size)), self.random.randint(0, most(size))] for size in shape]

    def padded(self, op, x, paddings, attrs=""):
        dtype, shape = self.values[x]
        sizes = [size + before + after for size, (before, after) in zip(shape, paddings)]
        self.node(op, f"[{x}, {self.constant(paddings)}]", [("", dtype, sizes)], attrs)

    def pad(self):
        x = self.any(lambda d, s: s)
        if x:
            self.padded("Pad", x, self.paddings(self.values[x][1], lambda size: 2))

    def mirror_pad(self):
        x = self.any(lambda d, s: s and min(s) > 0)
        if x:
            self.padded("MirrorPad", x, self.paddings(self.values[x][1], lambda size: size - 1), "mode: REFLECT")

    def shape(self):
        self.sizes_of(self.any())

    def sizes_of(self, x):
        """A tensor with the sizes of x, made by a node."""
        return self.computed("Shape", x, [len(self.values[x][1])])

    def fill(self):
        x = self.any()
        self.node("Fill", f"[{self.sizes_of(x)}, {self.constant(1.5, 'float32')}]", [("", "float32", self.values[x][1])])

    def reshape(self):
        x = self.any()
        dtype, shape = self.values[x]
        like = self.any(lambda d, s: product(s) == product(shape))
        self.node("Reshape", f"[{x}, {self.sizes_of(like)}]", [("", dtype, self.values[like][1])])

    def flatten(self):
        x = self.any()
        dtype, shape = self.values[x]
        self.node("Reshape", f"[{x}, {self.constant([-1])}]", [("", dtype, [product(shape)])])

    def scalar(self, number, depth=2):
        """A tensor with one number: a constant, a size of another tensor, or a result computed from these."""
        kind = self.random.choice(["constant", "size", "size", "count", "+", "-", "*", "/", "max", "min"])
        if kind == "size":
            found = [(x, i) for x, (_, shape) in self.values.items() for i, size in enumerate(shape) if size == number]
            if found:
                return self.size_at(*self.random.choice(found))
        if kind == "count":
            x = self.any(lambda d, s: product(s) == number)
            if x:
                return self.computed("Size", x)
        if kind in "+-*/" and depth > 0:
            other = self.random.randint(1, 3)
            op, first = {"+": ("Add", number - other), "-": ("Sub", number + other),
                         "/": ("FloorDiv", number * other + self.random.randrange(other)),
                         "*": ("Mul", number // other if number % other == 0 else None)}[kind]
            if first is not None:
                return self.computed(op, f"[{self.scalar(first, depth - 1)}, {self.scalar(other, depth - 1)}]")
        if kind in ("max", "min") and depth > 0:
            other = number + self.random.randint(0, 3) * (1 if kind == "min" else -1)
            return self.computed("Minimum" if kind == "min" else "Maximum",
                                 f"[{self.scalar(number, depth - 1)}, {self.scalar(other, depth - 1)}]")
        return self.constant(number)

    def computed(self, op, inputs, shape=(), attrs=""):
        return self.node(op, inputs, [("", "int32", list(shape))], attrs)

    def size_at(self, x, i):
        """A scalar with size i of x."""
        shape = self.sizes_of(x)
        begin, end, one = self.constant([i]), self.constant([i + 1]), self.constant([1])
        if self.random.random() < 0.5:
            return self.computed("GatherV2", f"[{shape}, {self.constant(i)}, {self.constant(0)}]")
        return self.computed("StridedSlice", f"[{shape}, {begin}, {end}, {one}]", (), "shrink_axis_mask: 1")

    def vector(self, numbers):
        """A tensor with numbers, each made independently."""
        if not numbers or self.random.random() < 0.2:
            return self.constant(numbers)
        if len(numbers) > 1 and self.random.random() < 0.3:
            at = self.random.randint(1, len(numbers) - 1)
            parts = f"{self.vector(numbers[:at])}, {self.vector(numbers[at:])}"
            return self.computed("ConcatV2", f"{{values: [{parts}], axis: {self.constant(0)}}}", [len(numbers)])
        scalars = ", ".join(self.scalar(number) for number in numbers)
        return self.computed("Pack", f"[[{scalars}]]", [len(numbers)])

    def fill_computed(self):
        shape = [self.random.randint(0, 4) for _ in range(self.random.randint(0, 3))]
        self.node("Fill", f"[{self.vector(shape)}, {self.constant(2.5, 'float32')}]", [("", "float32", shape)])

    def reshape_computed(self):
        x = self.any()
        dtype, shape = self.values[x]
        wanted = self.values[self.any(lambda d, s: product(s) == product(shape))][1]
        sizes = list(wanted)
        if sizes and product(sizes) > 0 and self.random.random() < 0.5:
            sizes[self.random.randrange(len(sizes))] = -1
        self.node("Reshape", f"[{x}, {self.vector(sizes)}]", [("", dtype, wanted)])

    def slice(self):
        x = self.any()
        dtype, shape = self.values[x]
        begin = [self.random.randint(0, size) for size in shape]
        size = [self.random.randint(0, size - first) for size, first in zip(shape, begin)]
        written = [-1 if first + part == whole and self.random.random() < 0.5 else part
                   for whole, first, part in zip(shape, begin, size)]
        self.node("Slice", f"[{x}, {self.vector(begin)}, {self.vector(written)}]", [("", dtype, size)])

    def strided_slice(self):
        x = self.any(lambda d, s: s)
        if not x:
            return
        dtype, shape = self.values[x]
        first, last = ([self.random.randint(-size - 1, size + 1) for size in shape] for _ in range(2))
        step = self.random.choice([1, 1, 2, -1])
        masks = [self.random.randrange(2 ** len(shape)) for _ in range(2)]
        part = [len(range(*slice(None if masks[0] >> i & 1 else first[i], None if masks[1] >> i & 1 else last[i],
                                 step).indices(size))) for i, size in enumerate(shape)]
        self.node("StridedSlice", f"[{x}, {self.vector(first)}, {self.vector(last)}, {self.vector([step] * len(shape))}]",
                  [("", dtype, part)], f"begin_mask: {masks[0]}, end_mask: {masks[1]}")

    def tile(self):
        x = self.any(lambda d, s: len(s) < 4)
        if x:
            dtype, shape = self.values[x]
            times = [self.random.randint(0, 2) for _ in shape]
            self.node("Tile", f"[{x}, {self.vector(times)}]", [("", dtype, [a * b for a, b in zip(shape, times)])])

    def broadcast(self):
        x = self.any(lambda d, s: len(s) < 4)
        if x:
            dtype, shape = self.values[x]
            wide = [self.random.randint(0, 3) if size == 1 else size for size in shape]
            if self.random.random() < 0.5:
                wide.insert(0, self.random.randint(0, 3))
            self.node("BroadcastTo", f"[{x}, {self.vector(wide)}]", [("", dtype, wide)])

    def pad_computed(self):
        x = self.any(lambda d, s: s)
        if x:
            dtype, shape = self.values[x]
            rows = self.paddings(shape, lambda size: 2)
            paddings = self.computed("Pack", f"[[{', '.join(self.vector(row) for row in rows)}]]", [len(rows), 2])
            self.node("Pad", f"[{x}, {paddings}]", [("", dtype, [size + sum(row) for size, row in zip(shape, rows)])])

    def range(self):
        first, count, step = self.random.randint(0, 3), self.random.randint(0, 4), self.random.choice([1, 2, -1])
        end = first + count * step
        self.node("Range", f"[{self.scalar(first)}, {self.scalar(end)}, {self.scalar(step)}]", [("", "int32", [count])])

    def median(self):
        x = self.any(lambda d, s: d == "float32" and len(s) in (2, 3) and min(s) > 0)
        if x:
            self.node("MedianPool", x, [("", "float32", self.values[x][1])], "ksize: [3, 3]")

    def zero_out(self):
        x = self.any(lambda d, s: product(s) > 0)
        if x:
            self.node("ZeroOut", x, [("", *self.values[x])])

    def declaration(self, name, dtype, shape, whole):
        """A feed as the graph declares it: with all sizes, with some, or with none."""
        how = 0 if whole else self.random.randint(0, 2)
        if how == 2:
            return f"  {name}: {{dtype: {dtype}}}"
        sizes = [size if how == 0 or self.random.random() < 0.5 else -1 for size in shape]
        return f"  {name}: {{dtype: {dtype}, shape: {sizes}}}"

    def text(self, whole):
        feeds = [self.declaration(*feed, whole) for feed in self.feeds] + self.constants
        return "\n".join(["opsrun: 1", "feeds:", *feeds, "nodes:", *self.nodes,
                          f"outputs: [{', '.join(self.values)}]", ""])

"""graph.py: cases of ops as one graph, run once.

Each case is a node. Its inputs are constants in half of the cases, so that shape functions know their values; in the
other half they are supplied to the run, with or without a declared shape.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess

import numpy as np

from draw import CONVERTED

THREADS = "3"  # loops are shared, also on machines with fewer cores


class Case:
    """One node. `expected` is set later: arrays, or lists of arrays, by the name of the output."""

    def __init__(self, name, entry, type_name, number, inputs, attrs, converted):
        self.name, self.entry, self.type, self.number, self.attrs = name, entry, type_name, number, attrs
        self.converted = {id(array) for array in converted}
        self.inputs = [[np.asarray(e) for e in i] if isinstance(i, list) else np.asarray(i) for i in inputs]
        self.expected = {}

    def arrays(self):
        """(name, array) of each tensor that is an input."""
        for i, value in enumerate(self.inputs):
            if isinstance(value, list):
                yield from ((f"{self.name}_in{i}_{j}", element) for j, element in enumerate(value))
            else:
                yield f"{self.name}_in{i}", value

    def text_of_inputs(self):
        for _, array in self.arrays():
            name = self.type if id(array) in self.converted else array.dtype
            text = f" = {array.tolist()}" if array.size <= 12 else ""
            yield f"{name} {list(array.shape)}{text}"

    def references(self):
        """(name in the archive of outputs, expected array)."""
        for key, value in self.expected.items():
            name = f"{self.name}.{key}" if key else self.name
            if isinstance(value, list):
                yield from ((f"{name}.{i}", element) for i, element in enumerate(value))
            else:
                yield name, value


class Graph:
    def __init__(self, late):
        """late(case): None if its inputs are constants, else what the plan knows: "shape", "type" alone, or "nothing".

        For the type alone, shapes are still those of the tensors that are fed.
        """
        self.late, self.arrays, self.arguments = late, {}, []
        self.text = {"opsrun": 1, "feeds": {}, "nodes": {}, "outputs": {}}

    def add(self, case):
        late = self.late(case)
        for name, array in case.arrays():
            self.hide_shape(name, array) if late == "nothing" else self.feed(name, array, late)
        words = [[self.converted(case, f"{case.name}_in{i}_{j}", e) for j, e in enumerate(value)]
                 if isinstance(value, list) else self.converted(case, f"{case.name}_in{i}", value)
                 for i, value in enumerate(case.inputs)]
        self.text["nodes"][case.name] = {"op": case.entry.name, "in": words, "attrs": attrs_text(case.attrs)}
        for ref, expected in case.references():
            self.output(case, ref, expected)

    def feed(self, name, array, late):
        dtype = "string" if array.dtype.kind == "U" else str(array.dtype)
        if late:
            self.arguments.append(name)
            shape = {"shape": list(array.shape)} if late == "shape" else {}
            self.text["feeds"][name] = {"dtype": dtype, **shape}
        else:
            self.text["feeds"][name] = {"npz": "feeds.npz", "key": name, "dtype": dtype}
        self.arrays[name] = array

    def hide_shape(self, name, array):
        """The tensor in a shape of unknown rank: its sizes, as many as the run says."""
        for suffix, part in (("_given", array), ("_sizes", np.int64(array.shape)), ("_rank", np.int64([array.ndim]))):
            self.feed(name + suffix, part, "type")
        self.text["feeds"]["first"] = {"value": [0], "dtype": "int64"}
        self.text["nodes"][name + "_shape"] = {"op": "Slice", "in": [name + "_sizes", "first", name + "_rank"]}
        self.text["nodes"][name] = {"op": "Reshape", "in": [name + "_given", name + "_shape"]}

    def converted(self, case, name, array):
        if id(array) not in case.converted:
            return name
        self.text["nodes"][name + "_as"] = {"op": "Cast", "in": name, "attrs": {"DstT": case.type}}
        return name + "_as"

    def output(self, case, ref, expected):
        source = ref
        if case.type in CONVERTED and expected.dtype == np.float32:
            source = ref.replace(".", "_") + "_back"
            self.text["nodes"][source] = {"op": "Cast", "in": ref, "attrs": {"DstT": "float32"}}
        self.text["outputs"][ref.replace(".", "__")] = {"from": source, "npz": "outputs.npz", "key": ref}

    def run(self, program, folder):
        """(exit status, stderr)."""
        path = {name: os.path.join(folder, name) for name in ("graph.json", "feeds.npz", "outputs.npz")}
        np.savez(path["feeds.npz"], **self.arrays)
        with open(path["graph.json"], "w", encoding="utf-8") as file:
            json.dump(self.text, file)
        feeds = [word for name in self.arguments for word in ("--feed", f"{name}={path['feeds.npz']}:{name}")]
        command = [program[0], "run", path["graph.json"], "--quiet", "--threads", THREADS, "--color", "never", *feeds,
                   *program[1:]]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        return done.returncode, done.stderr.decode(errors="replace")


def attrs_text(attrs):
    return {key: str(value) if isinstance(value, (np.dtype, type)) else value for key, value in attrs.items()}


def run_batch(cases, program, folder):
    """The outputs of all cases by name, and None; or None and the message if the run failed."""
    if not cases:
        return {}, None
    graph = Graph(lambda case: [None, "shape", None, "type"][case.number % 4])
    for case in cases:
        graph.add(case)
    status, message = graph.run(program, folder)
    if status != 0:
        return None, f"opsrun exited with {status}:\n{message}"
    with np.load(os.path.join(folder, "outputs.npz")) as archive:
        return {name: archive[name] for name in archive.files}, None


def blamed(message, text):
    """The input or the value of an attr that the message marks in the text of a graph; None if it marks its op."""
    column = int(re.search(r"--> \S+:1:(\d+)\n", message).group(1))
    marked = json.JSONDecoder().raw_decode(text, column - 1)[0]
    return None if f'"op": "{marked}"' in text else marked


def run_failing(case, program, folder):
    """What is wrong with the errors of a case that must fail: a list of sentences."""
    problems, blames = [], {}
    entry = case.entry
    for late, message in ((None, entry.message), ("type", entry.late), ("nothing", entry.unknown)):
        if message is None:
            continue
        graph = Graph(lambda _, late=late: late)
        graph.add(case)
        status, found = graph.run(program, folder)
        if status <= 0 or message not in found:
            known = "everything" if late is None else "shapes" if late == "type" else late
            expected = f"expected an error with '{message}'"
            problems.append(f"exit status {status} where the plan knows {known}, {expected}:\n{found}")
        else:
            blames.setdefault(message, []).append(blamed(found, json.dumps(graph.text)))
    for message, all_blamed in blames.items():
        if message and len({*map(str, all_blamed)} - {"None"}) > 1:
            problems.append(f"the shape function and the kernel blame {all_blamed}, each for '{message}'")
    return problems

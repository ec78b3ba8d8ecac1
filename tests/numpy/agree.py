"""agree.py: compares ops with NumPy expressions, on random inputs that seeds determine.

A table, such as math_ops.py, has an entry for each op, in families:

    from agree import *

    family("arithmetic")
    op("Add", lambda x, y: x + y, broadcast(2), types=NUMBERS)
    op("Pow", lambda x, y: x ** y, broadcast(2, low=0.5, high=3), types=FLOATS, tolerance={"float32": 1e-5})
    op("Sum", lambda x, axes, keep_dims: x.sum(tuple(axes), keepdims=keep_dims), sum_inputs, types=NUMBERS)
    fails("Mod", "division by zero", [np.int32(1), np.int32(0)])

op(name, expected, inputs, ...): `inputs` gets a Draw (draw.py) and returns the list of the op's inputs, or that list
and a dict of attrs. A list input is a list of arrays. `expected` gets the inputs, and the attrs by name, and returns

    an array                        the only output
    {"y": array, "parts": [..]}     some outputs by name; a list output is a list of arrays

types: the types that the case is repeated for; `cases`: how many cases each type has; `large`: whether one more case of
the first type has large arrays; `attrs`: which of the attrs `expected` wants; the default is all.
tolerance: EXACT (bit by bit, for data movement), or a relative and absolute tolerance by type, over DEFAULT_TOLERANCE.

fails(name, message, inputs): with this list of inputs, or this list and a dict of attrs, the op fails with an error
that contains the message: once while it is planned, once with `late` where values are known only in the run, and once
with `unknown` where shapes are, too. Messages of kernels may differ: `late="other text"`; late=None: only while it is
planned; unknown=None: only where shapes are known. Errors with the same message must blame the same input or attr.

usage: agree.py --opsrun PROGRAM TABLE [FAMILY] [--op NAME] [--type TYPE] [--case NUMBER] [--seed SEED]

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import inspect
import os
import runpy
import shlex
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed; install python3-numpy")
    sys.exit(77)

sys.modules.setdefault("agree", sys.modules[__name__])  # the table's "from agree import *" must not load another one
from draw import *  # noqa: E402, F401, F403
from draw import ALL_TYPES, CONVERTED, Draw  # noqa: E402
from graph import Case, run_batch, run_failing  # noqa: E402

EXACT = "exact"
DEFAULT_TOLERANCE = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 2e-6, "float64": 1e-12, "complex64": 4e-6,
                     "complex128": 1e-12}
SHOWN = 10  # mismatches

entries = []
current_family = [""]


def family(name):
    current_family[0] = name


class Entry:
    def __init__(self, name, inputs, **fields):
        self.name, self.inputs, self.family = name, inputs, current_family[0]
        self.__dict__.update(fields)


def op(name, expected, inputs, types=("float32",), cases=5, large=True, attrs=None, tolerance=None):
    entries.append(Entry(name, inputs, expected=expected, types=types, cases=cases, large=large, attrs=attrs,
                         tolerance=tolerance, message=None))


def moving(name, expected, inputs, types=ALL_TYPES, **more):
    """An op that only moves elements."""
    op(name, expected, inputs, types=types, tolerance=EXACT, **more)


def fails(name, message, inputs, late="", unknown="", type="float32"):
    late = message if late == "" else late
    entries.append(Entry(name, lambda d: inputs, message=message, late=late, unknown=late if unknown == "" else unknown,
                         types=[type], cases=1, large=False))


def cases_of(entry, number, options):
    for type_name in entry.types:
        count = entry.cases + (1 if entry.large and type_name == entry.types[0] else 0)
        for i in range(count):
            if options.type in (None, type_name) and options.case in (None, i):
                draw = Draw(entry.name, type_name, i, options.seed, large=i >= entry.cases)
                drawn = entry.inputs(draw)
                inputs, attrs = drawn if isinstance(drawn, tuple) else (drawn, {})
                yield Case(f"{entry.name}_{number}_{type_name}_{i}", entry, type_name, i, inputs, attrs, draw.converted)


def expect(case):
    entry = case.entry
    attrs = {key: case.attrs[key] for key in (case.attrs if entry.attrs is None else entry.attrs)}
    with np.errstate(all="ignore"):
        expected = entry.expected(*case.inputs, **attrs)
    outputs = expected if isinstance(expected, dict) else {"": expected}
    return {key: [np.asarray(e) for e in value] if isinstance(value, list) else np.asarray(value)
            for key, value in outputs.items()}


def tolerance_of(entry, type_name, dtype):
    if entry.tolerance == EXACT or dtype.kind not in "fc":
        return 0
    own = entry.tolerance or {}
    name = type_name if type_name in CONVERTED else str(dtype)
    return own.get(type_name, own.get(name, DEFAULT_TOLERANCE.get(name, 0.1)))


def mismatch(found, expected, tolerance):
    """A sentence on the worst element, or None."""
    if expected.ndim == 0 and expected.dtype.kind == found.dtype.kind != "U":
        expected = expected.astype(found.dtype)  # NumPy computes some scalars in a wider type than arrays
    if found.dtype.kind != expected.dtype.kind or (found.dtype != expected.dtype and found.dtype.kind != "U"):
        return f"type {found.dtype}, expected {expected.dtype}"
    if found.shape != expected.shape:
        return f"shape {list(found.shape)}, expected {list(expected.shape)}"
    if found.dtype.kind in "fc" and found.size:
        with np.errstate(all="ignore"):
            error, bad = differences(found, expected, tolerance)
    else:
        bad = found != expected
        error = np.where(bad, 1, 0)
    if not np.any(bad):
        return None
    at = np.unravel_index(np.argmax(np.where(bad, error, -1)), found.shape)
    where = [int(i) for i in at]
    return f"{np.count_nonzero(bad)} of {found.size} elements; at {where}: {found[at]!r}, expected {expected[at]!r}"


def differences(found, expected, tolerance):
    if found.dtype.kind == "c":
        real, imag = (differences(part(found), part(expected), tolerance) for part in (np.real, np.imag))
        size = tolerance * (1 + np.abs(expected))  # each part is as exact as the whole number is large
        near = np.isfinite(found) & np.isfinite(expected) & (np.abs(found - expected) <= size)
        return np.maximum(real[0], imag[0]), (real[1] | imag[1]) & ~(near & (tolerance > 0))
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if tolerance == 0:
        same &= np.isnan(found) | (np.signbit(found) == np.signbit(expected))
    error = np.where(same, 0, np.abs(found.astype(float) - expected.astype(float)))
    # The negation catches NaN and infinities, whose error is neither small nor large.
    bad = ~same & ~(np.isfinite(expected) & (error <= tolerance * (1 + np.abs(expected.astype(float)))))
    return np.where(np.isnan(error), np.inf, error), bad


def report(case, problem, options):
    shapes = ", ".join(case.text_of_inputs())
    print(f"{case.entry.name}: {problem}\n  inputs: {shapes}\n  attrs: {case.attrs}")
    print(f"  seed: {options.seed}, case {case.number}")
    if case.entry.message is None:
        expected = case.entry.expected
        print("  expected:", inspect.getsource(expected).strip() if inspect.isfunction(expected) else expected)
    print(f"  alone: {alone(case, options)}\n")


def alone(case, options):
    words = [sys.executable, "-B", os.path.abspath(__file__), "--opsrun", options.opsrun[0]]
    words += [f"--run={word}" for word in options.opsrun[1:]]
    words += [os.path.abspath(options.table), case.entry.family]
    words += ["--op", case.entry.name, "--type", case.type, "--case", str(case.number), "--seed", str(options.seed)]
    return " ".join(shlex.quote(word) for word in words)


def compare(cases, options, folder):
    """The cases that differ from NumPy, each with the reason."""
    for case in cases:
        case.expected = expect(case)
    outputs, message = run_batch(cases, options.opsrun, folder)
    if outputs is None and len(cases) > 1:
        return [problem for case in cases for problem in compare([case], options, folder)]
    if outputs is None:
        return [(cases[0], message)]
    problems = []
    for case in cases:
        for ref, expected in case.references():
            problem = mismatch(outputs[ref], expected, tolerance_of(case.entry, case.type, expected.dtype))
            if problem:
                problems.append((case, f"{ref}: {problem}"))
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opsrun", required=True)
    parser.add_argument("--run", action="append", default=[], metavar="WORD", help="of the command line of opsrun run")
    parser.add_argument("table")
    parser.add_argument("family", nargs="?")
    parser.add_argument("--op")
    parser.add_argument("--type")
    parser.add_argument("--case", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.opsrun = [os.path.abspath(options.opsrun), *options.run]
    runpy.run_path(options.table)
    chosen = [e for e in entries if options.family in (None, e.family) and options.op in (None, e.name)]
    cases = [case for i, entry in enumerate(chosen) for case in cases_of(entry, i, options)]
    with tempfile.TemporaryDirectory() as folder:
        problems = compare([case for case in cases if case.entry.message is None], options, folder)
        for case in cases:
            if case.entry.message is not None:
                problems += [(case, problem) for problem in run_failing(case, options.opsrun, folder)]
    for case, problem in problems[:SHOWN]:
        report(case, problem, options)
    if len(problems) > SHOWN:
        ops = sorted({case.entry.name for case, _ in problems})
        print(f"and {len(problems) - SHOWN} more; ops: {', '.join(ops)}")
    if not cases:
        print("no such cases")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

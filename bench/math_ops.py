#!/usr/bin/env python3
"""bench/math_ops.py: compares element-wise ops and reductions of plugins/math_ops with NumPy, with one thread.

usage: bench/math_ops.py [--opsrun PROGRAM] [--rounds N] [--seconds S] [--size N] [CASE...]     CASE: part of a name

SPDX-License-Identifier: Apache-2.0
"""
import beside_numpy
from beside_numpy import np

np.seterr(all="ignore")


def unary(rng, n):
    """Ops on numbers around 1."""
    with_numpy = {"Exp": np.exp, "Log": np.log, "Expm1": np.expm1, "Log1p": np.log1p, "Sqrt": np.sqrt, "Sin": np.sin,
                  "Cos": np.cos, "Tanh": np.tanh, "Neg": np.negative, "Abs": np.abs, "Sign": np.sign,
                  "Square": np.square, "Reciprocal": np.reciprocal, "Floor": np.floor, "Ceil": np.ceil,
                  "Round": np.rint, "IsNan": np.isnan, "IsFinite": np.isfinite, "IsInf": np.isinf}
    for dtype in "float32", "float64":
        x = (rng.random(n) + 0.5).astype(dtype)
        for op, function in with_numpy.items():
            out = np.empty(n, bool if op.startswith("Is") else dtype)
            yield f"{op} {dtype}", op, [x], {}, lambda f=function, o=out: f(x, out=o)
    x = (rng.standard_normal((n, 2)) * 3).astype(np.float32).view(np.complex64)[:, 0]
    yield "ComplexAbs complex64", "ComplexAbs", [x], {}, lambda o=np.empty(n, np.float32): np.abs(x, out=o)
    x = x.astype(np.complex128)
    yield "ComplexAbs complex128", "ComplexAbs", [x], {"Tout": "float64"}, lambda o=np.empty(n): np.abs(x, out=o)
    x = x.real > 0
    yield "LogicalNot", "LogicalNot", [x], {}, lambda o=np.empty(n, bool): np.logical_not(x, out=o)


def numbers(rng, n, dtype):
    if np.dtype(dtype).kind == "f":
        return (rng.random(n) + 0.5).astype(dtype)
    return rng.integers(1, 200, n).astype(dtype)


def binary(rng, n):
    arithmetic = {"Add": np.add, "Mul": np.multiply, "Maximum": np.maximum}
    comparisons = {"Less": np.less, "GreaterEqual": np.greater_equal, "Equal": np.equal, "NotEqual": np.not_equal}
    for dtype in "float32", "float64", "int32", "int64", "uint8":
        x, y = numbers(rng, n, dtype), numbers(rng, n, dtype)
        functions = {**arithmetic, **comparisons}
        if dtype.startswith("float"):
            functions.update({"Div": np.divide, "Pow": np.power, "Atan2": np.arctan2})
        for op, function in functions.items():
            out = np.empty(n, bool if op in comparisons else dtype)
            yield f"{op} {dtype}", op, [x, y], {}, lambda f=function, o=out: f(x, y, out=o)
    x, y = rng.random(n) < 0.5, rng.random(n) < 0.5
    yield "LogicalAnd", "LogicalAnd", [x, y], {}, lambda o=np.empty(n, bool): np.logical_and(x, y, out=o)
    x = numbers(rng, n, "float32")
    for inner in 3, 8, 100, 4096:
        rows = x[: n // inner * inner].reshape(-1, inner)
        row, column, out = rows[0].copy(), rows[:, :1].copy(), np.empty_like(rows)
        yield f"Add [n,{inner}] + [{inner}]", "Add", [rows, row], {}, lambda o=out, a=rows, b=row: np.add(a, b, out=o)
        yield f"Add [n,{inner}] + [n,1]", "Add", [rows, column], {}, lambda o=out, a=rows, b=column: np.add(a, b, out=o)
    yield "Add [n] + []", "Add", [x, np.float32(2)], {}, lambda o=np.empty_like(x): np.add(x, np.float32(2), out=o)


def reductions(rng, n):
    functions = {"Sum": np.sum, "Mean": np.mean, "Max": np.max, "Min": np.min, "Prod": np.prod}
    for dtype in "float32", "float64", "int32", "uint8", "bool":
        flat = np.ones(n, bool) if dtype == "bool" else numbers(rng, n, dtype)
        side = int(n ** 0.5)
        x = flat[: side * side].reshape(side, side)
        for op, function in ({"All": np.all} if dtype == "bool" else functions).items():
            # NumPy sums small integers as int64; opsrun keeps their type.
            same = {"dtype": x.dtype} if op in ("Sum", "Prod") else {}
            for axes in (0, 1), (0,), (1,):
                yield f"{op} {dtype} {list(axes)}", op, [x, np.array(axes, np.int32)], {}, \
                    lambda f=function, a=axes, s=same: f(x, axis=a, **s)
    x = numbers(rng, n // 3 * 3, "float32").reshape(-1, 3)
    for axis in 0, 1:
        yield f"Sum [n,3] [{axis}]", "Sum", [x, np.array([axis], np.int32)], {}, lambda a=axis: np.sum(x, axis=a)


def scans(rng, n):
    for dtype in "float32", "float64", "int32":
        flat = numbers(rng, n, dtype)
        for inner in n, 4096, 8:
            x = flat[: n // inner * inner].reshape(-1, inner)
            for axis in 0, 1:
                out = np.empty_like(x)
                yield f"Cumsum {dtype} [n,{inner}] [{axis}]", "Cumsum", [x, np.int32(axis)], {}, \
                    lambda x=x, a=axis, o=out: np.cumsum(x, a, out=o)


def squares(rng, n):
    for dtype in "float32", "float64":
        x = numbers(rng, n // 4096 * 4096, dtype).reshape(-1, 4096)
        yield f"L2Loss {dtype}", "L2Loss", [x], {}, lambda x=x.ravel(): np.dot(x, x) / 2
        for axis in 0, 1:
            yield f"EuclideanNorm {dtype} [{axis}]", "EuclideanNorm", [x, np.int32(axis)], {}, \
                lambda x=x, a=axis: np.sqrt((x * x).sum(a))


def searches(rng, n):
    """The indices of the largest elements: one long row, rows of medium length, and short ones."""
    for dtype in "float32", "float64", "int32":
        flat = numbers(rng, n, dtype)
        for inner in n, 4096, 256, 8:
            x = flat[: n // inner * inner].reshape(-1, inner)
            yield f"ArgMax {dtype} [n,{inner}]", "ArgMax", [x, np.int32(1)], {}, lambda x=x: np.argmax(x, 1)
        x = flat[: n // 4096 * 4096].reshape(-1, 4096)
        yield f"ArgMax {dtype} columns", "ArgMax", [x, np.int32(0)], {}, lambda x=x: np.argmax(x, 0)


def cases(n):
    rng = np.random.default_rng(0)
    yield from unary(rng, n)
    yield from binary(rng, n)
    yield from reductions(rng, n)
    yield from squares(rng, n)
    yield from scans(rng, n)
    yield from searches(rng, n)


parser = beside_numpy.parser(__doc__)
parser.add_argument("--size", type=int, default=1 << 24, help="elements of the arrays")
arguments = parser.parse_args()
beside_numpy.run(cases(arguments.size), arguments)

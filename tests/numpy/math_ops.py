"""math_ops.py: the NumPy expressions of the element-wise ops of plugins/math_ops.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import math

from agree import *

REAL_FLOATS = ["float16", "float32", "float64"]
SIGNED_NUMBERS = SIGNED + FLOATS + COMPLEX
CURVED = {"float32": 1e-5, "complex64": 2e-5, "complex128": 1e-11}


def without_zeros(array):
    array[array == 0] = 1
    return array


def dividends_and_divisors(d):
    """Integers without 0 as a divisor."""
    x, y = broadcast(2, special=d.type in INTEGERS)(d)
    return [x, without_zeros(y)]


def exact_dividends_and_divisors(d):
    """Small integers, also as floats, whose quotients do not depend on how they are rounded before floor and mod."""
    if d.type in INTEGERS:
        return dividends_and_divisors(d)
    x, y = (array.round(out=array) for array in broadcast(2, low=-30, high=30)(d))
    return [x, without_zeros(y)]


def special_divisors(d):
    x, y = (array.round(out=array) for array in broadcast(2, low=-30, high=30)(d))
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], y.dtype)
    return [x, special[d.random.integers(0, len(special), y.shape)]]


def some_zero_divisors(d):
    x, y = broadcast(2, special=d.type not in COMPLEX)(d)
    y[d.random.random(y.shape) < 0.3] = 0
    return [x, y]


def in_packs(d):
    """Two operands of which one may be broadcast in any dimension; on a GPU, rows of packs, whole or not."""
    whole = [d.integer(1, 3), d.integer(1, 5), d.choice(8, 15, 16, 17, 31, 48)]
    part = [1 if d.some() else size for size in whole]
    operands = [d.values(whole), d.values(part)]
    return operands if d.some() else operands[::-1]


def truncated_quotient(x, y):
    if x.dtype.kind in "fc":
        return x / y
    return ((x - np.fmod(x, y)) // y).astype(x.dtype)


family("arithmetic")
op("Add", lambda x, y: x + y, broadcast(2), types=NUMBERS)
op("AddV2", lambda x, y: x + y, broadcast(2), types=NUMBERS)
op("Sub", lambda x, y: x - y, broadcast(2), types=NUMBERS)
op("Sub", lambda x, y: x - y, in_packs, types=["uint8", "bfloat16", "float32", "float64", "complex128"], cases=16)
op("Mul", lambda x, y: x * y, broadcast(2), types=REAL)
op("Mul", lambda x, y: x * y, broadcast(2, special=False), types=COMPLEX)
op("SquaredDifference", lambda x, y: (x - y) * np.conj(x - y), broadcast(2, special=False),
   types=FLOATS_AND_COMPLEX + ["int32", "int64"], tolerance={"float16": 1e-2})
op("Maximum", np.maximum, broadcast(2), types=REAL)
op("Minimum", np.minimum, broadcast(2), types=REAL)
fails("Add", "cannot be broadcast together", [np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)])

family("division")
op("Div", truncated_quotient, dividends_and_divisors, types=NUMBERS)
op("RealDiv", lambda x, y: x / y, broadcast(2), types=FLOATS)
op("RealDiv", lambda x, y: x / y, dividends_and_divisors, types=COMPLEX)
op("FloorDiv", lambda x, y: x // y, exact_dividends_and_divisors, types=REAL)
op("FloorMod", lambda x, y: np.mod(x, y), exact_dividends_and_divisors, types=REAL)
op("Mod", lambda x, y: np.fmod(x, y), exact_dividends_and_divisors, types=REAL)
op("FloorMod", lambda x, y: np.mod(x, y), special_divisors, types=REAL_FLOATS)
op("Mod", lambda x, y: np.fmod(x, y), special_divisors, types=REAL_FLOATS)
op("DivNoNan", lambda x, y: np.where(y == 0, x.dtype.type(0), x / y), some_zero_divisors, types=FLOATS_AND_COMPLEX)
for name in ("Div", "FloorDiv", "FloorMod", "Mod"):
    fails(name, "integers cannot be divided by 0, at [1]", [np.int32([1, 2]), np.int32([1, 0])])

family("power")
op("Pow", lambda x, y: x ** y, broadcast(2), types=FLOATS, tolerance=CURVED)
op("Pow", lambda x, y: x ** y, broadcast(2, low=0.5, high=3), types=COMPLEX, tolerance=CURVED)
op("Pow", lambda x, y: x ** y, broadcast(2, low=0, high=60), types=SIGNED)
fails("Pow", "integers have no negative powers, at [1,0]", [np.int8([[1], [2]]), np.int8([[0], [-1]])])

family("comparison")
op("Equal", lambda x, y: x == y, broadcast(2, special=True), types=NUMBERS + ["bool"])
op("NotEqual", lambda x, y: x != y, broadcast(2, special=True), types=NUMBERS + ["bool"])
op("Less", lambda x, y: x < y, in_packs, types=["int8", "float32"], cases=16)
op("Less", lambda x, y: x < y, broadcast(2), types=REAL)
op("LessEqual", lambda x, y: x <= y, broadcast(2), types=REAL)
op("Greater", lambda x, y: x > y, broadcast(2), types=REAL)
op("GreaterEqual", lambda x, y: x >= y, broadcast(2), types=REAL)
op("LogicalAnd", lambda x, y: x & y, broadcast(2), types=["bool"])
op("LogicalOr", lambda x, y: x | y, broadcast(2), types=["bool"])
op("LogicalNot", lambda x: ~x, element_wise(), types=["bool"])

family("simple")
op("Neg", lambda x: -x, element_wise(), types=SIGNED_NUMBERS)
op("Abs", np.abs, element_wise(), types=SIGNED + FLOATS)
op("Sign", np.sign, element_wise(), types=SIGNED + FLOATS)
op("Sign", lambda x: (x / np.where(x == 0, 1, np.abs(x))).astype(x.dtype), element_wise(special=False), types=COMPLEX)
op("Square", np.square, element_wise(special=False), types=NUMBERS)
op("Reciprocal", np.reciprocal, element_wise(), types=FLOATS)
op("Reciprocal", lambda x: 1 / x, element_wise(low=0.5, high=3), types=COMPLEX)
op("Relu", lambda features: np.where(features < 0, features.dtype.type(0), features), element_wise(), types=REAL)
op("ReluGrad", lambda gradients, features: np.where(features > 0, gradients, gradients.dtype.type(0)), element_wise(2),
   types=REAL)
fails("ReluGrad", "Shapes must have the same rank, but [3] and [2,3]",
      [np.zeros(3, np.float32), np.zeros((2, 3), np.float32)],
      unknown="gradients must have the shape of features, which is [2,3], but its shape is [3]")
op("Floor", np.floor, element_wise(), types=FLOATS, tolerance=EXACT)
op("Ceil", np.ceil, element_wise(), types=FLOATS, tolerance=EXACT)
op("Round", np.rint, element_wise(), types=FLOATS, tolerance=EXACT)
op("Round", lambda x: x, element_wise(), types=SIGNED)
op("IsNan", np.isnan, element_wise(), types=FLOATS_AND_COMPLEX)
op("IsInf", np.isinf, element_wise(), types=FLOATS_AND_COMPLEX)
op("IsFinite", np.isfinite, element_wise(), types=FLOATS_AND_COMPLEX)

family("complex")
op("Conj", np.conj, element_wise(), types=NUMBERS, tolerance=EXACT)
for part, function in (("Real", np.real), ("Imag", np.imag), ("ComplexAbs", np.abs)):
    for whole, half in (("complex64", "float32"), ("complex128", "float64")):
        op(part, lambda x, f=function, **_: f(x), lambda d, t=half: ([d.values()], {"Tout": t}), types=[whole])
for half, whole in (("float32", "complex64"), ("float64", "complex128")):
    op("Complex", lambda x, y, Tout: (x + 1j * y).astype(Tout),
       lambda d, t=whole: (broadcast(2, special=False)(d), {"Tout": t}), types=[half])


def single(f):
    """NumPy's function, of float16 computed as float32."""
    return lambda x: f(x.astype(np.float32)).astype(np.float16) if x.dtype == np.float16 else f(x)


def sigmoid(x):
    one, e = x.dtype.type(1), np.exp(-np.abs(x))
    return np.where(x < 0, e, one) / (one + e)


# What is not drawn from all floats: arguments for which NumPy's complex functions differ by how they treat infinities.
family("transcendental")
for name, function in (("Exp", np.exp), ("Expm1", np.expm1), ("Log", np.log), ("Log1p", np.log1p), ("Sqrt", np.sqrt),
                       ("Rsqrt", lambda x: np.reciprocal(np.sqrt(x))), ("Sin", np.sin), ("Cos", np.cos), ("Tan", np.tan),
                       ("Tanh", np.tanh)):
    op(name, single(function), element_wise(), types=FLOATS, tolerance=CURVED)
    op(name, function, element_wise(low=0.1, high=2), types=COMPLEX, tolerance=CURVED)
op("Sigmoid", single(sigmoid), element_wise(), types=FLOATS, tolerance=CURVED)
op("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), element_wise(low=-1, high=1), types=COMPLEX, tolerance=CURVED)
op("Softplus", single(lambda x: np.logaddexp(x, x.dtype.type(0))), element_wise(), types=FLOATS, tolerance=CURVED)
op("Erf", lambda x: np.vectorize(math.erf, otypes=[x.dtype])(x), element_wise(), types=FLOATS)

op("Atan2", np.arctan2, broadcast(2), types=FLOATS)


def bounded(d):
    """Numbers, and bounds that are in order for all of them, or one for each."""
    x, lower, upper = element_wise(3)(d)
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    if d.some() and x.size:
        lower = lower.flat[0].reshape(())
    if d.some() and x.size:
        upper = upper.flat[-1].reshape(())
    return [x, lower, upper]


def clipped(x, lower, upper):
    if x.dtype.kind == "c":
        parts = [clipped(*(part(a) for a in (x, lower, upper))) for part in (np.real, np.imag)]
        return (parts[0] + 1j * parts[1]).astype(x.dtype)
    below = np.where(upper < x, upper, x)
    return np.where(below < lower, lower, below)


family("clip")
op("ClipByValue", clipped, bounded, types=[t for t in REAL if t != "bfloat16"], cases=8, tolerance=EXACT)
op("ClipByValue", clipped, element_wise(3, special=False), types=COMPLEX)
op("ClipByValue", np.clip, lambda d: [d.values(low=0, high=9), *(d.values((), low=n, high=n) for n in (3, 6))],
   types=REAL, tolerance=EXACT)
fails("ClipByValue", "clip_value_min must be a scalar or have the shape [2,3] of t, but its shape is [3]; use Minimum and Maximum to "
      "broadcast bounds",
      [np.zeros((2, 3), np.float32), np.zeros(3, np.float32), np.float32(1)])
fails("ClipByValue", "clip_value_max must be a scalar or have the shape [2] of t, but its shape is [1]",
      [np.zeros(2, np.float32), np.zeros(2, np.float32), np.zeros(1, np.float32)])

family("select")
op("SelectV2", np.where, lambda d: mixed(d, broadcast(3, special=True)(d)), types=FIXED_SIZE, tolerance=EXACT)
op("Select", np.where, lambda d: mixed(d, element_wise(3)(d)), types=FIXED_SIZE, tolerance=EXACT)


def mixed(d, arrays):
    """The first one as a condition."""
    return [d.values(arrays[0].shape, type_name="bool")] + list(arrays[1:])


def by_rows(d):
    shape = d.shape(min_rank=1)
    return [d.values(shape[:1], type_name="bool"), d.values(shape), d.values(shape)]


op("Select", lambda c, t, e: np.where(c.reshape(c.shape + (1,) * (t.ndim - 1)), t, e), by_rows,
   types=["float32", "complex128", "int8"], tolerance=EXACT)

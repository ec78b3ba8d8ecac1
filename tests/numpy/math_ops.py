"""math_ops.py: the NumPy expression of each op of plugins/math_ops. How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import math

from agree import *

REAL_FLOATS = ["float16", "float32", "float64"]
SIGNED_NUMBERS = SIGNED + FLOATS + COMPLEX
FLOATS_AND_COMPLEX = FLOATS + COMPLEX
# Sums and products of many numbers, whose order is not NumPy's.
MANY = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-5, "complex64": 2e-5, "float64": 1e-11, "complex128": 1e-11}
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


def truncated_quotient(x, y):
    if x.dtype.kind in "fc":
        return x / y
    return ((x - np.fmod(x, y)) // y).astype(x.dtype)


family("arithmetic")
op("Add", lambda x, y: x + y, broadcast(2), types=NUMBERS)
op("AddV2", lambda x, y: x + y, broadcast(2), types=NUMBERS)
op("Sub", lambda x, y: x - y, broadcast(2), types=NUMBERS)
op("Mul", lambda x, y: x * y, broadcast(2), types=REAL)
op("Mul", lambda x, y: x * y, broadcast(2, special=False), types=COMPLEX)
op("SquaredDifference", lambda x, y: (x - y) * np.conj(x - y), broadcast(2, special=False),
   types=FLOATS_AND_COMPLEX + ["int32", "int64"], tolerance={"float16": 1e-2})
op("Maximum", np.maximum, broadcast(2), types=REAL)
op("Minimum", np.minimum, broadcast(2), types=REAL)
fails("Add", "cannot be broadcast together", lambda d: [np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)])

family("division")
op("Div", truncated_quotient, dividends_and_divisors, types=NUMBERS)
op("RealDiv", lambda x, y: x / y, broadcast(2), types=FLOATS)
op("RealDiv", lambda x, y: x / y, dividends_and_divisors, types=COMPLEX)
op("FloorDiv", lambda x, y: x // y, exact_dividends_and_divisors, types=REAL)
op("FloorMod", lambda x, y: np.mod(x, y), exact_dividends_and_divisors, types=REAL)
op("Mod", lambda x, y: np.fmod(x, y), exact_dividends_and_divisors, types=REAL)
op("FloorMod", lambda x, y: np.mod(x, y), special_divisors, types=["float16", "float32", "float64"])
op("Mod", lambda x, y: np.fmod(x, y), special_divisors, types=["float16", "float32", "float64"])
op("DivNoNan", lambda x, y: np.where(y == 0, x.dtype.type(0), x / y), some_zero_divisors, types=FLOATS_AND_COMPLEX)
for name in ("Div", "FloorDiv", "FloorMod", "Mod"):
    fails(name, "integers cannot be divided by 0, at [1]", lambda d: [np.int32([1, 2]), np.int32([1, 0])])

family("power")
op("Pow", lambda x, y: x ** y, broadcast(2), types=FLOATS, tolerance=CURVED)
op("Pow", lambda x, y: x ** y, broadcast(2, low=0.5, high=3), types=COMPLEX, tolerance=CURVED)
op("Pow", lambda x, y: x ** y, broadcast(2, low=0, high=60), types=SIGNED)
fails("Pow", "integers have no negative powers, at [1,0]", lambda d: [np.int8([[1], [2]]), np.int8([[0], [-1]])])

family("comparison")
op("Equal", lambda x, y: x == y, broadcast(2, special=True), types=NUMBERS + ["bool"])
op("NotEqual", lambda x, y: x != y, broadcast(2, special=True), types=NUMBERS + ["bool"])
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
op("ReluGrad", lambda gradients, features: np.where(features > 0, gradients, gradients.dtype.type(0)), element_wise(2), types=REAL)
fails("ReluGrad", "Shapes must have the same rank, but [3] and [2,3]",
      lambda d: [np.zeros(3, np.float32), np.zeros((2, 3), np.float32)])
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
fails("ClipByValue", "clip_value_min must be a scalar or have the shape [2,3] of t, but its shape is [3]",
      lambda d: [np.zeros((2, 3), np.float32), np.zeros(3, np.float32), np.float32(1)])
fails("ClipByValue", "clip_value_max must be a scalar or have the shape [2] of t, but its shape is [1]",
      lambda d: [np.zeros(2, np.float32), np.zeros(2, np.float32), np.zeros(1, np.float32)])


def biased(d, max_rank=4, **bounds):
    """An array, the axis of its channels, and the attrs that say which it is."""
    x = d.values(d.shape(min_rank=2, max_rank=max_rank), **bounds)
    first = d.some()
    return x, 1 if first else x.ndim - 1, {"data_format": "NCHW" if first else "NHWC"}


def bias_inputs(d):
    x, axis, attrs = biased(d)
    return [x, d.values((x.shape[axis],))], attrs


def bias_gradient_inputs(d):
    x, _, attrs = biased(d, special=False)
    return [x], attrs


def add_bias(x, bias, data_format):
    return x + (bias if data_format == "NHWC" else bias.reshape([-1] + [1] * (x.ndim - 2)))


def bias_sums(x, data_format):
    moved = np.moveaxis(x, 1, -1) if data_format == "NCHW" else x
    return moved.sum(tuple(range(x.ndim - 1)), dtype=x.dtype)


family("bias")
op("BiasAdd", add_bias, bias_inputs, types=NUMBERS, cases=8)
op("BiasAddV1", lambda x, b: x + b, lambda d: [x := d.values(d.shape(min_rank=2)), d.values(x.shape[-1:])], types=NUMBERS)
op("BiasAddGrad", bias_sums, bias_gradient_inputs, types=NUMBERS, cases=8, tolerance=MANY)
for data_format, channels in (("NHWC", 4), ("NCHW", 3)):
    fails("BiasAdd", f"{channels} and 9", lambda d, f=data_format: (
        [np.zeros((2, 3, 4), np.float32), np.zeros(9, np.float32)], {"data_format": f}))
fails("BiasAdd", "must be at least rank 2 but is rank 1", lambda d: [np.zeros(3, np.float32), np.zeros(3, np.float32)])

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


def reduced(d, min_size=0, **bounds):
    """An array, some of its axes, and whether they are kept."""
    x = d.values(d.shape(min_size=min_size), **bounds)
    axes = [axis - x.ndim if d.some() else axis for axis in range(x.ndim) if d.some(0.6)]
    return [x, np.array(axes, d.choice("int32", "int64"))], {"keep_dims": d.some()}


def with_elements(d):
    """For NumPy, which refuses the largest of nothing."""
    return reduced(d, min_size=1)


def axes_of(x, axes):
    return tuple(int(axis) for axis in axes)


def integer_mean(x, axes):
    """Truncated, while NumPy gives a float."""
    count = int(np.prod([x.shape[axis] for axis in axes_of(x, axes)]))
    total = x.astype(object).sum(axis=axes_of(x, axes))
    return np.vectorize(lambda t: abs(t) // count * (1 if t >= 0 else -1), otypes=[x.dtype])(total)


def some_integers(d):
    x = d.values(d.shape(min_rank=1, min_size=1))
    return [x, np.int32([d.axis(x.ndim)])]


def norms(x, axes, keep_dims):
    """In integers, or as float64."""
    if x.dtype.kind in "iu":
        squares = np.sum(x.astype(object) ** 2, axis=axes_of(x, axes), keepdims=keep_dims)
        return np.vectorize(lambda n: math.isqrt(int(n)) % 2**64, otypes=[np.uint64])(squares).astype(x.dtype)
    parts = [part.astype(np.float64) ** 2 for part in (x.real, x.imag)]
    return np.sqrt(np.sum(parts[0] + parts[1], axis=axes_of(x, axes), keepdims=keep_dims)).astype(x.dtype)


def norm_inputs(d):
    """Of the larger integers, numbers whose norm fits their type."""
    high = {"int32": 2**26, "uint32": 2**26, "int64": 2**58, "uint64": 2**58}.get(d.type)
    bounds = {"special": False} if high is None else {"low": 0 if d.type in UNSIGNED else -high, "high": high}
    return reduced(d, **bounds)


family("norm")
op("EuclideanNorm", norms, norm_inputs, types=NUMBERS, cases=8)
op("L2Loss", lambda t: (np.sum(t.astype(np.float64) ** 2) / 2).astype(t.dtype), element_wise(special=False), types=FLOATS)
fails("EuclideanNorm", "there is no axis 2", lambda d: [np.zeros((2, 3), np.float32), np.int32([2])])


def along(d, count=1, **bounds):
    """Arrays of one shape, one of its axes, and the attrs of a scan."""
    shape = d.shape(min_rank=1)
    axis = np.array(d.axis(len(shape)), d.choice("int32", "int64"))
    arrays = [d.values(shape, **bounds) for _ in range(count)]
    return [*arrays, axis], {"exclusive": d.some(), "reverse": d.some()}


def scan(step, start):
    """Of each line along an axis; float16 is computed as float32."""
    def expected(*inputs, exclusive, reverse):
        *arrays, axis = inputs
        wide = [np.moveaxis(x.astype(np.float32) if x.dtype == np.float16 else x, axis, 0) for x in arrays]
        out = np.empty_like(wide[0])
        state = np.full(out.shape[1:], start, out.dtype)
        for i in reversed(range(len(out))) if reverse else range(len(out)):
            following = step(state, *(x[i] for x in wide))
            out[i] = state if exclusive else following
            state = following
        return np.moveaxis(out, 0, axis).astype(arrays[0].dtype)
    return expected


cumsum = scan(lambda state, x: state + x, 0)
cumprod = scan(lambda state, x: state * x, 1)
family("scan")
op("Cumsum", cumsum, along, types=[t for t in NUMBERS if t != "bfloat16"], cases=8, large=False, tolerance=EXACT)
op("Cumprod", cumprod, along, types=[t for t in REAL if t != "bfloat16"], cases=8, large=False, tolerance=EXACT)
op("Cumsum", cumsum, lambda d: along(d, low=0, high=1), types=["float32", "bfloat16", "int64", "uint8"], tolerance=MANY)
op("Cumprod", cumprod, lambda d: along(d, low=0, high=2), types=["int32", "bfloat16"], tolerance=MANY)
op("Cumprod", cumprod, lambda d: along(d, low=0.9, high=1.1), types=["float32", "complex64", "complex128"], tolerance=MANY)
op("LinearRecurrence", scan(lambda state, factor, term: state * factor + term, 0), lambda d: along(d, 2, low=-1, high=1),
   types=FLOATS_AND_COMPLEX, cases=8, tolerance=MANY)
for name in ("Cumsum", "Cumprod"):
    fails(name, "there is no axis 2 in a tensor of rank 2", lambda d: [np.zeros((2, 3), np.float32), np.int32(2)])
    fails(name, "rank 0", lambda d: [np.float32(2), np.int32(-1)])
    fails(name, "must be rank 0 but is rank 1", lambda d: [np.zeros((2, 3), np.float32), np.int32([1])])

family("reduction")
op("Sum", lambda x, axes, keep_dims: x.sum(axes_of(x, axes), keepdims=keep_dims, dtype=x.dtype),
   lambda d: reduced(d, special=False), types=NUMBERS, tolerance=MANY)
op("Prod", lambda x, axes, keep_dims: x.prod(axes_of(x, axes), keepdims=keep_dims, dtype=x.dtype),
   lambda d: reduced(d, low=0 if d.type in UNSIGNED else -1, high=1), types=NUMBERS, tolerance=MANY)
op("Mean", lambda x, axes, keep_dims: x.mean(axes_of(x, axes), keepdims=keep_dims, dtype=x.dtype),
   lambda d: reduced(d, special=False), types=["bfloat16", "float32", "float64"] + COMPLEX, tolerance=MANY)
op("Mean", integer_mean, some_integers, types=INTEGERS)
op("Max", lambda x, axes, keep_dims: x.max(axes_of(x, axes), keepdims=keep_dims), with_elements, types=REAL)
op("Min", lambda x, axes, keep_dims: x.min(axes_of(x, axes), keepdims=keep_dims), with_elements, types=REAL)
op("All", lambda x, axes, keep_dims: x.all(axes_of(x, axes), keepdims=keep_dims), reduced, types=["bool"])
op("Any", lambda x, axes, keep_dims: x.any(axes_of(x, axes), keepdims=keep_dims), reduced, types=["bool"])
for name in ("Sum", "Max", "All"):
    type_name = "bool" if name == "All" else "float32"
    fails(name, "there is no axis 2", lambda d, t=type_name: [np.zeros((2, 3), t), np.int32([2])])
    fails(name, "axis -2 is named twice", lambda d, t=type_name: [np.zeros((2, 3), t), np.int32([0, -2])])


def searched(d):
    x = d.values(d.shape(min_rank=1, min_size=1))
    return [x, np.array(d.axis(x.ndim), "int32")], {"output_type": d.choice("int32", "int64")}


def summed_back(d):
    """An array, and a shape that was broadcast to its shape."""
    x = d.values(special=False)
    sizes = [1 if d.some(0.4) else size for size in x.shape]
    return [x, np.array(sizes[d.integer(0, x.ndim):], d.choice("int32", "int64"))]


def sum_to(x, shape):
    padded = (1,) * (x.ndim - len(shape)) + tuple(shape)
    axes = tuple(i for i in range(x.ndim) if padded[i] == 1 != x.shape[i])
    return x.sum(axes, keepdims=True, dtype=x.dtype).reshape(tuple(shape))


def ones_at_axes(shape, axes):
    sizes = shape.copy()
    sizes[axes] = 1
    return sizes


def shape_and_axes(d):
    (x, axes), _ = reduced(d)
    return [np.array(x.shape, d.choice("int32", "int64")), axes]


def products_of_others(x, axes):
    """Of a vector, at each element."""
    return np.array([np.prod(np.delete(x, i)) for i in range(len(x))], x.dtype)


family("index")
op("ArgMax", lambda x, axis, output_type: x.argmax(axis).astype(output_type), searched, types=REAL)
op("ArgMin", lambda x, axis, output_type: x.argmin(axis).astype(output_type), searched, types=REAL)
fails("ArgMax", "there is no dimension 2", lambda d: [np.zeros((2, 3), np.float32), np.int32(2)])
op("SumToShape", sum_to, summed_back, types=NUMBERS, tolerance=MANY)
fails("SumToShape", "cannot be broadcast to", lambda d: [np.zeros((2, 3), np.float32), np.int32([2])])
op("ReducedShape", ones_at_axes, shape_and_axes, cases=8, large=False)
op("ProdOfOthers", products_of_others, lambda d: [d.values((d.integer(1, 9),), low=-2, high=2), np.int32([0])],
   types=FLOATS_AND_COMPLEX, tolerance=MANY, large=False)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    less = x - x.max(-1, keepdims=True)
    return less - np.log(np.exp(less).sum(-1, keepdims=True))


def logits(d):
    return [d.values(d.shape(min_rank=1, min_size=1), low=-20, high=20)]


family("softmax")
op("Softmax", softmax, logits, types=FLOATS, tolerance={"float16": 5e-3})
op("LogSoftmax", log_softmax, logits, types=FLOATS, tolerance={"float16": 1e-2, "float32": 5e-6})

"""reduce_ops.py: the NumPy expressions of the reductions, scans and biases of plugins/math_ops.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import math

from agree import *

# Sums and products of many numbers, whose order is not NumPy's.
MANY = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-5, "complex64": 2e-5, "float64": 1e-11, "complex128": 1e-11}


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
    fails("BiasAdd", f"{channels} and 9", ([np.zeros((2, 3, 4)), np.zeros(9)], {"data_format": data_format}),
          unknown=f"bias must be a vector of {channels} numbers, one for each element of dimension")
fails("BiasAdd", "must be at least rank 2 but is rank 1", [np.zeros(3), np.zeros(3)],
      unknown="value must have at least 2 dimensions, but its shape is [3]")
fails("BiasAddGrad", "must be at least rank 2 but is rank 1", [np.zeros(3)],
      unknown="out_backprop must have at least 2 dimensions, but its shape is [3]")


def reduced(d, min_size=0, **bounds):
    """An array, some of its axes, and whether they are kept."""
    x = d.values(d.shape(min_size=min_size), **bounds)
    axes = [axis - x.ndim if d.some() else axis for axis in range(x.ndim) if d.some(0.6)]
    return [x, d.integers(axes)], {"keep_dims": d.some()}


def with_elements(d):
    """For NumPy, which refuses the largest of nothing."""
    return reduced(d, min_size=1)


# GPU kernels divide these differently: long and short lines, rows of packs and of odd sizes, parts and pieces of lines.
DIVIDED = [((2, 2100), 1), ((3, 1031), 1), ((500, 3), 1), ((70, 33), 1), ((2100, 8), 0), ((2500, 7), 0), ((5, 40, 64), 1),
           ((3, 40, 61), 1), ((2, 2, 12501), (0, 2)), ((900, 3, 7), (0, 2)), ((12, 3, 50, 5), (0, 2)), ((20001,), 0)]


def divided(d):
    shape, axes = DIVIDED[d.number]
    return [d.values(shape, low=0, high=1), d.integers(axes)], {}


def divided_at_one_axis(d):
    shape, axis = DIVIDED[d.number]
    x = d.values(shape, low=0, high=100).round()
    return [x, d.integers(axis if isinstance(axis, int) else axis[0])], {}


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
fails("EuclideanNorm", "there is no axis 2", [np.zeros((2, 3), np.float32), np.int32([2])])


def along(d, count=1, **bounds):
    """Arrays of one shape, one of its axes, and the attrs of a scan."""
    shape = d.shape(min_rank=1)
    axis = d.integers(d.axis(len(shape)))
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


# GPU kernels take short and long lines, tiles of lines, rows of many columns, and parts of few lines.
SCANNED = [((5, 3), 1), ((3, 33), 1), ((40, 129), 1), ((33, 64), 1), ((2, 701), 1), ((1, 20000), 1), ((70, 9), 0), ((600, 3), 0),
           ((2, 65, 5), 1), ((40, 2, 3), 0)]


def scanned(d, count=1):
    shape, axis = SCANNED[d.number % len(SCANNED)]
    arrays = [d.values(shape, low=0, high=1) for _ in range(count)]
    return [*arrays, d.integers(axis)], {"exclusive": d.some(), "reverse": d.some()}


cumsum = scan(lambda state, x: state + x, 0)
cumprod = scan(lambda state, x: state * x, 1)
family("scan")
op("Cumsum", cumsum, along, types=[t for t in NUMBERS if t != "bfloat16"], cases=8, large=False, tolerance=EXACT)
op("Cumprod", cumprod, along, types=[t for t in REAL if t != "bfloat16"], cases=8, large=False, tolerance=EXACT)
op("Cumsum", cumsum, lambda d: along(d, low=0, high=1), types=["float32", "bfloat16", "int64", "uint8"], tolerance=MANY)
op("Cumprod", cumprod, lambda d: along(d, low=0, high=2), types=["int32", "bfloat16"], tolerance=MANY)
op("Cumprod", cumprod, lambda d: along(d, low=0.9, high=1.1), types=["float32", "complex64", "complex128"], tolerance=MANY)
op("Cumsum", cumsum, scanned, types=["uint8", "float32"], cases=2 * len(SCANNED), large=False, tolerance=MANY)
op("LinearRecurrence", scan(lambda state, factor, term: state * factor + term, 0), lambda d: scanned(d, 2),
   types=["float32"], cases=len(SCANNED), large=False, tolerance=MANY)
op("LinearRecurrence", scan(lambda state, factor, term: state * factor + term, 0), lambda d: along(d, 2, low=-1, high=1),
   types=FLOATS_AND_COMPLEX, cases=8, tolerance=MANY)
fails("LinearRecurrence", "Shapes must have the same rank, but [2,3] and [2] have 2 and 1",
      [np.zeros((2, 3), np.float32), np.zeros(2, np.float32), np.int32(-1)],
      unknown="terms must have the shape of factors, which is [2,3], but its shape is [2]")
for name in ("Cumsum", "Cumprod"):
    fails(name, "there is no axis 2 in a tensor of rank 2", [np.zeros((2, 3), np.float32), np.int32(2)])
    fails(name, "there is no axis -1 in a tensor of rank 0", [np.float32(2), np.int32(-1)],
          late="Shape must be at least rank 1 but is rank 0", unknown="there is no axis -1 in a tensor of rank 0")
    fails(name, "must be rank 0 but is rank 1", [np.zeros((2, 3), np.float32), np.int32([1])],
          unknown="axis must be a scalar, but its shape is [1]")

family("reduction")
op("Sum", lambda x, axes, keep_dims: x.sum(axes_of(x, axes), keepdims=keep_dims, dtype=x.dtype),
   lambda d: reduced(d, special=False), types=NUMBERS, tolerance=MANY)
op("Sum", lambda x, axes: x.sum(tuple(np.atleast_1d(axes)), dtype=x.dtype), divided, cases=len(DIVIDED), large=False,
   types=["uint8", "float32", "complex128"], tolerance=MANY)
op("Max", lambda x, axes: x.max(tuple(np.atleast_1d(axes))), divided, types=["bfloat16"], cases=len(DIVIDED),
   large=False)
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
    fails(name, "there is no axis 2", [np.zeros((2, 3), type_name), np.int32([2])])
    fails(name, "axis -2 is named twice", [np.zeros((2, 3), type_name), np.int32([0, -2])])


def searched(d):
    x = d.values(d.shape(min_rank=1, min_size=1))
    return [x, np.array(d.axis(x.ndim), "int32")], {"output_type": d.index_type()}


def summed_back(d):
    """An array, and a shape that was broadcast to its shape."""
    x = d.values(special=False)
    sizes = [1 if d.some(0.4) else size for size in x.shape]
    return [x, d.integers(sizes[d.integer(0, x.ndim):])]


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
    return [d.integers(x.shape), axes]


def others(x, axes, i):
    """The indices of the other factors of the product that element i belongs to."""
    reduced = {axis % x.ndim for axis in axes_of(x, axes)}
    return [j for j in np.ndindex(x.shape) if j != i and all(d in reduced or j[d] == i[d] for d in range(x.ndim))]


def products_of_others(x, axes):
    return np.reshape([np.prod([x[j] for j in others(x, axes, i)]) for i in np.ndindex(x.shape)], x.shape).astype(x.dtype)


def weighted_products_of_others(weights, x, axes):
    return np.reshape([sum(weights[k] * np.prod([x[j] for j in others(x, axes, i) if j != k]) for k in others(x, axes, i))
                       for i in np.ndindex(x.shape)], x.shape).astype(x.dtype)


def factors_and_axes(d, count=1):
    """Arrays of one shape, the last one with some zeros, and some of its axes."""
    tensors = [d.values(shape, low=-2, high=2) for shape in [d.shape(max_rank=3)] for _ in range(count)]
    rank = tensors[-1].ndim
    tensors[-1][d.random.random(tensors[-1].shape) < 0.2] = 0
    return [*tensors, d.integers([axis - rank if d.some() else axis for axis in range(rank) if d.some(0.6)])]


family("index")
op("ArgMax", lambda x, axis, output_type: x.argmax(axis).astype(output_type), searched, types=REAL)
op("ArgMin", lambda x, axis, output_type: x.argmin(axis).astype(output_type), searched, types=REAL)
for name, search in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
    op(name, search, divided_at_one_axis, types=["int8", "float32"], cases=len(DIVIDED), large=False)
fails("ArgMax", "there is no dimension 2", [np.zeros((2, 3), np.float32), np.int32(2)])
op("SumToShape", sum_to, summed_back, types=NUMBERS, tolerance=MANY)
for sizes in ([2], [1, 2, 3], [0]):
    fails("SumToShape", "cannot be broadcast to the input's shape [2,3]", [np.zeros((2, 3), np.float32), np.int32(sizes)])
op("ReducedShape", ones_at_axes, shape_and_axes, cases=8, large=False)
op("ProdOfOthers", products_of_others, factors_and_axes, types=FLOATS_AND_COMPLEX, cases=8, tolerance=MANY, large=False)
op("ProdOfOthersGrad", weighted_products_of_others, lambda d: factors_and_axes(d, 2), types=["float32", "float64"] + COMPLEX,
   cases=8, tolerance=MANY, large=False)
fails("ProdOfOthers", "there is no axis 1", [np.zeros(2, np.float32), np.int32([1])])


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    less = x - x.max(-1, keepdims=True)
    return less - np.log(np.exp(less).sum(-1, keepdims=True))


def logits(d):
    return [d.values(d.shape(min_rank=1, min_size=1), low=-20, high=20)]


family("softmax")
ROWS = [(3, 31), (40, 5), (2, 260), (2, 515), (2, 4100), (1, 16384), (2, 16385), (1, 24600)]


def rows_of_sizes(d):
    """On a GPU: rows of a warp and of a block, of whole packs or not, and longer ones, which are read twice."""
    return [d.values(ROWS[d.number], low=-20, high=20)]


op("Softmax", softmax, logits, types=FLOATS, tolerance={"float16": 5e-3})
op("Softmax", softmax, rows_of_sizes, types=["float32"], cases=len(ROWS), large=False, tolerance={"float32": 5e-6})
op("LogSoftmax", log_softmax, logits, types=FLOATS, tolerance={"float16": 1e-2, "float32": 5e-6})
op("LogSoftmax", log_softmax, rows_of_sizes, types=["float32"], cases=len(ROWS), large=False, tolerance={"float32": 5e-6})

"""small_plugins.py: the NumPy expression of each op of the plugins with a few ops each: pad, list_ops, shape_ops, cast,
zero_out and median_pool. How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from agree import *


family("borders")


def borders(d, shape, most=lambda size: 5):
    """Of each dimension; about a third of them have none."""
    rows = [(0, 0) if d.some(0.3) else (d.integer(0, most(size)), d.integer(0, most(size))) for size in shape]
    return d.integers(np.array(rows).reshape(len(shape), 2))


def pad_inputs(*constants):
    def inputs(d):
        x = d.values()
        return [x, borders(d, x.shape), *(d.values(()) for _ in constants)]
    return inputs


def padded(x, paddings, constant=None):
    if constant is None:
        constant = np.zeros((), x.dtype)
    border = np.full([size + sum(row) for size, row in zip(x.shape, paddings)], constant, np.result_type(x, constant))
    border[tuple(slice(row[0], row[0] + size) for size, row in zip(x.shape, paddings))] = x
    return border


moving("Pad", padded, pad_inputs(), cases=6)
moving("PadV2", padded, pad_inputs("constant"), cases=6)


def mirror_inputs(d):
    mode = d.choice("REFLECT", "SYMMETRIC")
    x = d.values(d.shape(min_size=1))
    return [x, borders(d, x.shape, lambda size: min(size - (mode == "REFLECT"), 5))], {"mode": mode}


def mirrored(x, paddings, mode):
    return np.pad(x, paddings.tolist(), mode=mode.lower()) if x.ndim else x


moving("MirrorPad", mirrored, mirror_inputs, cases=8)


def mirror_gradient_inputs(d):
    (x, paddings), attrs = mirror_inputs(d)
    return [d.values(mirrored(x, paddings, **attrs).shape, low=0, high=3), paddings], attrs


def mirror_gradient(gradient, paddings, mode):
    shape = [size - sum(row) for size, row in zip(gradient.shape, paddings)]
    places = mirrored(np.arange(np.prod(shape, dtype=int)).reshape(shape), paddings, mode)
    total = np.zeros(int(np.prod(shape, dtype=int)), gradient.dtype)
    np.add.at(total, places.ravel(), gradient.ravel())
    return total.reshape(shape)


op("MirrorPadGrad", mirror_gradient, mirror_gradient_inputs, types=NUMBERS, cases=6,
   tolerance={"float16": 0.02, "bfloat16": 0.1, "float32": 1e-5, "complex64": 1e-5})


family("lists")
MANY = ["float16", "float32", "int8"]  # types with more tensors than one launch on a GPU takes


def count(d, most):
    return 150 if d.number == 3 and d.type in MANY else d.integer(1, most)


def alike(d):
    """Their shape, and arrays of it."""
    shape = d.shape()
    return shape, [d.values(shape, special=False) for _ in range(count(d, 5))]


def sum_of(inputs):
    wide = np.float32 if inputs[0].dtype == np.float16 else inputs[0].dtype
    total = inputs[0].astype(wide)
    for term in inputs[1:]:
        total = total + term
    return total.astype(inputs[0].dtype)


op("AddN", sum_of, lambda d: [alike(d)[1]], types=NUMBERS, tolerance={"bfloat16": 0.05})


def pack_inputs(d):
    shape, values = alike(d)
    return [values], {"axis": d.axis(len(shape) + 1)}


moving("Pack", lambda values, axis: np.stack(values, axis), pack_inputs, types=FIXED_SIZE)


def unpack_inputs(d):
    x = d.values(d.shape(min_rank=1))
    axis = d.axis(x.ndim)
    return [x], {"axis": axis, "num": x.shape[axis]}


moving("Unpack", lambda x, axis, num: {"output": [part.squeeze(axis) for part in np.split(x, num, axis)] if num else []},
       unpack_inputs, types=FIXED_SIZE, large=False)


def split_inputs(d):
    num = count(d, 4)
    shape = list(d.shape(min_rank=1))
    axis = d.axis(len(shape))
    shape[axis] *= num
    return [np.int32(axis), d.values(shape)], {"num_split": num}


moving("Split", lambda axis, x, num_split: {"output": np.split(x, num_split, int(axis))}, split_inputs, types=FIXED_SIZE)


family("shapes")
moving("Shape", lambda x, out_type: np.array(x.shape, out_type),
       lambda d: ([d.values()], {"out_type": d.index_type()}))


def reshape_inputs(d):
    x = d.values()
    sizes = list(x.shape)
    d.random.shuffle(sizes)
    if sizes and x.size and d.some():
        sizes[d.integer(0, len(sizes) - 1)] = -1
    return [x, d.integers(sizes)]


moving("Reshape", lambda x, shape: x.reshape(shape), reshape_inputs)
moving("Fill", lambda dims, value: np.full(dims, value), lambda d: [d.integers(d.shape()), d.values(())])


family("casts")
IN_NUMPY = [t for t in FIXED_SIZE if t != "bfloat16"]  # the inputs and outputs of most ops are cast to bfloat16 and back


def cast_inputs(d):
    """Numbers that both types have, with a fraction where the first one has them."""
    to = d.choice(*IN_NUMPY)
    least = 0 if "u" in (d.type[0], to[0]) else -100
    return [d.values(low=least, high=100) if d.type != "bool" else d.values()], {"DstT": to}


op("Cast", lambda x, DstT: x.astype(DstT), cast_inputs, types=IN_NUMPY,
   cases=12, tolerance=EXACT)
op("Cast", lambda x, DstT: x.astype(DstT), lambda d: ([d.values()], {"DstT": d.choice(*INTEGERS)}), types=INTEGERS)
op("Cast", lambda x, DstT: x.astype(DstT), lambda d: ([d.values()], {"DstT": d.choice("float16", "float32", "float64")}),
   types=["float16", "float32", "float64"], cases=8, tolerance=EXACT)


family("filters")


def zero_out(x, preserve_index):
    kept = np.zeros_like(x)
    if x.size:
        kept.flat[preserve_index] = x.flat[preserve_index]
    return kept


def zero_out_inputs(d):
    x = d.values()
    return [x], {"preserve_index": d.integer(0, max(x.size - 1, 0))}


op("ZeroOut", zero_out, zero_out_inputs, types=REAL, tolerance=EXACT)


def median_inputs(d):
    ksize = [d.integer(1, 5), d.integer(1, 5)]
    padding = d.choice("SAME", "VALID")
    least = [k if padding == "VALID" else 1 for k in ksize]
    shape = [least[0] + d.integer(0, 6), least[1] + (d.integer(0, 6) if not d.large else 3000)]
    if d.some(0.7):
        shape.append(d.integer(1, 3))
        if d.some():
            shape.insert(0, d.integer(1, 3))
    return [d.values(shape)], {"ksize": ksize, "strides": [d.integer(1, 3), d.integer(1, 3)], "padding": padding}


def begins(size, window, stride, padding):
    """Where windows begin, before they are cut."""
    if padding == "VALID":
        return range(0, size - window + 1, stride)
    count = -(-size // stride)
    before = max((count - 1) * stride + window - size, 0) // 2
    return range(-before, (count - 1) * stride - before + 1, stride)


def median_pool(x, ksize, strides, padding):
    first = 1 if x.ndim == 4 else 0
    image = x.reshape((1,) * (x.ndim < 4) + x.shape + (1,) * (x.ndim == 2))
    rows, columns = (list(begins(x.shape[first + i], ksize[i], strides[i], padding)) for i in range(2))
    pooled = np.empty((image.shape[0], len(rows), len(columns), image.shape[3]), x.dtype)
    for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
        window = image[:, max(row, 0):row + ksize[0], max(column, 0):column + ksize[1], :]
        values = np.sort(window.reshape(window.shape[0], -1, window.shape[3]), axis=1)
        pooled[:, i, j, :] = np.where(np.isnan(values).any(1), np.nan, values[:, (values.shape[1] - 1) // 2, :])
    return pooled.reshape(x.shape[:first] + pooled.shape[1:3] + x.shape[first + 2:])


op("MedianPool", median_pool, median_inputs, types=["float32", "uint8"], cases=12)

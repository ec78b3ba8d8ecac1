"""small_plugins.py: the NumPy expression of each op of the plugins with a few ops each: pad, list_ops, shape_ops, cast,
zero_out, example_gpu and median_pool. How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from agree import *


MOST = 2**63 - 1

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
LONG_ROWS = {"types": ["int8", "int16", "float32", "float64", "complex128"], "cases": 17, "large": False}
moving("PadV2", padded, lambda d: [d.values((2, 3, 110 + d.number)), V([[0, 1], [1, 0], [d.number, d.integer(0, 40)]]),
                                   d.values(())], **LONG_ROWS)
moving("Pad", padded, lambda d: [d.values([1] * 8), V([[1, 1]] * 8)], types=["string"], large=False)
moving("PadV2", padded, lambda d: [d.values([1]), V([[1, 2]]), np.complex128(complex(-0.0, 4))], types=["complex128"])


def mirror_inputs(d):
    mode = d.choice("REFLECT", "SYMMETRIC")
    x = d.values(d.shape(min_size=1))
    return [x, borders(d, x.shape, lambda size: min(size - (mode == "REFLECT"), 5))], {"mode": mode}


def mirrored(x, paddings, mode):
    return np.pad(x, paddings.tolist(), mode=mode.lower()) if x.ndim else x


moving("MirrorPad", mirrored, mirror_inputs, cases=8)
moving("MirrorPad", mirrored, lambda d: ([d.values((2, 110 + d.number)), V([[0, 1], [d.number, d.integer(0, 40)]])],
                                         {"mode": d.choice("REFLECT", "SYMMETRIC")}), **LONG_ROWS)


def mirror_gradient_inputs(d):
    (x, paddings), attrs = mirror_inputs(d)
    return [d.values(mirrored(x, paddings, **attrs).shape, low=0, high=3), paddings], attrs


def mirror_gradient(gradient, paddings, mode):
    shape = [size - sum(row) for size, row in zip(gradient.shape, paddings)]
    places = mirrored(np.arange(np.prod(shape, dtype=int)).reshape(shape), paddings, mode)
    total = np.zeros(int(np.prod(shape, dtype=int)), gradient.dtype)
    np.add.at(total, places.ravel(), gradient.ravel())
    return total.reshape(shape)


# With a second message: shape functions look at all paddings before mirrors, and do not compute the bytes.
TOO_LARGE = "paddings make an output of 2^63 bytes or more: row "
for shape, paddings, message, *planned in (
        ([3], V([0, 0]), "paddings must be a matrix of 2 columns, but its shape is [2]"),
        ([3], V([[0, 0, 0]]), "paddings must be a matrix of 2 columns, but its shape is [1,3]"),
        ([3], np.int64([[0, 0], [0, 0]]), "for each of the input's 1 dimensions, but its shape is [2,2]"),
        ([3], np.int64([[-7, 0]]), "paddings must not be negative, but row 0 is [-7, 0]"),
        ([3], np.int64([[MOST, 1]]), TOO_LARGE + f"0 is [{MOST}, 1]", "row 0 of paddings is too large"),
        ([3], np.int64([[MOST, MOST]]), TOO_LARGE, "row 0 of paddings is too large"),
        ([0], np.int64([[MOST, 0]]), TOO_LARGE, ""),
        ([1, 1], np.int64([[2**30, 0], [2**40, 0]]), TOO_LARGE + f"1 is [{2**40}, 0]", ""),
        ([1, 0], np.int64([[2**62, 0], [0, 0]]), TOO_LARGE, "")):
    fails("Pad", [message, *planned][-1], [np.zeros(shape, V), paddings], late=message)
for mode, shape, paddings, message, *planned in (
        ("REFLECT", [0, 1], V([[0, 0]]), "for each of the input's 2 dimensions, but its shape is [1,2]"),
        ("REFLECT", [0], V([[0, 0]]), "REFLECT needs an element to reflect at, but dimension 0 of input has none"),
        ("REFLECT", [2], V([[2, 0]]), "REFLECT allows borders of at most 1 for dimension 0 of input, which has size 2"),
        ("REFLECT", [2], np.int64([[1, MOST]]), f"row 0 of paddings is [1, {MOST}]", "row 0 of paddings is too large"),
        ("SYMMETRIC", [1, 2], V([[1, 1], [0, 3]]), "SYMMETRIC allows borders of at most 2 for dimension 1"),
        ("REFLECT", [2, 2], V([[-1, 0], [5, 0]]), "paddings must not be negative, but row 0 is [-1, 0]"),
        ("REFLECT", [0, 2], V([[0, 0], [-1, 0]]), "REFLECT needs an element", "negative, but row 1 is [-1, 0]")):
    fails("MirrorPad", [message, *planned][-1], ([np.zeros(shape, V), paddings], {"mode": mode}), late=message)
op("MirrorPadGrad", mirror_gradient, mirror_gradient_inputs, types=NUMBERS, cases=6,
   tolerance={"float16": 0.02, "bfloat16": 0.1, "float32": 1e-5, "complex64": 1e-5})


family("lists")
MANY = ["float16", "float32", "int8"]  # types with more tensors than one launch on a GPU takes


def count(d, most):
    return 300 if d.number == 3 and d.type in MANY else d.integer(1, most)


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
op("AddN", sum_of, lambda d: [[np.float16([n]) for n in (2048, 1, 1)]], cases=1, large=False, tolerance=EXACT)
fails("AddN", "all inputs must have the same shape, but tensor 0 is [2] and tensor 1 is [3]",
      [[np.zeros(2), np.zeros(3)]])


def pack_inputs(d):
    shape, values = alike(d)
    return [values], {"axis": d.axis(len(shape) + 1)}


moving("Pack", lambda values, axis: np.stack(values, axis), pack_inputs, types=ALL_TYPES + FLOAT8)
fails("Pack", "all values must have the same shape, but tensor 0 is [] and tensor 1 is [1]",
      [[np.zeros(()), np.zeros(1)]])
fails("Pack", "axis is 1, but must be between -1 and 0, since the output has rank 1", ([[np.float32(1)]], {"axis": 1}))


def unpack_inputs(d):
    x = d.values(d.shape(min_rank=1))
    axis = d.axis(x.ndim)
    return [x], {"axis": axis, "num": x.shape[axis]}


moving("Unpack", lambda x, axis, num: {"output": [part.squeeze(axis) for part in np.split(x, num, axis)] if num else []},
       unpack_inputs, types=FIXED_SIZE, large=False)
fails("Unpack", "num is 2, but must be the size of dimension 0 of value, whose shape is [3,1]",
      ([np.zeros((3, 1))], {"num": 2}))
fails("Unpack", "axis is -2, but must be between -1 and 0, since value has rank 1",
      ([np.zeros(3)], {"num": 3, "axis": -2}))
fails("Unpack", "axis is 0, but value is a scalar", ([np.float32(1)], {"num": 1}))


def split_inputs(d):
    num = count(d, 4)
    shape = list(d.shape(min_rank=1))
    axis = d.axis(len(shape))
    shape[axis] *= num
    return [np.int32(axis), d.values(shape)], {"num_split": num}


moving("Split", lambda axis, x, num_split: {"output": np.split(x, num_split, int(axis))}, split_inputs, types=FIXED_SIZE)
fails("Split", "num_split is 3, but must divide dimension 0 of value, whose shape is [4,2]",
      ([V(0), np.zeros((4, 2))], {"num_split": 3}))
fails("Split", "split_dim is 2, but must be between -2 and 1, since value has rank 2",
      ([V(2), np.zeros((4, 2))], {"num_split": 2}))
fails("Split", "split_dim must be a scalar, but its shape is [1]", ([V([0]), np.zeros(1)], {"num_split": 1}))


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
fails("Reshape", "only one size may be -1, but the shape is [-1,-1]", [np.zeros(4), V([-1, -1])])
fails("Reshape", "a tensor of 4 elements cannot have the shape [3,?]", [np.zeros(4), V([3, -1])],
      late="a tensor of 4 elements cannot have the shape [3,-1]")
moving("Reshape", lambda x, shape: x.reshape(shape), lambda d: [d.values((4, 0)), V([-1, 3])], cases=1, large=False)
fails("Reshape", "Dimension 0 has size -2, below -1", [np.zeros(4), V([-2, 3])], late="0 has size -2, below 0")
fails("Fill", "Shape must be rank 1 but is rank 2: [1,2]", [V([[2, 3]]), np.float32(0.5)],
      unknown="dims must be a vector, but its shape is [1,2]")
fails("Fill", "value must be a scalar, but its shape is [2,3]", [V([4]), np.zeros((2, 3), "float32")])
fails("Fill", "a size must be 0 or more, but one is -1", [V([-1]), np.float32(0.5)])
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
op("Cast", lambda x, DstT: x.astype(DstT), lambda d: ([np.arange(100_003, dtype="float32")], {"DstT": "int64"}), cases=1)
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
op("Example", lambda x: x + x, element_wise(), types=NUMBERS, tolerance=EXACT)
op("Example", lambda x: x + x, lambda d: [d.values((100_000,))], types=["int32"], cases=1, large=False)


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
for shape in ((0, 5, 5, 1), (1, 0, 5, 1), (1, 5, 5, 0)):
    op("MedianPool", lambda x: x, lambda d, s=shape: ([np.zeros(s, "float32")], {"ksize": [3, 3]}), cases=1, attrs=[])
fails("MedianPool", "a window of height 9 does not fit into an input of height 1; padding SAME cuts windows at the",
      ([np.zeros((1, 3), "float32")], {"ksize": [9, 9], "padding": "VALID"}))
fails("MedianPool", "input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a batch before)",
      ([np.zeros(2, "float32")], {"ksize": [3, 3]}))
for attrs, message in (({"ksize": [3, 3, 1]}, "ksize must be two numbers, [height, width], but there are 3"),
                       ({"ksize": [0, 3]}, "the height of ksize must be between 1 and 1073741824, but is 0"),
                       ({"ksize": [3, 3], "strides": [1, -1]}, "the width of strides must be between 1 and 1073741824"),
                       ({"ksize": [3]}, "attr 'ksize' is [3], but op 'MedianPool' requires a length of at least 2")):
    fails("MedianPool", message, ([np.zeros((2, 3), "float32")], attrs))

"""array_ops.py: the NumPy expression of each op of plugins/array_ops. How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from agree import *

FLOAT8 = ["float8_e5m2", "float8_e4m3fn"]


def moving(name, expected, inputs, types=ALL_TYPES, **more):
    """An op that only moves elements."""
    op(name, expected, inputs, types=types, tolerance=EXACT, **more)


def index_type(d):
    return d.choice("int32", "int64")


def integers(d, values):
    return np.array(values, index_type(d))


family("simple")
moving("Identity", lambda x: x, element_wise())
moving("StopGradient", lambda x: x, element_wise())
moving("ZerosLike", lambda x: np.zeros_like(x), element_wise())
moving("OnesLike", lambda x: np.ones_like(x), element_wise(), types=FIXED_SIZE + FLOAT8)
moving("Size", lambda x, out_type: np.array(x.size, out_type), lambda d: ([d.values()], {"out_type": index_type(d)}))
moving("Rank", lambda x: np.array(x.ndim, np.int32), element_wise(), cases=3)


def range_inputs(d):
    low, high = d.integer(-20, 20), d.integer(-20, 20)
    if d.large:
        low, high = 0, LARGE
    delta = d.integer(1, 5) * (1 if high >= low else -1)
    if d.type.startswith("int"):
        return [np.array(n, d.type) for n in (low, high, delta)]
    return [d.values((), low=n / 4, high=n / 4) for n in (low, high, delta)]


op("Range", lambda start, limit, delta: np.arange(start, limit, delta).astype(start.dtype), range_inputs,
   types=["int32", "int64", "float32", "float64"])
op("Range", lambda start, limit, delta: np.array(range(start, limit, delta)),
   lambda d: [np.array(n, "int64") for n in (-2**63, 2**63 - 1, 2**62 - 1)], types=["int64"], cases=1, large=False)
for delta in (0, -1):
    fails("Range", "delta", lambda d, delta=delta: [np.int32(0), np.int32(3), np.int32(delta)])
fails("Range", "must be finite", lambda d: [np.float32(0), np.float32(np.inf), np.float32(1)])
fails("Range", "too many numbers", lambda d: [np.int64(-2**63), np.int64(2**63 - 1), np.int64(1)])


def one_hot_inputs(d):
    indices = d.random.integers(-1 if d.some() else 0, 6, d.shape()).astype(d.choice("uint8", "int8", "int32", "int64"))
    axis = d.integer(-1, indices.ndim)
    depth = 3 if d.large else d.integer(0, 6)
    return [indices, np.int32(depth), d.values(()), d.values(())], {"axis": axis}


def one_hot(indices, depth, on, off, axis):
    axis = indices.ndim if axis == -1 else axis
    places = np.arange(depth).reshape([-1] + [1] * (indices.ndim - axis))
    return np.where(np.expand_dims(indices, axis) == places, on, off)


moving("OneHot", one_hot, one_hot_inputs, types=ALL_TYPES + FLOAT8)
fails("OneHot", "axis is 2, but must be between -1 and 1",
      lambda d: ([np.zeros(3, np.int32), np.int32(2), np.int8(1), np.int8(0)], {"axis": 2}))
fails("OneHot", "depth is -1", lambda d: [np.zeros(3, np.int32), np.int32(-1), np.int8(1), np.int8(0)])


def expand_inputs(d):
    x = d.values()
    return [x, integers(d, d.axis(x.ndim + 1))]


def squeeze_inputs(d):
    shape = list(d.shape(max_rank=3))
    ones = d.integer(0, 3)
    for _ in range(ones):
        shape.insert(d.integer(0, len(shape)), 1)
    axes = [int(i) for i, size in enumerate(shape) if size == 1 and d.some()]
    return [d.values(shape)], {"squeeze_dims": [i - len(shape) if d.some() else i for i in axes]}


moving("ExpandDims", lambda x, dim: np.expand_dims(x, int(dim)), expand_inputs)
moving("Squeeze", lambda x, squeeze_dims: x.squeeze(tuple(squeeze_dims) or None), squeeze_inputs)
fails("ExpandDims", "dim is 3, but must be between -3 and 2", lambda d: [np.zeros((2, 2)), np.int32(3)])
fails("Squeeze", "dimension 1 of input has size 2", lambda d: ([np.zeros((1, 2))], {"squeeze_dims": [-1]}))

family("parts")


def slice_inputs(d):
    x = d.values()
    begin = [d.integer(0, size) for size in x.shape]
    size = [d.integer(0, size - b) if d.some(0.7) else -1 for b, size in zip(begin, x.shape)]
    dtype = index_type(d)
    return [x, np.array(begin, dtype), np.array(size, dtype)]


def part(x, begin, size):
    return x[tuple(slice(b, None if s < 0 else b + s) for b, s in zip(begin, size))]


moving("Slice", part, slice_inputs)
fails("Slice", "begin[1] is 3", lambda d: [np.zeros((2, 2)), np.int32([0, 3]), np.int32([1, 0])])
fails("Slice", "size[0] is 2", lambda d: [np.zeros((2, 2)), np.int32([1, 0]), np.int32([2, 1])])
fails("Slice", "size[0] is -2", lambda d: [np.zeros((2, 2)), np.int32([1, 0]), np.int32([-2, 1])])
fails("Slice", "begin[0] is", lambda d: [np.zeros(2), np.int64([2**63 - 1]), np.int64([2**63 - 1])])
fails("Slice", "size[0] is", lambda d: [np.zeros(2), np.int64([1]), np.int64([2**63 - 1])])
fails("Slice", "begin", lambda d: [np.zeros((2, 2)), np.int32([1]), np.int32([1])])


def strided_entries(d, shape):
    """Python's index of an array of that shape, and the same as vectors and masks."""
    names = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]
    masks, index, vectors = dict.fromkeys(names, 0), [], []
    described = d.integer(0, len(shape)) if d.some() else len(shape)
    ellipsis = d.integer(0, described) if d.some(0.4) else -1
    dims = list(range(described)) if ellipsis < 0 else [*range(ellipsis), -1, *range(ellipsis - described, 0)]
    for i in dims:
        while d.some(0.15):
            masks["new_axis_mask"] |= 1 << len(vectors)
            index.append(None)
            vectors.append([d.integer(-9, 9), d.integer(-9, 9), d.integer(-9, 9)])
        add_strided(d, i, ellipsis, shape, masks, index, vectors)
    return tuple(index), np.array(vectors, np.int64).reshape(-1, 3), masks


def add_strided(d, i, ellipsis, shape, masks, index, vectors):
    bit = 1 << len(vectors)
    if i == -1 and ellipsis >= 0 and Ellipsis not in index:
        masks["ellipsis_mask"] |= bit
        index.append(Ellipsis)
        vectors.append([0, 0, 1])
    elif shape[i] and d.some(0.2):
        masks["shrink_axis_mask"] |= bit
        at = d.axis(shape[i])
        index.append(at)
        vectors.append([at, d.integer(-9, 9), d.integer(1, 3)])
    else:
        begin, end, stride = d.integer(-6, 6), d.integer(-6, 6), d.choice(-9, -3, -2, -1, 1, 1, 1, 2, 3, 2**40)
        masks["begin_mask"] |= bit if d.some(0.3) else 0
        masks["end_mask"] |= bit if d.some(0.3) else 0
        index.append(slice(begin, end, stride))
        vectors.append([begin, end, stride])


def strided_inputs(d):
    x = d.values()
    _, vectors, masks = strided_entries(d, x.shape)
    dtype = "int64" if np.abs(vectors).max(initial=0) > 2**31 else index_type(d)
    return [x, *vectors.T.astype(dtype)], masks


def strided_index(rank, begin, end, strides, masks):
    """The index that Python's syntax makes of the vectors."""
    index = []
    for i, (b, e, s) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        has = {name: value >> i & 1 for name, value in masks.items()}
        part = slice(None if has["begin_mask"] else b, None if has["end_mask"] else e, s)
        special = {"ellipsis_mask": Ellipsis, "new_axis_mask": None, "shrink_axis_mask": b}
        index.append(next((special[name] for name in special if has[name]), part))
    return tuple(index)


def strided_gradient_inputs(d):
    (x, *vectors), masks = strided_inputs(d)
    shape = np.array(x.shape, vectors[0].dtype)
    return [shape, *vectors, d.values(x[strided_index(x.ndim, *vectors, masks)].shape)], masks


def strided_gradient(shape, begin, end, strides, dy, **masks):
    whole = np.zeros(shape, dy.dtype)
    whole[strided_index(len(shape), begin, end, strides, masks)] = dy
    return whole


moving("StridedSlice", lambda x, b, e, s, **masks: x[strided_index(x.ndim, b, e, s, masks)], strided_inputs)
moving("StridedSlice", lambda x, b, e, s, **masks: x[strided_index(x.ndim, b, e, s, masks)], strided_inputs,
       types=["int8", "float64"], cases=60)
moving("StridedSliceGrad", strided_gradient, strided_gradient_inputs, cases=6, types=ALL_TYPES + FLOAT8)
V = np.int32
fails("StridedSlice", "strides[0] is 0", lambda d: [np.zeros(2), V([0]), V([1]), V([0])])
fails("StridedSlice", "begin[0] is -3, but must be between -2 and 1",
      lambda d: ([np.zeros(2), V([-3]), V([1]), V([1])], {"shrink_axis_mask": 1}))
fails("StridedSlice", "must be positive", lambda d: ([np.zeros(2), V([0]), V([1]), V([-1])], {"shrink_axis_mask": 1}))
fails("StridedSlice", "entries for 2 dimensions", lambda d: [np.zeros(2), V([0, 0]), V([1, 1]), V([1, 1])])
fails("StridedSlice", "ellipsis_mask is 3",
      lambda d: ([np.zeros(2), V([0, 0]), V([1, 1]), V([1, 1])], {"ellipsis_mask": 3}))
fails("StridedSliceGrad", "dy must have the shape", lambda d: [V([3]), V([0]), V([2]), V([1]), np.zeros(3)])


def concat_inputs(d):
    shape = d.shape(min_rank=1)
    axis = d.axis(len(shape))
    values = []
    for _ in range(d.integer(2, 4)):
        size = list(shape)
        size[axis] = size[axis] if d.large else d.integer(0, 4)
        values.append(d.values(size))
    return axis, values


def concat_v1_inputs(d):
    axis, values = concat_inputs(d)
    return [np.int32(axis), values]


def concat_v2_inputs(d):
    axis, values = concat_inputs(d)
    return [values, integers(d, axis)]


moving("Concat", lambda axis, values: np.concatenate(values, axis), concat_v1_inputs)
moving("ConcatV2", lambda values, axis: np.concatenate(values, axis), concat_v2_inputs)


def concat_offset(axis, shapes):
    offsets = np.zeros_like(shapes)
    offsets[1:, axis] = np.cumsum([shape[axis] for shape in shapes[:-1]])
    return {"offset": list(offsets)}


def concat_offset_inputs(d):
    axis, values = concat_inputs(d)
    return [np.int32(axis), [np.array(v.shape, "int32") for v in values]]


op("ConcatOffset", concat_offset, concat_offset_inputs, large=False)
fails("ConcatV2", "axis", lambda d: [[np.zeros(2), np.zeros(2)], np.int32(1)])
fails("ConcatV2", "", lambda d: [[np.zeros((2, 2)), np.zeros((3, 2))], np.int32(1)])
fails("ConcatV2", "", lambda d: [[np.zeros((2, 2)), np.zeros((2))], np.int32(0)])
fails("ConcatOffset", "concat_dim is 2", lambda d: [np.int32(2), [V([1, 2]), V([1, 2])]])
fails("ConcatOffset", "differ outside", lambda d: [np.int32(0), [V([1, 2]), V([1, 3])]])

family("order")


def transpose_inputs(d):
    x = d.values()
    return [x, integers(d, d.permutation(x.ndim))]


def wide_transpose_inputs(d):
    rank = 6
    x = d.values([d.integer(1, 5) for _ in range(rank)])
    return [x, integers(d, d.permutation(rank))]


def inverse(x):
    y = np.empty_like(x)
    y[x] = np.arange(len(x))
    return y


moving("Transpose", lambda x, perm: x.transpose(perm), transpose_inputs, cases=6, types=ALL_TYPES + FLOAT8)
moving("Transpose", lambda x, perm: x.transpose(perm), wide_transpose_inputs,
       types=["int8", "float32", "string"])
for sizes in ((67, 129), (3, 300, 40), (40, 300, 3), (130, 5, 31)):
    moving("Transpose", lambda x, perm: x.transpose(perm),
           lambda d, s=sizes: [d.values(s), integers(d, d.permutation(len(s)))],
           types=["int16", "complex128"], large=False)
fails("Transpose", "perm[1] is 2", lambda d: [np.zeros((2, 2)), V([0, 2])])
fails("Transpose", "perm has 0 twice", lambda d: [np.zeros((2, 2)), V([0, 0])])
fails("Transpose", "perm has 1 elements, but x has rank 2", lambda d: [np.zeros((2, 2)), V([0])])
op("InvertPermutation", inverse, lambda d: [np.array(d.permutation(d.integer(0, 9)), d.type)], types=["int32", "int64"])
fails("InvertPermutation", "x[0] is 2", lambda d: [V([2, 0])])
fails("InvertPermutation", "x[0] is -1", lambda d: [V([-1, 0])])


def reverse_inputs(d):
    x = d.values()
    return [x, np.array([d.some() for _ in x.shape], bool)]


def reverse_v2_inputs(d):
    x = d.values()
    return [x, integers(d, [i - x.ndim if d.some() else i for i in range(x.ndim) if d.some()])]


moving("Reverse", lambda x, dims: np.flip(x, tuple(np.flatnonzero(dims))), reverse_inputs, types=ALL_TYPES + FLOAT8)
moving("ReverseV2", lambda x, axis: np.flip(x, tuple(axis)), reverse_v2_inputs, types=ALL_TYPES + FLOAT8)
fails("Reverse", "dims has 2 elements", lambda d: [np.zeros(2), np.zeros(2, bool)])
fails("ReverseV2", "axis is 1, but must be between -1 and 0", lambda d: [np.zeros(2), V([1])])
fails("ReverseV2", "named twice", lambda d: [np.zeros((2, 2)), V([1, -1])])


def tile_inputs(d):
    x = d.values()
    return [x, integers(d, [d.integer(0 if d.number == 1 else 1, 3) for _ in x.shape])]


def broadcast_to_inputs(d):
    shape = d.shape()
    sizes = [1 if d.some(0.4) else size for size in shape]
    return [d.values(sizes[d.integer(0, len(sizes)):]), integers(d, shape)]


moving("Tile", lambda x, multiples: np.tile(x, multiples), tile_inputs)
moving("BroadcastTo", lambda x, shape: np.broadcast_to(x, shape), broadcast_to_inputs)
fails("Tile", "multiples[0] is -1", lambda d: [np.zeros(2), V([-1])])
fails("Tile", "multiples has 2 elements", lambda d: [np.zeros(2), V([1, 1])])
fails("Tile", "", lambda d: [np.zeros(4), np.int64([2**62])])
fails("BroadcastTo", "cannot be broadcast to [3]", lambda d: [np.zeros(2), V([3])])
fails("BroadcastTo", "input has shape [1,2], which cannot be broadcast to", lambda d: [np.zeros((1, 2)), V([2])])

family("space_to_batch")


def places(block):
    """Each place inside of a block, as the index of all elements at that place."""
    for at in itertools.product(*map(range, block)):
        yield (slice(None), *(slice(first, None, size) for first, size in zip(at, block)))


def inside(borders, shape):
    return (slice(None), *(slice(first, size - last) for (first, last), size in zip(borders, shape[1:])))


def space_to_batch(x, block, paddings):
    sizes = [x.shape[0], *(size + sum(row) for size, row in zip(x.shape[1:], paddings))]
    space = np.zeros((*sizes, *x.shape[len(sizes):]), x.dtype)
    space[inside(paddings, space.shape)] = x
    return np.concatenate([space[place] for place in places(block)])


def batch_to_space(x, block, crops):
    parts = np.split(x, np.prod(block, dtype=int))
    sizes = [len(parts[0]), *(size * n for size, n in zip(x.shape[1:], block))]
    space = np.empty((*sizes, *x.shape[len(sizes):]), x.dtype)
    for place, part in zip(places(block), parts):
        space[place] = part
    return space[inside(crops, space.shape)]


def blocks(d, rank):
    return [d.choice(1, 2, 3) for _ in range(d.integer(0, rank - 1))]


def space_inputs(d):
    """Paddings that make each size a multiple of the block's."""
    x = d.values(d.shape(min_rank=1, max_rank=5))
    block = blocks(d, x.ndim)
    paddings = []
    for size, n in zip(x.shape[1:], block):
        before = d.integer(0, 4) if d.some() else 0
        paddings.append((before, -(size + before) % n + n * d.integer(0, 1)))
    return [x, integers(d, block), integers(d, np.array(paddings).reshape(-1, 2))]


def batch_inputs(d):
    shape = d.shape(min_rank=1, max_rank=5)
    block = blocks(d, len(shape))
    x = d.values((shape[0] * int(np.prod(block)), *shape[1:]))
    crops = []
    for size, n in zip(x.shape[1:], block):
        before = d.integer(0, size * n) if d.some() else 0
        crops.append((before, d.integer(0, size * n - before) if d.some() else 0))
    return [x, integers(d, block), integers(d, np.array(crops).reshape(-1, 2))]


moving("SpaceToBatchND", space_to_batch, space_inputs, types=ALL_TYPES + FLOAT8, cases=8)
moving("BatchToSpaceND", batch_to_space, batch_inputs, types=ALL_TYPES + FLOAT8, cases=8)
for name, borders in (("SpaceToBatchND", "paddings"), ("BatchToSpaceND", "crops")):
    fails(name, "block_shape[1] is 0, but must be 1 or more",
          lambda d: [np.zeros((4, 2, 2)), V([2, 0]), np.zeros((2, 2), "int32")])
    fails(name, f"{borders} must not be negative, but row 1 is [0, -1]",
          lambda d: [np.zeros((4, 2, 2)), V([2, 1]), np.int64([[0, 0], [0, -1]])])
    fails(name, f"{borders} must be a matrix of 2 columns, but its shape is [2]",
          lambda d: [np.zeros((4, 2, 2)), V([2, 1]), np.int32([0, 0])])
    fails(name, f"{borders} must have a row for each element of block_shape, but has 1 for 2",
          lambda d: [np.zeros((4, 2, 2)), V([2, 1]), np.int32([[0, 0]])])
    fails(name, "one for each of the 2 elements of block_shape, but has rank 2",
          lambda d: [np.zeros((4, 2)), V([2, 1]), np.zeros((2, 2), "int32")])
    fails(name, "block_shape makes a dimension of more elements than int64 can hold",
          lambda d: [np.zeros((4, 2, 2)), np.int64([2**62, 4]), np.zeros((2, 2), "int32")])
fails("SpaceToBatchND", "dimension 2 has 3 elements with its paddings, which is not a multiple of block_shape[1], 2",
      lambda d: [np.zeros((1, 2, 2)), V([2, 2]), np.int32([[0, 0], [1, 0]])])
fails("SpaceToBatchND", "row 0 of paddings makes dimension 1 larger than int64 can hold",
      lambda d: [np.zeros((1, 2)), V([2]), np.int64([[2**63 - 1, 1]])])
fails("BatchToSpaceND", "dimension 0, has 4 elements, which is not a multiple of the product of block_shape, 6",
      lambda d: [np.zeros((4, 2, 2)), V([3, 2]), np.zeros((2, 2), "int32")])
fails("BatchToSpaceND", "row 0 of crops is [2, 3], but dimension 1 has only 4 elements",
      lambda d: [np.zeros((4, 2, 2)), V([2, 2]), np.int32([[2, 3], [0, 0]])])

family("indices")


def gather_inputs(d):
    params = d.values(d.shape(min_rank=1, max_rank=3, min_size=1))
    return [params, d.indices(params.shape[0], d.shape(max_rank=3, large=False), index_type(d))]


def gather_v2_inputs(d):
    params = d.values(d.shape(min_rank=1, max_rank=3, min_size=1))
    axis = d.integer(0, params.ndim - 1)
    batch = d.integer(0, axis)
    shape = (*params.shape[:batch], *d.shape(max_rank=2, large=False))
    indices = d.indices(params.shape[axis], shape, index_type(d))
    attrs = {"batch_dims": batch - indices.ndim if batch < indices.ndim and d.some() else batch}
    return [params, indices, integers(d, axis - params.ndim if d.some() else axis)], attrs


def gather(params, indices, axis, batch_dims):
    batch = batch_dims % indices.ndim if batch_dims < 0 else batch_dims
    if batch == 0:
        return np.take(params, indices, int(axis))
    axis = int(axis) % params.ndim
    shape = params.shape[:axis] + indices.shape[batch:] + params.shape[axis + 1:]
    parts = [gather(p, i, axis - 1, batch - 1) for p, i in zip(params, indices)]
    return np.stack(parts) if parts else np.zeros(shape, params.dtype)


def gather_gradient(shape, indices, grad, axis, batch_dims):
    params = np.arange(np.prod(shape)).reshape(shape)
    result = np.zeros(int(np.prod(shape)), grad.dtype)
    np.add.at(result, gather(params, indices, axis, batch_dims).ravel(), grad.ravel())
    return result.reshape(shape)


def gather_gradient_inputs(d):
    (params, indices, axis), attrs = gather_v2_inputs(d)
    grad = d.values(gather(params, indices, axis, **attrs).shape, low=-3 if d.type[0] != "u" else 0, high=3)
    return [np.array(params.shape, indices.dtype), indices, grad, axis], attrs


moving("Gather", lambda params, indices: params[indices], gather_inputs)
moving("GatherV2", gather, gather_v2_inputs, cases=6)
op("GatherV2Grad", gather_gradient, gather_gradient_inputs, types=NUMBERS, large=False,
   tolerance={"float16": 0.05, "bfloat16": 0.3})
fails("Gather", "indices[1] is 3, but must be between 0 and 2", lambda d: [np.zeros(3), V([0, 3])])
fails("Gather", "indices is -1", lambda d: [np.zeros(3), V(-1)])
fails("Gather", "has no elements", lambda d: [np.zeros((0, 2)), V([0])])
fails("GatherV2", "indices[0,1] is 9", lambda d: [np.zeros((4, 3)), V([[0, 9]]), V(1)])
fails("GatherV2", "axis is 2", lambda d: [np.zeros((4, 3)), V([0]), V(2)])
fails("GatherV2", "batch_dims is 2", lambda d: ([np.zeros((4, 3)), V([0]), V(1)], {"batch_dims": 2}))
fails("GatherV2", "same batch dimensions", lambda d: ([np.zeros((4, 3)), V([0]), V(1)], {"batch_dims": 1}))


def nd_inputs(d):
    params = d.values(d.shape(max_rank=4, min_size=1))
    depth = d.integer(0, params.ndim)
    batch = d.shape(max_rank=2, large=False)
    columns = [d.indices(size, batch, index_type(d)) for size in params.shape[:depth]]
    return params, np.stack(columns, -1) if columns else np.zeros((*batch, 0), "int32")


def gather_nd(params, indices):
    if indices.shape[-1] == 0:
        return np.broadcast_to(params, indices.shape[:-1] + params.shape)
    return params[tuple(np.moveaxis(indices, -1, 0))]


def scatter_nd(indices, updates, shape):
    result = np.zeros(shape, updates.dtype)
    if indices.shape[-1] == 0:
        return updates.reshape(-1, *shape).sum(0, dtype=updates.dtype)
    np.add.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    return result


def scatter_nd_inputs(d):
    params, indices = nd_inputs(d)
    bounds = {"low": 0 if d.type[0] == "u" else -3, "high": 3}
    return [indices, d.values(gather_nd(params, indices).shape, **bounds), np.array(params.shape, indices.dtype)]


moving("GatherNd", gather_nd, lambda d: list(nd_inputs(d)))
op("ScatterNd", scatter_nd, scatter_nd_inputs, types=NUMBERS, large=False, tolerance={"float16": 0.05, "bfloat16": 0.3})
fails("GatherNd", "indices[1,0] is 5, but must be between 0 and 1", lambda d: [np.zeros((2, 3)), V([[0, 0], [5, 0]])])
fails("GatherNd", "", lambda d: [np.zeros(3), V([[0, 0]])])
fails("ScatterNd", "indices[0,1] is -1", lambda d: [V([[0, -1]]), np.ones(1), V([2, 3])])
fails("ScatterNd", "updates must have the shape [2]", lambda d: [V([[0], [1]]), np.ones(3), V([4])])
fails("ScatterNd", "shape", lambda d: [V([[0]]), np.ones(1), V([-4])])


def dense_inputs(d):
    shape = d.shape(min_rank=1, max_rank=3, min_size=1)
    size = int(np.prod(shape))
    flat = np.sort(d.random.permutation(size)[:d.integer(0, min(size, 5))])
    indices = np.stack(np.unravel_index(flat, shape), -1).astype(index_type(d))
    if len(shape) == 1 and d.some():
        indices = indices[:, 0]
    values = d.values(() if d.some(0.3) else (len(flat),))
    return [indices, np.array(shape, indices.dtype), values, d.values(())]


def dense(indices, shape, values, default):
    result = np.full(shape, default, values.dtype if values.dtype.kind != "U" else "U60")
    result[tuple(np.moveaxis(indices.reshape(len(indices), len(shape)), -1, 0))] = values
    return result


moving("SparseToDense", dense, dense_inputs)
fails("SparseToDense", "is the same as", lambda d: [V([1, 1]), V([3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "comes before", lambda d: [V([[1, 0], [0, 1]]), V([3, 3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "sparse_indices[1] is 3", lambda d: [V([1, 3]), V([3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "sparse_values must be", lambda d: [V([1, 2]), V([3]), np.zeros(3), np.float64(0)])

op("Where", lambda x: np.argwhere(x), element_wise(), types=FIXED_SIZE)
op("Where", lambda x: np.argwhere(x), lambda d: [d.random.random((50, 7)) < d.choice(0, 0.1, 0.9, 1)], types=["bool"])


def unique(x):
    values, first, numbers = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    return {"y": values[order], "idx": np.argsort(order)[numbers].astype("int32")}


def unique_inputs(d):
    return [d.values(d.shape(min_rank=1, max_rank=1) if d.large else (d.integer(0, 40),), special=False)]


op("Unique", unique, unique_inputs, types=REAL + ["bool", "string"])
fails("Unique", "x must be a vector", lambda d: [np.zeros((2, 2))])

"""part_ops.py: the NumPy expressions of the ops of plugins/array_ops that read or write parts of arrays.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

from agree import *

family("parts")


def slice_inputs(d):
    x = d.values()
    begin = [d.integer(0, size) for size in x.shape]
    size = [d.integer(0, size - b) if d.some(0.7) else -1 for b, size in zip(begin, x.shape)]
    dtype = d.index_type()
    return [x, np.array(begin, dtype), np.array(size, dtype)]


def part(x, begin, size):
    return x[tuple(slice(b, None if s < 0 else b + s) for b, s in zip(begin, size))]


moving("Slice", part, slice_inputs)
# Rows with and without 256 bytes, which begin at any place in 16 bytes and end at any.
LONG_ROWS = {"types": ["int8", "int16", "float32", "float64"], "cases": 17, "large": False}
moving("Slice", part, lambda d: [d.values((3, 301)), V([1, d.number]), V([2, d.integer(250, 284)])], **LONG_ROWS)
fails("Slice", "begin[1] is 3", [np.zeros((2, 2)), np.int32([0, 3]), np.int32([1, 0])])
fails("Slice", "size[0] is 2", [np.zeros((2, 2)), np.int32([1, 0]), np.int32([2, 1])])
fails("Slice", "size[0] is -2", [np.zeros((2, 2)), np.int32([1, 0]), np.int32([-2, 1])])
fails("Slice", "begin[0] is", [np.zeros(2), np.int64([2**63 - 1]), np.int64([2**63 - 1])])
fails("Slice", "size[0] is", [np.zeros(2), np.int64([1]), np.int64([2**63 - 1])])
fails("Slice", "begin", [np.zeros((2, 2)), np.int32([1]), np.int32([1])])


def strided_inputs(d):
    """The vectors and masks are those of an index, some of whose entries are new dimensions or an ellipsis."""
    x = d.values()
    masks = dict.fromkeys(["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0)
    described = d.integer(0, x.ndim) if d.some() else x.ndim
    ellipsis = d.integer(0, described) if d.some(0.4) else -1
    dims = range(described) if ellipsis < 0 else [*range(ellipsis), None, *range(ellipsis - described, 0)]
    entries = []

    def add(begin, end, stride, *names):
        for name in names:
            masks[name] |= 1 << len(entries)
        entries.append([begin, end, stride])

    for i in dims:
        while d.some(0.15):
            add(d.integer(-9, 9), d.integer(-9, 9), d.integer(-9, 9), "new_axis_mask")
        if i is None:
            add(0, 0, 1, "ellipsis_mask")
        elif x.shape[i] and d.some(0.2):
            add(d.axis(x.shape[i]), d.integer(-9, 9), d.integer(1, 3), "shrink_axis_mask")
        else:
            ignored = [name for name in ("begin_mask", "end_mask") if d.some(0.3)]
            add(d.integer(-6, 6), d.integer(-6, 6), d.choice(-9, -3, -2, -1, 1, 1, 1, 2, 3, 2**40), *ignored)
    vectors = np.array(entries, np.int64).reshape(-1, 3)
    dtype = "int64" if np.abs(vectors).max(initial=0) > 2**31 else d.index_type()
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
fails("StridedSlice", "strides[0] is 0", [np.zeros(2), V([0]), V([1]), V([0])])
fails("StridedSlice", "begin[0] is -3, but must be between -2 and 1",
      ([np.zeros(2), V([-3]), V([1]), V([1])], {"shrink_axis_mask": 1}))
fails("StridedSlice", "must be positive", ([np.zeros(2), V([0]), V([1]), V([-1])], {"shrink_axis_mask": 1}))
fails("StridedSlice", "entries for 2 dimensions", [np.zeros(2), V([0, 0]), V([1, 1]), V([1, 1])])
fails("StridedSlice", "ellipsis_mask is 3", ([np.zeros(2), V([0, 0]), V([1, 1]), V([1, 1])], {"ellipsis_mask": 3}))
fails("StridedSliceGrad", "dy must have the shape", [V([3]), V([0]), V([2]), V([1]), np.zeros(3)])


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
    return [values, d.integers(axis)]


moving("Concat", lambda axis, values: np.concatenate(values, axis), concat_v1_inputs)
moving("ConcatV2", lambda values, axis: np.concatenate(values, axis), concat_v2_inputs)
moving("ConcatV2", lambda values, axis: np.concatenate(values, axis),
       lambda d: [[d.values((3, 250 + d.number)), d.values((3, 301))], V(1)], **LONG_ROWS)


def concat_offset(axis, shapes):
    offsets = np.zeros_like(shapes)
    offsets[1:, axis] = np.cumsum([shape[axis] for shape in shapes[:-1]])
    return {"offset": list(offsets)}


def concat_offset_inputs(d):
    axis, values = concat_inputs(d)
    return [np.int32(axis), [np.array(v.shape, "int32") for v in values]]


op("ConcatOffset", concat_offset, concat_offset_inputs, large=False)
fails("ConcatV2", "Shape must be at least rank 2 but is rank 1", [[np.zeros(2), np.zeros(2)], np.int32(1)],
      late="axis is 1, but must be between -1 and 0")
fails("ConcatV2", "", [[np.zeros((2, 2)), np.zeros((3, 2))], np.int32(1)])
fails("ConcatV2", "", [[np.zeros((2, 2)), np.zeros((2))], np.int32(0)])
fails("ConcatOffset", "concat_dim is 2", [np.int32(2), [V([1, 2]), V([1, 2])]])
fails("ConcatOffset", "differ outside", [np.int32(0), [V([1, 2]), V([1, 3])]])

family("indices")


def gather_inputs(d):
    params = d.values(d.shape(min_rank=1, max_rank=3, min_size=1))
    return [params, d.indices(params.shape[0], d.shape(max_rank=3, large=False), d.index_type())]


def gather_v2_inputs(d):
    params = d.values(d.shape(min_rank=1, max_rank=3, min_size=1))
    axis = d.integer(0, params.ndim - 1)
    batch = d.integer(0, axis)
    shape = (*params.shape[:batch], *d.shape(max_rank=2, large=False))
    indices = d.indices(params.shape[axis], shape, d.index_type())
    attrs = {"batch_dims": batch - indices.ndim if batch < indices.ndim and d.some() else batch}
    return [params, indices, d.integers(axis - params.ndim if d.some() else axis)], attrs


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
moving("GatherV2", gather, lambda d: ([d.values((5, 250 + d.number)), V([3, 0, 4]), V(0)], {"batch_dims": 0}),
       **LONG_ROWS)
op("GatherV2Grad", gather_gradient, gather_gradient_inputs, types=NUMBERS, large=False,
   tolerance={"float16": 0.05, "bfloat16": 0.3})
fails("Gather", "indices[1] is 3, but must be between 0 and 2", [np.zeros(3), V([0, 3])])
fails("Gather", "indices[1025] is 3", [np.zeros(3), V([0] * 1025 + [3] * 999)])
fails("Gather", "indices is -1", [np.zeros(3), V(-1)])
fails("Gather", "has no elements", [np.zeros((0, 2)), V([0])])
fails("GatherV2", "indices[0,1] is 9", [np.zeros((4, 3)), V([[0, 9]]), V(1)])
fails("GatherV2", "axis is 2", [np.zeros((4, 3)), V([0]), V(2)])
fails("GatherV2", "batch_dims is 2", ([np.zeros((4, 3)), V([0]), V(1)], {"batch_dims": 2}))
fails("GatherV2", "same batch dimensions, but dimension 0 is 4 and 1",
      ([np.zeros((4, 3)), V([0]), V(1)], {"batch_dims": 1}))


def nd_inputs(d):
    params = d.values(d.shape(max_rank=4, min_size=1))
    depth = d.integer(0, params.ndim)
    batch = d.shape(max_rank=2, large=False)
    columns = [d.indices(size, batch, d.index_type()) for size in params.shape[:depth]]
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
fails("GatherNd", "indices[1,0] is 5, but must be between 0 and 1", [np.zeros((2, 3)), V([[0, 0], [5, 0]])])
fails("GatherNd", "", [np.zeros(3), V([[0, 0]])])
fails("ScatterNd", "indices[0,1] is -1", [V([[0, -1]]), np.ones(1), V([2, 3])])
fails("ScatterNd", "updates must have the shape [2], but its shape is [3]", [V([[0], [1]]), np.ones(3), V([4])])
fails("ScatterNd", "which has too many elements",
      [np.zeros((0, 1), np.int64), np.zeros((0, 2**40, 0), np.float32), np.int64([2**40, 2**40, 0])],
      late="product of the sizes")
fails("ScatterNd", "shape", [V([[0]]), np.ones(1), V([-4])])


def dense_inputs(d):
    shape = d.shape(min_rank=1, max_rank=3, min_size=1)
    size = int(np.prod(shape))
    flat = np.sort(d.random.permutation(size)[:d.integer(0, min(size, 5))])
    indices = np.stack(np.unravel_index(flat, shape), -1).astype(d.index_type())
    if len(shape) == 1 and d.some():
        indices = indices[:, 0]
    values = d.values(() if d.some(0.3) else (len(flat),))
    return [indices, np.array(shape, indices.dtype), values, d.values(())]


def dense(indices, shape, values, default):
    result = np.full(shape, default, values.dtype if values.dtype.kind != "U" else "U60")
    result[tuple(np.moveaxis(indices.reshape(len(indices), len(shape)), -1, 0))] = values
    return result


moving("SparseToDense", dense, dense_inputs)
moving("SparseToDense", lambda *inputs, validate_indices: dense(*inputs),  # the last of equal indices counts
       lambda d: ([d.indices(3, (9,)), V([3]), d.values((9,)), d.values(())], {"validate_indices": False}), large=False)
moving("SparseToDense", lambda *inputs, validate_indices: dense(*inputs),
       lambda d: ([d.indices(3, (300, 3)), V([3, 4, 5]), d.values((300,)), d.values(())], {"validate_indices": False}),
       types=["int16", "complex128"], large=False)
fails("SparseToDense", "is the same as", [V([1, 1]), V([3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "index 7 is the same as index 6", [V([0, 1, 2, 3, 4, 5, 6, 6, 9, 8]), V([10]), np.zeros(10),
                                                          np.float64(0)])
fails("SparseToDense", "comes before", [V([[1, 0], [0, 1]]), V([3, 3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "sparse_indices[1] is 3", [V([1, 3]), V([3]), np.zeros(2), np.float64(0)])
fails("SparseToDense", "sparse_values must be", [V([1, 2]), V([3]), np.zeros(3), np.float64(0)])

op("Where", lambda x: np.argwhere(x), element_wise(), types=FIXED_SIZE)
op("Where", lambda x: np.argwhere(x), lambda d: [d.random.random((50, 7)) < d.choice(0, 0.1, 0.9, 1)], types=["bool"])


def unique(x, out_idx="int32"):
    values, first, numbers = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    return {"y": values[order], "idx": np.argsort(order)[numbers].astype(out_idx)}


def unique_inputs(d):
    return [d.values(d.shape(min_rank=1, max_rank=1) if d.large else (d.integer(0, 40),))]


moving("Unique", unique, unique_inputs, types=REAL + ["bool", "string"])
moving("Unique", unique, lambda d: ([d.values((700,), low=0, high=90)], {"out_idx": "int64"}), types=["int64", "uint8"],
       large=False)
fails("Unique", "x must be a vector", [np.zeros((2, 2))])

"""array_ops.py: the NumPy expressions of the ops of plugins/array_ops that make, reorder or repeat whole arrays.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from agree import *

family("simple")
moving("Identity", lambda x: x, element_wise())
moving("StopGradient", lambda x: x, element_wise())
moving("ZerosLike", lambda x: np.zeros_like(x), element_wise())
moving("OnesLike", lambda x: np.ones_like(x), element_wise(), types=FIXED_SIZE + FLOAT8)
moving("Size", lambda x, out_type: np.array(x.size, out_type), lambda d: ([d.values()], {"out_type": d.index_type()}))
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
    fails("Range", "delta", [np.int32(0), np.int32(3), np.int32(delta)])
fails("Range", "must be finite", [np.float32(0), np.float32(np.inf), np.float32(1)])
fails("Range", "too many numbers", [np.int64(-2**63), np.int64(2**63 - 1), np.int64(1)])


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
      ([np.zeros(3, np.int32), np.int32(2), np.int8(1), np.int8(0)], {"axis": 2}))
fails("OneHot", "depth is -1", [np.zeros(3, np.int32), np.int32(-1), np.int8(1), np.int8(0)])


def expand_inputs(d):
    x = d.values()
    return [x, d.integers(d.axis(x.ndim + 1))]


def squeeze_inputs(d):
    shape = list(d.shape(max_rank=3))
    ones = d.integer(0, 3)
    for _ in range(ones):
        shape.insert(d.integer(0, len(shape)), 1)
    axes = [int(i) for i, size in enumerate(shape) if size == 1 and d.some()]
    return [d.values(shape)], {"squeeze_dims": [i - len(shape) if d.some() else i for i in axes]}


moving("ExpandDims", lambda x, dim: np.expand_dims(x, int(dim)), expand_inputs)
moving("Squeeze", lambda x, squeeze_dims: x.squeeze(tuple(squeeze_dims) or None), squeeze_inputs)
fails("ExpandDims", "dim is 3, but must be between -3 and 2", [np.zeros((2, 2)), np.int32(3)])
fails("Squeeze", "dimension 1 of input has size 2", ([np.zeros((1, 2))], {"squeeze_dims": [-1]}))

family("order")


def transpose_inputs(d):
    x = d.values()
    return [x, d.integers(d.permutation(x.ndim))]


def wide_transpose_inputs(d):
    rank = 6
    x = d.values([d.integer(1, 5) for _ in range(rank)])
    return [x, d.integers(d.permutation(rank))]


def inverse(x):
    y = np.empty_like(x)
    y[x] = np.arange(len(x))
    return y


def of_the_largest_rank(d):
    """Two of the 32 sizes are not 1."""
    shape = [d.choice(2, 3) if i in (5, 31) else 1 for i in range(32)]
    return d.values(shape), shape


def transpose_of_the_largest_rank(d):
    x, _ = of_the_largest_rank(d)
    return [x, d.integers(d.permutation(32))]


moving("Transpose", lambda x, perm: x.transpose(perm), transpose_inputs, cases=6, types=ALL_TYPES + FLOAT8)
moving("Transpose", lambda x, perm: x.transpose(perm), wide_transpose_inputs,
       types=["int8", "float32", "string"])
moving("Transpose", lambda x, perm: x.transpose(perm), transpose_of_the_largest_rank, types=["int8"], large=False)
for sizes in ((67, 129), (64, 64), (63, 4), (3, 300, 40), (40, 300, 3), (130, 5, 31)):
    moving("Transpose", lambda x, perm: x.transpose(perm),
           lambda d, s=sizes: [d.values(s), d.integers(d.permutation(len(s)))],
           types=["int8", "int16", "float32", "float64", "complex128"], cases=3, large=False)
fails("Transpose", "perm[1] is 2", [np.zeros((2, 2)), V([0, 2])])
fails("Transpose", "perm has 0 twice", [np.zeros((2, 2)), V([0, 0])])
fails("Transpose", "perm has 1 elements, but x has rank 2", [np.zeros((2, 2)), V([0])])
op("InvertPermutation", inverse, lambda d: [np.array(d.permutation(d.integer(0, 9)), d.type)], types=["int32", "int64"])
op("InvertPermutation", inverse, lambda d: [np.array(d.permutation(3000), d.type)], types=["int32", "int64"], cases=1,
   large=False)
fails("InvertPermutation", "x[0] is 2", [V([2, 0])])
fails("InvertPermutation", "x has 1 twice, at 1 and at 3", [V([0, 1, 2, 1, 0, 9])])
fails("InvertPermutation", "x[2] is 9, but must be between 0 and 3", [V([0, 1, 9, 1])])
fails("InvertPermutation", "x[0] is -1", [V([-1, 0])])


def reverse_inputs(d):
    x = d.values()
    return [x, np.array([d.some() for _ in x.shape], bool)]


def reverse_v2_inputs(d):
    x = d.values()
    return [x, d.integers([i - x.ndim if d.some() else i for i in range(x.ndim) if d.some()])]


moving("Reverse", lambda x, dims: np.flip(x, tuple(np.flatnonzero(dims))), reverse_inputs, types=ALL_TYPES + FLOAT8)
moving("ReverseV2", lambda x, axis: np.flip(x, tuple(axis)), reverse_v2_inputs, types=ALL_TYPES + FLOAT8)
fails("Reverse", "dims has 2 elements", [np.zeros(2), np.zeros(2, bool)])
fails("ReverseV2", "axis is 1, but must be between -1 and 0", [np.zeros(2), V([1])])
fails("ReverseV2", "named twice", [np.zeros((2, 2)), V([1, -1])])


def tile_inputs(d):
    x = d.values()
    return [x, d.integers([d.integer(0 if d.number == 1 else 1, 3) for _ in x.shape])]


def broadcast_to_inputs(d):
    shape = d.shape()
    sizes = [1 if d.some(0.4) else size for size in shape]
    return [d.values(sizes[d.integer(0, len(sizes)):]), d.integers(shape)]


moving("Tile", lambda x, multiples: np.tile(x, multiples), tile_inputs)
moving("Tile", lambda x, multiples: np.tile(x, multiples), lambda d: list(map(np.array, of_the_largest_rank(d))),
       types=["string"], large=False)
moving("BroadcastTo", lambda x, shape: np.broadcast_to(x, shape), broadcast_to_inputs)
fails("Tile", "multiples[0] is -1", [np.zeros(2), V([-1])])
fails("Tile", "multiples has 2 elements", [np.zeros(2), V([1, 1])])
fails("Tile", "", [np.zeros(4), np.int64([2**62])])
fails("BroadcastTo", "", [np.int8(1), np.int64([2**62, 2**62])])
fails("BroadcastTo", "cannot be broadcast to [3]", [np.zeros(2), V([3])])
fails("BroadcastTo", "input has shape [1,2], which cannot be broadcast to", [np.zeros((1, 2)), V([2])])

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
    return [x, d.integers(block), d.integers(np.array(paddings).reshape(-1, 2))]


def batch_inputs(d):
    shape = d.shape(min_rank=1, max_rank=5)
    block = blocks(d, len(shape))
    x = d.values((shape[0] * int(np.prod(block)), *shape[1:]))
    crops = []
    for size, n in zip(x.shape[1:], block):
        before = d.integer(0, size * n) if d.some() else 0
        crops.append((before, d.integer(0, size * n - before) if d.some() else 0))
    return [x, d.integers(block), d.integers(np.array(crops).reshape(-1, 2))]


moving("SpaceToBatchND", space_to_batch, space_inputs, types=ALL_TYPES + FLOAT8, cases=8)
moving("BatchToSpaceND", batch_to_space, batch_inputs, types=ALL_TYPES + FLOAT8, cases=8)
for name, expected, shape in (("SpaceToBatchND", space_to_batch, [1] * 31 + [3]),
                              ("BatchToSpaceND", batch_to_space, [2] + [1] * 30 + [2])):
    moving(name, expected, lambda d, s=shape: [d.values(s), V([1] * 30 + [2]), V([[0, 0]] * 30 + [[1, 0]])],
           types=["string"], large=False)
for name, borders in (("SpaceToBatchND", "paddings"), ("BatchToSpaceND", "crops")):
    fails(name, "block_shape[1] is 0, but must be 1 or more",
          [np.zeros((4, 2, 2)), V([2, 0]), np.zeros((2, 2), "int32")])
    fails(name, "block_shape must be a vector, but its shape is []",
          [np.zeros((4, 2, 2)), V(2), np.zeros((2, 2), "int32")])
    fails(name, f"{borders} must not be negative, but row 1 is [0, -1]",
          [np.zeros((4, 2, 2)), V([2, 1]), np.int64([[0, 0], [0, -1]])])
    fails(name, f"{borders} must be a matrix of 2 columns, but its shape is [2]",
          [np.zeros((4, 2, 2)), V([2, 1]), np.int32([0, 0])])
    fails(name, f"{borders} must have a row for each element of block_shape, but has 1 for 2",
          [np.zeros((4, 2, 2)), V([2, 1]), np.int32([[0, 0]])])
    fails(name, "one for each of the 2 elements of block_shape, but has rank 2",
          [np.zeros((4, 2)), V([2, 1]), np.zeros((2, 2), "int32")])
    fails(name, "block_shape makes a dimension of more elements than int64 can hold",
          [np.zeros((4, 2, 2)), np.int64([2**62, 4]), np.zeros((2, 2), "int32")])
fails("SpaceToBatchND", "dimension 2 has 3 elements with its paddings, which is not a multiple of block_shape[1], 2",
      [np.zeros((1, 2, 2)), V([2, 2]), np.int32([[0, 0], [1, 0]])])
fails("SpaceToBatchND", "row 0 of paddings makes dimension 1 larger than int64 can hold",
      [np.zeros((1, 2)), V([2]), np.int64([[2**63 - 1, 1]])])
fails("BatchToSpaceND", "dimension 0, has 4 elements, which is not a multiple of the product of block_shape, 6",
      [np.zeros((4, 2, 2)), V([3, 2]), np.zeros((2, 2), "int32")])
fails("BatchToSpaceND", "row 0 of crops is [2, 3], but dimension 1 has only 4 elements",
      [np.zeros((4, 2, 2)), V([2, 2]), np.int32([[2, 3], [0, 0]])])
fails("BatchToSpaceND", "row 0 of crops is [9223372036854775807, 9223372036854775807]",
      [np.zeros((2, 2, 1)), np.int64([2]), np.int64([[2**63 - 1] * 2])])

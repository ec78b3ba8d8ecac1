"""segment_ops.py: the NumPy expression of each reduction of segments, in plugins/math_ops. How a table is written:
agree.py.

SPDX-License-Identifier: Apache-2.0
"""

from agree import *

# Sums and products of many numbers, whose order is not NumPy's.
MANY = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 1e-5, "complex64": 2e-5, "float64": 1e-11, "complex128": 1e-11}
LOWEST_BFLOAT16 = -3.3895313892515355e38


def wide(x):
    """Numbers of two bytes are added and multiplied as float32."""
    return x.astype("float32") if x.dtype == "float16" else x


def by_segment(reduce, x, ids, count, empty):
    """Of the rows of x that have one id."""
    result = np.full((count, *x.shape[ids.ndim:]), empty, x.dtype)
    for segment in set(ids[ids >= 0].tolist()):
        result[segment] = reduce(wide(x[ids == segment]))
    return result


def folded(ufunc):
    return lambda rows: ufunc.reduce(rows, axis=0, dtype=rows.dtype)


def mean(rows):
    if rows.dtype.kind in "fc":
        return rows.mean(axis=0, dtype=rows.dtype)
    total = rows.sum(axis=0, dtype=object)  # of any size
    return np.vectorize(lambda n: abs(n) // len(rows) * (1 if n > 0 else -1), otypes=[object])(total)


def sorted_segments(reduce, empty):
    return lambda x, ids: by_segment(reduce, x, ids, int(ids[-1]) + 1 if ids.size else 0, empty)


def unsorted_segments(reduce, empty):
    def expected(x, ids, count):
        return by_segment(reduce, x, ids, int(count), empty(x.dtype) if callable(empty) else empty)
    return expected


def sorted_ids(d, **values):
    """Few segments of many rows, or many without rows."""
    x = d.values(d.shape(min_rank=1), **values)
    ids = np.sort(d.indices(d.choice(2, 9), x.shape[:1], d.index_type()))
    return [x, ids]


def any_ids(d, types=("int32", "int64"), **values):
    """Also for scalars, and with rows that are dropped."""
    x = d.values(d.shape(min_rank=0), **values)
    count = d.choice(1, 3, 9)
    ids = d.indices(count + 2, x.shape[:d.integer(0, x.ndim)], d.choice(*types)) - 2
    return [x, ids, d.integers(count)]


def factors(inputs):
    return lambda d: inputs(d, low=0 if d.type in UNSIGNED else -1, high=1)


def limit(sign):
    """The lowest (-1) or highest (1) finite number."""
    def of(dtype):
        if dtype.kind == "f":
            return sign * float(np.finfo(dtype).max)
        return np.iinfo(dtype).min if sign < 0 else np.iinfo(dtype).max
    return of


def bfloat16_limit(sign):
    return lambda dtype: -sign * LOWEST_BFLOAT16


family("sorted")
op("SegmentSum", sorted_segments(folded(np.add), 0), lambda d: sorted_ids(d, special=False), types=NUMBERS,
   tolerance=MANY)
op("SegmentMean", sorted_segments(mean, 0), lambda d: sorted_ids(d, special=False), types=NUMBERS, tolerance=MANY)
op("SegmentProd", sorted_segments(folded(np.multiply), 1), factors(sorted_ids), types=NUMBERS, tolerance=MANY)
op("SegmentMax", sorted_segments(folded(np.maximum), 0), sorted_ids, types=REAL)
op("SegmentMin", sorted_segments(folded(np.minimum), 0), sorted_ids, types=REAL)
for name in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"):
    fails(name, "segment_ids must be sorted, but segment_ids[2] is 1 after 4; the ops that take ids in any order have "
          "names that begin with Unsorted",
          [np.zeros((4, 2), "float32"), np.int32([0, 4, 1, 0])])
    fails(name, "segment_ids[0] is -1, but an id must be 0 or more", [np.zeros(2, "float32"), np.int64([-1, 0])])
    fails(name, "segment_ids must have one id for each row of data, but has 3 for 2 rows",
          [np.zeros((2, 3), "float32"), np.int32([0, 0, 0])])
    fails(name, "data must have one dimension or more", [np.float32(1), np.int32([0])])
    fails(name, "segment_ids must be a vector, but its shape is [2,1]",
          [np.zeros((2, 1), "float32"), np.int32([[0], [0]])])

fails("SegmentSum", "segment_ids[1] is 9223372036854775807, and no tensor can have so many rows",
      [np.zeros(2, "float32"), np.int64([0, 2**63 - 1])])
fails("SegmentSum", "would have the shape [9223372036854775807, 2], which has too many elements",
      [np.zeros((1, 2), "float32"), np.int64([2**63 - 2])], late="The product of the sizes 0 to 1 of a shape is above")

family("unsorted")
op("UnsortedSegmentSum", unsorted_segments(folded(np.add), 0),
   lambda d: any_ids(d, ("int16", "int32", "int64"), special=False), types=NUMBERS, tolerance=MANY)
op("UnsortedSegmentProd", unsorted_segments(folded(np.multiply), 1), factors(any_ids), types=NUMBERS, tolerance=MANY)
for name, ufunc, sign in (("UnsortedSegmentMax", np.maximum, -1), ("UnsortedSegmentMin", np.minimum, 1)):
    op(name, unsorted_segments(folded(ufunc), limit(sign)), any_ids, types=[t for t in REAL if t != "bfloat16"], cases=8)
    op(name, unsorted_segments(folded(ufunc), bfloat16_limit(sign)), any_ids, types=["bfloat16"], cases=8)
for name in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
    fails(name, "segment_ids[1,0] is 3, but must be below 3, the number of segments",
          [np.zeros((2, 2, 4), "float32"), np.int32([[0, -7], [3, 9]]), np.int32(3)])
    fails(name, "num_segments is -1, but must be 0 or more", [np.zeros(2, "float32"), np.int64([0, 0]), np.int64(-1)])
    fails(name, "num_segments must be a scalar, but its shape is [1]",
          [np.zeros(2, "float32"), np.int64([0, 0]), np.int64([1])])
    fails(name, "the shape of data must begin with that of segment_ids, but data has shape [2,3] and segment_ids has "
          "shape [3]", [np.zeros((2, 3), "float32"), np.int32([0, 0, 0]), np.int32(1)])


def spread(grad, ids):
    rows = np.zeros((*ids.shape, *grad.shape[1:]), grad.dtype)
    rows[ids >= 0] = grad[ids[ids >= 0]]
    return rows


def spread_inputs(d):
    grad = d.values(d.shape(min_rank=1, min_size=1, large=False))
    shape = (d.integer(0, 4),) * d.integer(0, 2) if not d.large else (LARGE,)
    return [grad, d.indices(len(grad) + 1, shape, d.choice("int16", "int32", "int64")) - 1]


def of_others(x, ids):
    """The product of the other rows of a segment, for each row of a matrix or vector."""
    products = np.zeros_like(x)
    for i, id in enumerate(ids):
        others = (ids == id) & (np.arange(len(ids)) != i)
        products[i] = np.prod(wide(x[others]), axis=0) if id >= 0 else 0
    return products


def of_others_twice(weights, x, ids):
    sums = np.zeros_like(x)
    for j, id in enumerate(ids):
        others = [i for i in range(len(ids)) if ids[i] == id and i != j and id >= 0]
        for i in others:
            sums[j] += weights[i] * np.prod([x[k] for k in others if k != i], axis=0)
    return sums


def with_zeros(d, tensors=1):
    """Small numbers and zeros, of which segments have none, one or more."""
    shape = (d.integer(0, 9), 3)[:d.integer(1, 2)]
    tensors = [d.values(shape, low=-2, high=2) for _ in range(tensors)]
    tensors[-1][d.random.random(shape) < 0.2] = 0
    return [*tensors, d.indices(4, shape[:1], d.index_type()) - 1]


family("derivatives")
op("UnsortedSegmentSumGrad", spread, spread_inputs, types=NUMBERS, tolerance=EXACT, cases=8)
op("SegmentProdOfOthers", of_others, with_zeros, types=["float16", "float32", "float64", "complex64"], large=False, cases=12,
   tolerance=MANY)
op("SegmentProdOfOthersGrad", of_others_twice, lambda d: with_zeros(d, 2), types=["float64", "complex128"], large=False,
   cases=12)
fails("UnsortedSegmentSumGrad", "segment_ids[1] is 2, but must be below 2, the number of segments",
      [np.zeros((2, 3), "float32"), np.int16([1, 2])])
fails("UnsortedSegmentSumGrad", "grad must have a row for each segment, but is a scalar",
      [np.float32(1), np.int16([0])])
fails("SegmentProdOfOthers", "the shape of data must begin with that of segment_ids",
      [np.zeros((2, 3), "float32"), np.int32([0])])
fails("SegmentProdOfOthersGrad", "Dimension 1 of [2,2] and [2,3] must be equal",
      [np.zeros((2, 3), "float32"), np.zeros((2, 2), "float32"), np.int32([0, 0])],
      unknown="weights must have the shape of data, which is [2,2], but its shape is [2,3]")

#!/usr/bin/env python3
"""bench/array_ops.py: compares ops of plugins/array_ops with NumPy, on arrays larger than the cache, with one thread.

usage: bench/array_ops.py [--opsrun PROGRAM] [--rounds N] [--seconds S] [CASE...]     CASE: part of a name

SPDX-License-Identifier: Apache-2.0
"""
import beside_numpy
from beside_numpy import np

N = 1 << 24  # 64 MiB of float32


def cases():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=N).astype(np.float32)
    square = flat.reshape(4096, 4096)
    image = flat.reshape(16, 512, 512, 4)
    wide = np.empty_like(square)
    columns = np.empty((4096, 2048), np.float32)
    rgb = flat[: 3 << 22].reshape(4, 1024, 1024, 3)
    i32 = lambda *v: np.array(v, np.int32)
    index = rng.integers(0, 4096, 4096).astype(np.int32)
    scattered = rng.integers(0, N, 1 << 22).astype(np.int32)
    yield "ZerosLike", "ZerosLike", [flat], {}, lambda: wide.fill(0)
    yield "Slice columns", "Slice", [square, i32(0, 7), i32(4096, 2048)], {}, \
        lambda: np.copyto(columns, square[:, 7:2055])
    all_of_both = {"begin_mask": 3, "end_mask": 3}
    yield "StridedSlice ::2", "StridedSlice", [square, i32(0, 0), i32(0, 0), i32(1, 2)], all_of_both, \
        lambda: np.copyto(columns, square[:, ::2])
    yield "Concat columns", "ConcatV2", [[columns, columns], np.int32(1)], {}, \
        lambda: np.concatenate([columns, columns], 1, out=wide)
    yield "Concat channels", "ConcatV2", [[image, image], np.int32(3)], {}, lambda: np.concatenate([image, image], 3)
    yield "Transpose", "Transpose", [square, i32(1, 0)], {}, lambda: np.copyto(wide, square.T)
    yield "Transpose NHWC to NCHW", "Transpose", [rgb, i32(0, 3, 1, 2)], {}, \
        lambda: np.ascontiguousarray(rgb.transpose(0, 3, 1, 2))
    yield "Transpose uint8", "Transpose", [square.view(np.uint8).reshape(8192, 8192), i32(1, 0)], {}, \
        lambda: np.ascontiguousarray(square.view(np.uint8).reshape(8192, 8192).T)
    yield "ReverseV2 columns", "ReverseV2", [square, i32(1)], {}, lambda: np.copyto(wide, square[:, ::-1])
    yield "ReverseV2 rows", "ReverseV2", [square, i32(0)], {}, lambda: np.copyto(wide, square[::-1])
    yield "Tile", "Tile", [columns, i32(1, 2)], {}, lambda: np.tile(columns, (1, 2))
    yield "BroadcastTo rows", "BroadcastTo", [square[:1], i32(4096, 4096)], {}, lambda: np.copyto(wide, square[:1])
    yield "BroadcastTo columns", "BroadcastTo", [square[:, :1].copy(), i32(4096, 4096)], {}, \
        lambda: np.copyto(wide, square[:, :1])
    yield "Gather rows", "Gather", [square, index], {}, lambda: np.take(square, index, 0, out=wide, mode="clip")
    yield "Gather elements", "Gather", [flat, scattered], {}, lambda: np.take(flat, scattered)
    yield "GatherV2 columns", "GatherV2", [square, index, np.int32(1)], {}, lambda: np.take(square, index, 1)
    yield "ScatterNd rows", "ScatterNd", [index[:, None], square, i32(4096, 4096)], {}, \
        lambda: np.add.at(np.zeros_like(square), index, square)
    yield "Where", "Where", [flat > 0], {}, lambda: np.argwhere(flat > 0)
    yield "OneHot", "OneHot", [index.repeat(4) % 1000, np.int32(1000), np.float32(1), np.float32(0)], {}, \
        lambda: np.equal(index.repeat(4)[:, None] % 1000, np.arange(1000)).astype(np.float32)
    yield "Range", "Range", [np.float32(0), np.float32(N), np.float32(1)], {}, lambda: np.arange(0, N, 1, np.float32)
    yield "Unique", "Unique", [index.repeat(256)], {}, lambda: np.unique(index.repeat(256), return_inverse=True)
    yield "RandomUniform", "RandomUniform", [i32(N)], {"dtype": "float32"}, lambda: rng.random(N, np.float32)
    yield "RandomNormal", "RandomNormal", [i32(N // 4)], {"dtype": "float32"}, \
        lambda: rng.standard_normal(N // 4, np.float32)


beside_numpy.run(cases(), beside_numpy.parser(__doc__).parse_args())

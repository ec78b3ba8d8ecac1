// plugins/math_ops/matmul.cc
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

#include <memory>

namespace math_ops {

namespace {

// The size of the blocks in which a product is computed; the last block of a row or column may be smaller.
struct Blocks {
  int64 rows, columns, down, across;
};

// Large enough that reading the factors does not dominate, small enough to occupy many threads.
Blocks BlocksOf(int64 rows, int64 depth, int64 columns) {
  constexpr int64 kSide = 256, kProducts = 1 << 20;
  const int64 height = std::min(rows, std::max(kSide, kSide * kSide / columns));
  const int64 enough = std::clamp(kProducts / std::max<int64>(height * depth, 1), kSide, kSide * kSide);
  const int64 width = std::min(columns, enough / kSide * kSide);
  return {height, width, (rows - 1) / height + 1, (columns - 1) / width + 1};
}

// One product; each call of Run computes a block. Sizes are those of the real matrices.
template <typename T>
struct BlockLoop {
  typedef Real<T> R;
  Multiply<R> multiply;
  int64 rows, depth, columns;
  Blocks blocks;

  void Run(const MatrixView<R>& a, const MatrixView<R>& b, int64 block, T* out) const {
    const int64 i = block / blocks.across * blocks.rows, j = block % blocks.across * blocks.columns;
    const int64 height = std::min(blocks.rows, rows - i), width = std::min(blocks.columns, columns - j);
    if constexpr (sizeof(T) < sizeof(R)) {
      const std::unique_ptr<R[]> wide(new R[static_cast<size_t>(height * width)]);
      multiply({height, depth, width, a.At(i, 0), b.At(0, j), wide.get(), width});
      Round(wide.get(), height, width, out + i * columns + j);
    } else {
      R* const parts = reinterpret_cast<R*>(out) + i * columns + j;
      multiply({height, depth, width, a.At(i, 0), b.At(0, j), parts, columns});
    }
  }

  void Round(const R* wide, int64 height, int64 width, T* out) const {
    for (int64 i = 0; i < height; ++i) {
      for (int64 j = 0; j < width; ++j) out[i * columns + j] = static_cast<T>(wide[i * width + j]);
    }
  }

  int64 BlocksOfAll(int64 products) const { return products * blocks.down * blocks.across; }
  int64 NanosecondsForOne() const { return Nanoseconds(blocks.rows, depth, blocks.columns); }
};

// One large product, in columns of a multiple of `width`: each thread copies its own panels, and waits for no other
// one. Each has several shares, so that the one that begins first can take more.
template <typename R>
void MultiplyByColumns(OpKernelContext* context, const Kernels& kernels, int64 width, const Product<R>& product) {
  const int64 panels = (product.columns - 1) / width + 1, most = 4 * kPanelsColumns<R> / width;
  Shard(context, panels, Nanoseconds(product.rows, product.depth, width), [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end && !context->IsCancelled(); i += most) {
      Product<R> share = product;
      share.columns = std::min<int64>(std::min(end, i + most) * width, product.columns) - i * width;
      share.b = product.b.At(0, i * width);
      share.out += i * width;
      std::get<Multiply<R>>(kernels.multiply)(share);
    }
  });
}

// One large product, whose threads share the panels of its right factor.
template <typename R>
void MultiplyTogether(OpKernelContext* context, const Kernels& kernels, int64 width, const Product<R>& product) {
  constexpr int64 kEnough = 8, kCopiedRows = 32;  // units of work, and rows of the right factor in a unit
  const int64 down = (product.rows - 1) / kernels.rows_at_once + 1;
  const int64 widest = std::min<int64>(kPanelsColumns<R>, product.columns);
  const AlignedArray<R> panels(std::min<int64>(kPanelsDepth, product.depth) * (widest + width - 1));
  for (int64 j = 0; j < product.columns; j += kPanelsColumns<R>) {
    const int64 count = (std::min<int64>(kPanelsColumns<R>, product.columns - j) - 1) / width + 1;
    const int64 at_once = down >= kEnough ? count : std::max<int64>(1, count * down / kEnough);
    const int64 across = (count - 1) / at_once + 1;
    for (int64 k = 0; k < product.depth && !context->IsCancelled(); k += kPanelsDepth) {
      const Product<R> part = product.Part(k, j, panels.data());
      ForUnits(context, (part.depth - 1) / kCopiedRows + 1, kCopiedRows * part.columns, [&](int64 i) {
        const int64 row = i * kCopiedRows, rows = std::min(kCopiedRows, part.depth - row);
        std::get<CopyToPanels<R>>(kernels.copy_to_panels)(part.b.At(row, 0), rows, part.columns, part.depth,
                                                          panels.data() + row * width);
      });
      ForUnits(context, down * across, Nanoseconds(kernels.rows_at_once, part.depth, at_once * width), [&](int64 i) {
        const int64 row = i / across * kernels.rows_at_once, column = i % across * at_once * width;
        Product<R> unit = part;
        unit.rows = std::min<int64>(kernels.rows_at_once, part.rows - row);
        unit.columns = std::min<int64>(at_once * width, part.columns - column);
        unit.a = part.a.At(row, 0);
        unit.panels += column * part.depth;
        unit.out += row * part.out_stride + column;
        std::get<Multiply<R>>(kernels.multiply)(unit);
      });
    }
  }
}

template <typename R>
void MultiplyLarge(OpKernelContext* context, const Kernels& kernels, const Product<R>& product) {
  constexpr int64 kEnoughColumns = 1024 / sizeof(R);  // for a thread
  const int64 width = kernels.panel_bytes / static_cast<int64>(sizeof(R));
  const bool by_columns = product.columns >= kEnoughColumns * NumThreads(context);
  by_columns ? MultiplyByColumns(context, kernels, width, product) : MultiplyTogether(context, kernels, width, product);
}

// Product i multiplies matrix left[i] of a with matrix right[i] of b.
struct MatrixPairs {
  std::vector<int64> left, right;
};

MatrixPairs PairsOf(const Broadcast& batch) {
  MatrixPairs pairs;
  batch.ForRuns(0, batch.shape().num_elements(), [&](const Run& run) {
    for (int64 i = 0; i < run.n; ++i) {
      pairs.left.push_back(run.at[0] + (run.walks[0] ? i : 0));
      pairs.right.push_back(run.at[1] + (run.walks[1] ? i : 0));
    }
  });
  return pairs;
}

struct MatMulLoops {
  template <typename T>
  static Status Run(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                    const void* b_data, const Broadcast& batch, void* out) {
    const MatrixPairs pairs = PairsOf(batch);
    if (pairs.left.empty() || a.rows == 0 || b.columns == 0) return Status::OK();
    const Kernels* kernels = nullptr;
    TF_RETURN_IF_ERROR(FindKernels(&kernels));
    Workspace workspace(context);
    RealMatrices<T> left, right;
    TF_RETURN_IF_ERROR(left.Read(context, workspace, a, Side::kLeft, static_cast<const T*>(a_data)));
    TF_RETURN_IF_ERROR(right.Read(context, workspace, b, Side::kRight, static_cast<const T*>(b_data)));
    const int64 depth = a.columns * kParts<T>, columns = b.columns * kParts<T>;
    if constexpr (sizeof(T) >= sizeof(Real<T>)) {
      constexpr int64 kFewRows = 16, kLargeNanoseconds = 100'000;
      constexpr size_t kMany = 8;  // products for threads to share
      if (pairs.left.size() < kMany && a.rows > kFewRows && Nanoseconds(a.rows, depth, columns) > kLargeNanoseconds) {
        for (size_t i = 0; i < pairs.left.size(); ++i) {
          Real<T>* const product = static_cast<Real<T>*>(out) + static_cast<int64>(i) * a.rows * columns;
          MultiplyLarge<Real<T>>(
              context, *kernels,
              {a.rows, depth, columns, left[pairs.left[i]], right[pairs.right[i]], product, columns});
        }
        return WhetherComplete(context);
      }
    }
    const BlockLoop<T> loop = {std::get<Multiply<Real<T>>>(kernels->multiply), a.rows, depth, columns,
                               BlocksOf(a.rows, depth, columns)};
    const int64 blocks_of_one = loop.BlocksOfAll(1), total = loop.BlocksOfAll(static_cast<int64>(pairs.left.size()));
    Shard(context, total, loop.NanosecondsForOne(), [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end && !context->IsCancelled(); ++i) {
        const size_t pair = static_cast<size_t>(i / blocks_of_one);
        T* const product = static_cast<T*>(out) + i / blocks_of_one * a.rows * b.columns;
        loop.Run(left[pairs.left[pair]], right[pairs.right[pair]], i % blocks_of_one, product);
      }
    });
    return WhetherComplete(context);
  }
};

}  // namespace

MatMulLoop CpuMatMulLoop(DataType type) {
  return LoopFor<MatMulLoops>(type, MatMulTypes());
}

Status FindKernels(const Kernels** kernels) {
  *kernels = BestKernels();
  if (*kernels != nullptr) return Status::OK();
  return errors::Unimplemented("matrix products need a processor with SSE4.2 and POPCNT (x86-64-v2)");
}

}  // namespace math_ops

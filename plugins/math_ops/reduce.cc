// plugins/math_ops/reduce.cc: see reduce.h.
// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "axes.h"
#include "opsrun/shard.h"
#include "reduce_layout.h"

namespace math_ops {

using namespace opsrun;

namespace {

// The work as units of about one size: some of the results, from all or a part of the elements that make each of them.
class Reducer {
 public:
  Reducer(const Layout& layout, const FoldLoops& loops, const Tensor& input, Tensor* output)
      : layout_(layout),
        loops_(loops),
        in_(static_cast<const char*>(input.data())),
        out_(static_cast<char*>(output->data())),
        in_size_(DataTypeSize(input.dtype())),
        out_size_(DataTypeSize(output->dtype())),
        depth_(layout.reduced.Count() * layout.line),
        row_(layout.width > 1 ? layout.width : layout.kept.Count()),
        chunk_(std::min({kAccBytes / loops.acc_bytes, row_,
                         layout.width > 1 ? row_ : std::max<int64>(kPiece / (depth_ + 1), 1)})),
        chunks_((row_ + chunk_ - 1) / chunk_),
        piece_(std::max<int64>(kPiece / chunk_, 1)),
        pieces_(std::max<int64>((depth_ + piece_ - 1) / piece_, 1)),
        groups_((layout.width > 1 ? layout.kept.Count() : 1) * chunks_) {}

  void Run(OpKernelContext* context) {
    if (pieces_ > 1) partial_.reset(new char[static_cast<size_t>(groups_ * pieces_ * ChunkBytes())]);
    const int64 unit = std::min(depth_, piece_) * chunk_;
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads, workers.workers, groups_ * pieces_, unit / 4 + 10, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) pieces_ == 1 ? Whole(i) : Part(i);
    });
    if (pieces_ == 1) return;
    Shard(workers.num_threads, workers.workers, groups_, pieces_ * chunk_ / 4 + 10, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) MergeParts(i);
    });
  }

 private:
  // The accumulators of a unit fit the first cache; its elements take long enough to be worth a thread. Lines of at most
  // kPiece elements are never cut: reading the ends of many lines is slow.
  static constexpr int64 kAccBytes = 16 << 10, kPiece = 256 << 10;

  int64 ChunkBytes() const { return chunk_ * loops_.acc_bytes; }
  // A group is a chunk of a row of results.
  int64 FirstOf(int64 group) const { return group % chunks_ * chunk_; }
  int64 WidthOf(int64 group) const { return std::min(chunk_, row_ - FirstOf(group)); }

  void Whole(int64 group) const {
    alignas(64) char acc[kAccBytes];
    Fold(group, 0, depth_, acc);
    Finish(group, acc);
  }
  void Part(int64 unit) const {
    const int64 begin = unit % pieces_ * piece_;
    Fold(unit / pieces_, begin, std::min(begin + piece_, depth_), &partial_[unit * ChunkBytes()]);
  }
  // Neighbors first, so that rounding errors grow with the logarithm of the number of parts.
  void MergeParts(int64 group) const {
    char* const parts = &partial_[group * pieces_ * ChunkBytes()];
    for (int64 step = 1; step < pieces_; step *= 2) {
      for (int64 i = 0; i + step < pieces_; i += 2 * step) {
        loops_.merge(parts + i * ChunkBytes(), parts + (i + step) * ChunkBytes(), WidthOf(group));
      }
    }
    Finish(group, parts);
  }
  void Finish(int64 group, const char* acc) const {
    const int64 at = group / chunks_ * row_ + FirstOf(group);
    loops_.finish(acc, out_ + at * out_size_, depth_, WidthOf(group));
  }

  // Adds the elements [begin, end) of those that make each result of the group.
  void Fold(int64 group, int64 begin, int64 end, char* acc) const {
    loops_.start(acc, WidthOf(group));
    while (begin < end) {
      const int64 at = begin % layout_.line, n = std::min(layout_.line - at, end - begin);
      const int64 offset = layout_.reduced.OffsetOf(begin / layout_.line) + at * layout_.line_stride;
      layout_.width > 1 ? FoldRows(group, offset, n, acc) : FoldLines(group, offset, n, acc);
      begin += n;
    }
  }
  void FoldRows(int64 group, int64 offset, int64 rows, char* acc) const {
    offset += layout_.kept.OffsetOf(group / chunks_) + FirstOf(group);
    loops_.fold_rows(acc, in_ + offset * in_size_, rows, layout_.line_stride, WidthOf(group));
  }
  void FoldLines(int64 group, int64 offset, int64 n, char* acc) const {
    const int64 first = FirstOf(group), width = WidthOf(group);
    for (int64 i = 0; i < width; ++i) {
      loops_.fold(acc + i * loops_.acc_bytes, in_ + (offset + layout_.kept.OffsetOf(first + i)) * in_size_, n);
    }
  }

  const Layout& layout_;
  const FoldLoops& loops_;
  const char* const in_;
  char* const out_;
  const int64 in_size_, out_size_;
  const int64 depth_, row_, chunk_, chunks_, piece_, pieces_, groups_;
  std::unique_ptr<char[]> partial_;
};

}  // namespace

void Reduce(OpKernelContext* context, const Tensor& input, const bool* reduced, const FoldLoops& loops,
            Tensor* output) {
  if (output->NumElements() == 0) return;
  const Layout layout(input.shape(), reduced);
  Reducer(layout, loops, input, output).Run(context);
}

ReduceKernel::ReduceKernel(OpKernelConstruction* context) : OpKernel(context) {
  OP_REQUIRES_OK(context, context->GetAttr("keep_dims", &keep_dims_));
}

void ReduceKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  bool reduced[OPSRUN_MAX_RANK];
  OP_REQUIRES_OK(context, ReadAxes(context->input(1), input.dims(), reduced));
  const bool reduces = std::count(reduced, reduced + input.dims(), true) > 0;
  if (!reduces && OneGivesItself()) return context->set_output(0, input);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, ReducedShape(input.shape(), reduced, keep_dims_), &output));
  OP_REQUIRES_OK(context, CheckCount(input.NumElements(), output->NumElements()));
  OP_REQUIRES_OK(context, Run(context, input, reduced, output));
}

}  // namespace math_ops

// plugins/math_ops/segment_reduce.cc: ReduceSegments of segment_ops.h.
// SPDX-License-Identifier: Apache-2.0
#include "segment_ops.h"

namespace math_ops {

namespace {

// Divides the work into units: some columns of some segments. Each unit reads all ids, so there are at most as many
// ranges of segments as threads, and only one if there are enough columns.
class SegmentReducer {
 public:
  SegmentReducer(const Tensor& data, const std::vector<int64>& ids, const SegmentSizes& sizes, const FoldLoops& loops,
                 const EmptyValue& empty, Tensor* output)
      : ids_(ids),
        sizes_(sizes),
        loops_(loops),
        empty_(empty),
        in_(static_cast<const char*>(data.data())),
        out_(static_cast<char*>(output->data())),
        bytes_(DataTypeSize(data.dtype())),
        chunks_((sizes.width + kChunk - 1) / kChunk) {}

  Status Run(OpKernelContext* context, bool count) {
    Tensor counts, accumulators;
    acc_ = out_;  // elements of the output are accumulators if they have the same size
    if (loops_.acc_bytes != bytes_) {
      const TensorShape shape({sizes_.segments * sizes_.width * loops_.acc_bytes});
      TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, shape, &accumulators));
      acc_ = static_cast<char*>(accumulators.data());
    }
    if (count) {
      TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT64, TensorShape({sizes_.segments}), &counts));
      CountRows(static_cast<int64_t*>(counts.data()));
    }
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    const int64 elements = sizes_.rows * sizes_.width, enough = std::min<int64>(workers.num_threads, sizes_.segments);
    ranges_ = chunks_ >= enough || elements < kWorthARange ? 1 : enough;
    const int64 work = elements + sizes_.segments * sizes_.width;
    Shard(workers.num_threads, workers.workers, ranges_ * chunks_, work / (ranges_ * chunks_) + sizes_.rows + 10,
          [this](int64 begin, int64 end) {
            for (int64 i = begin; i < end; ++i) Reduce(i / chunks_, i % chunks_ * kChunk);
          });
    return Status::OK();
  }

 private:
  // The columns of a unit: few enough for accumulators to stay in the L1 cache, and the same for any number of threads.
  static constexpr int64 kChunk = 1024, kWorthARange = 32 << 10;

  void CountRows(int64_t* counts) {
    std::fill(counts, counts + sizes_.segments, 0);
    for (const int64 id : ids_) {
      if (id >= 0) ++counts[id];
    }
    counts_ = counts;
  }
  char* AccOf(int64 segment, int64 column) const { return acc_ + (segment * sizes_.width + column) * loops_.acc_bytes; }

  void Reduce(int64 range, int64 column) const {
    const int64 begin = sizes_.segments * range / ranges_, end = sizes_.segments * (range + 1) / ranges_;
    const int64 width = std::min(kChunk, sizes_.width - column);
    for (int64 segment = begin; segment < end; ++segment) loops_.start(AccOf(segment, column), width);
    for (int64 row = 0, rows = 0; row < sizes_.rows; row += rows) {
      const int64 id = ids_[static_cast<size_t>(row)];
      for (rows = 1; row + rows < sizes_.rows && ids_[static_cast<size_t>(row + rows)] == id;) ++rows;
      if (id >= begin && id < end) Fold(AccOf(id, column), in_ + (row * sizes_.width + column) * bytes_, rows, width);
    }
    for (int64 segment = begin; segment < end; ++segment) Finish(segment, column, width);
  }
  void Fold(char* acc, const char* in, int64 rows, int64 width) const {
    sizes_.width == 1 ? loops_.fold(acc, in, rows) : loops_.fold_rows(acc, in, rows, sizes_.width, width);
  }
  void Finish(int64 segment, int64 column, int64 width) const {
    char* const out = out_ + (segment * sizes_.width + column) * bytes_;
    const int64 count = counts_ == nullptr ? 1 : counts_[segment];
    if (count > 0) return loops_.finish(AccOf(segment, column), out, count, width);
    for (int64 i = 0; i < width; ++i) std::memcpy(out + i * bytes_, empty_.bytes, static_cast<size_t>(bytes_));
  }

  const std::vector<int64>& ids_;
  const SegmentSizes& sizes_;
  const FoldLoops& loops_;
  const EmptyValue& empty_;
  const char* const in_;
  char* const out_;
  const int64 bytes_, chunks_;
  char* acc_ = nullptr;
  int64 ranges_ = 1;
  const int64_t* counts_ = nullptr;
};

}  // namespace

Status ReduceSegments(OpKernelContext* context, const Tensor& data, const std::vector<int64>& ids,
                      const SegmentSizes& sizes, const FoldLoops& loops, const EmptyValue& empty, Tensor* output) {
  return SegmentReducer(data, ids, sizes, loops, empty, output).Run(context, empty.is_set);
}

}  // namespace math_ops

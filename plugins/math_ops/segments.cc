// plugins/math_ops/segments.cc: see segments.h.
// SPDX-License-Identifier: Apache-2.0
#include "segments.h"

#include <string>

#include "broadcast.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

using namespace shape_inference;

namespace {

template <typename... Pieces>
Status Wrong(const char* name, const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:" + std::string(name));
}

template <typename Id>
std::vector<int64> IdsOf(const Tensor& ids) {
  const Id* const data = static_cast<const Id*>(ids.data());
  return std::vector<int64>(data, data + ids.NumElements());
}

Status NoRows() {
  return Wrong("data", "data must have one dimension or more, but is a scalar");
}
Status NotOneForEachRow(const std::string& ids, const std::string& data) {
  return Wrong("segment_ids", "segment_ids must have one id for each row of data, but has ", ids, " for ", data,
               " rows");
}
Status NotAPrefix(const std::string& ids, const std::string& data) {
  return Wrong("segment_ids", "the shape of data must begin with that of segment_ids, but data has shape ", data,
               " and segment_ids has shape ", ids);
}
Status NoSegments() {
  return Wrong("grad", "grad must have a row for each segment, but is a scalar");
}
Status TooManyDims() {
  return Wrong("segment_ids", "the result would have more than ", OPSRUN_MAX_RANK, " dimensions");
}

}  // namespace

std::vector<int64> ReadIds(const Tensor& ids) {
  if (ids.dtype() == DT_INT16) return IdsOf<int16>(ids);
  return ids.dtype() == DT_INT32 ? IdsOf<int32>(ids) : IdsOf<int64_t>(ids);
}

Status WrongSortedId(int64 i, int64 before, int64 id) {
  if (id < 0) return Wrong("segment_ids", "segment_ids[", i, "] is ", id, ", but an id must be 0 or more");
  return Wrong("segment_ids", "segment_ids must be sorted, but segment_ids[", i, "] is ", id, " after ", before,
               "; the ops that take ids in any order have names that begin with Unsorted");
}

Status TooLargeId(const TensorShape& ids, int64 i, int64 id, int64 segments) {
  return Wrong("segment_ids", "segment_ids", ids.dims() == 0 ? "" : IndexText(i, ids), " is ", id,
               ", but must be below ", segments, ", the number of segments");
}

Status NoSuchSize(int64 i, int64 id) {
  return Wrong("segment_ids", "segment_ids[", i, "] is ", id, ", and no tensor can have so many rows");
}

Status CountSorted(const std::vector<int64>& ids, int64* segments) {
  int64 before = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < before) return WrongSortedId(static_cast<int64>(i), before, ids[i]);
    before = ids[i];
  }
  if (before == kint64max) return NoSuchSize(static_cast<int64>(ids.size()) - 1, before);
  *segments = ids.empty() ? 0 : before + 1;
  return Status::OK();
}

Status CheckBelow(const std::vector<int64>& ids, const TensorShape& shape, int64 segments) {
  const auto found = std::find_if(ids.begin(), ids.end(), [segments](int64 id) { return id >= segments; });
  return found == ids.end() ? Status::OK() : TooLargeId(shape, found - ids.begin(), *found, segments);
}

Status CheckSortedShapes(const TensorShape& data, const TensorShape& ids) {
  if (data.dims() == 0) return NoRows();
  TF_RETURN_IF_ERROR(CheckVector(ids, "segment_ids"));
  if (ids.dim_size(0) == data.dim_size(0)) return Status::OK();
  return NotOneForEachRow(std::to_string(ids.dim_size(0)), std::to_string(data.dim_size(0)));
}

Status CheckUnsortedShapes(const TensorShape& data, const TensorShape& ids) {
  bool fits = ids.dims() <= data.dims();
  for (int i = 0; fits && i < ids.dims(); ++i) fits = ids.dim_size(i) == data.dim_size(i);
  return fits ? Status::OK() : NotAPrefix(ids.DebugString(), data.DebugString());
}

Status ReadNumSegments(const Tensor& num_segments, int64* segments) {
  TF_RETURN_IF_ERROR(CheckScalar(num_segments.shape(), "num_segments"));
  *segments = ReadIds(num_segments)[0];
  if (*segments >= 0) return Status::OK();
  return Wrong("num_segments", "num_segments is ", *segments, ", but must be 0 or more");
}

Status SegmentsShape(const TensorShape& data, int rank_of_ids, int64 segments, const char* name, TensorShape* shape) {
  std::vector<int64> sizes = {segments};
  for (int i = rank_of_ids; i < data.dims(); ++i) sizes.push_back(data.dim_size(i));
  if (sizes.size() > OPSRUN_MAX_RANK) return TooManyDims();
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:" + std::string(name));
}

Status RowsShape(const TensorShape& grad, const TensorShape& ids, int64* segments, TensorShape* shape) {
  if (grad.dims() == 0) return NoSegments();
  if (ids.dims() + grad.dims() - 1 > OPSRUN_MAX_RANK) return TooManyDims();
  std::vector<int64> sizes = ids.dim_sizes();
  for (int i = 1; i < grad.dims(); ++i) sizes.push_back(grad.dim_size(i));
  *segments = grad.dim_size(0);
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:segment_ids");
}

Status SortedSegmentsShapeFn(InferenceContext* c) {
  const ShapeHandle data = c->input(0), ids = c->input(1);
  ShapeHandle output = c->UnknownShape();
  DimensionHandle rows, segments = c->UnknownDim();
  if (c->Rank(data) == 0) return NoRows();
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "segment_ids"));
  if (!c->Merge(c->Dim(data, 0), c->Dim(ids, 0), &rows).ok()) {
    return NotOneForEachRow(c->DebugString(c->Dim(ids, 0)), c->DebugString(c->Dim(data, 0)));
  }
  if (const Tensor* const value = c->input_tensor(1)) {
    int64 count;
    TF_RETURN_IF_ERROR(CountSorted(ReadIds(*value), &count));
    segments = c->MakeDim(static_cast<int64_t>(count));
  } else if (const auto known = c->input_elements(1)) {
    if (!known->empty()) TF_RETURN_IF_ERROR(c->Add(c->SizeOf(known->back()), 1, &segments));
  }
  if (c->RankKnown(data)) TF_RETURN_IF_ERROR(c->ReplaceDim(data, 0, segments, &output));
  c->set_output(0, output);
  return Status::OK();
}

Status MergeRows(InferenceContext* c, int data, int ids) {
  const ShapeHandle all = c->input(data), some = c->input(ids);
  if (!c->RankKnown(all) || !c->RankKnown(some)) return Status::OK();
  bool fits = c->Rank(some) <= c->Rank(all);
  for (int i = 0; fits && i < c->Rank(some); ++i) {
    DimensionHandle merged;
    fits = c->Merge(c->Dim(all, i), c->Dim(some, i), &merged).ok();
  }
  return fits ? Status::OK() : NotAPrefix(c->DebugString(some), c->DebugString(all));
}

Status UnsortedSegmentsShapeFn(InferenceContext* c) {
  const ShapeHandle data = c->input(0), ids = c->input(1);
  ShapeHandle output = c->UnknownShape(), slice;
  DimensionHandle segments;
  TF_RETURN_IF_ERROR(CheckScalar(c, 2, "num_segments"));
  TF_RETURN_IF_ERROR(MergeRows(c, 0, 1));
  if (const Tensor* const value = c->input_tensor(2)) {
    int64 known;
    TF_RETURN_IF_ERROR(ReadNumSegments(*value, &known));
    const Tensor* const known_ids = c->input_tensor(1);
    if (known_ids != nullptr) TF_RETURN_IF_ERROR(CheckBelow(ReadIds(*known_ids), known_ids->shape(), known));
  }
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
  if (c->RankKnown(data) && c->RankKnown(ids)) {
    if (c->Rank(data) - c->Rank(ids) >= OPSRUN_MAX_RANK) return TooManyDims();
    TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &slice));
    TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(segments), slice, &output));
  }
  c->set_output(0, output);
  return Status::OK();
}

Status SegmentRowsShapeFn(InferenceContext* c) {
  const ShapeHandle grad = c->input(0), ids = c->input(1);
  ShapeHandle output = c->UnknownShape(), slice;
  if (c->Rank(grad) == 0) return NoSegments();
  const Tensor* const value = c->input_tensor(1);
  if (value != nullptr && c->ValueKnown(c->Dim(grad, 0))) {
    TF_RETURN_IF_ERROR(CheckBelow(ReadIds(*value), value->shape(), c->Value(c->Dim(grad, 0))));
  }
  if (c->RankKnown(grad) && c->RankKnown(ids)) {
    if (c->Rank(ids) + c->Rank(grad) - 1 > OPSRUN_MAX_RANK) return TooManyDims();
    TF_RETURN_IF_ERROR(c->Subshape(grad, 1, &slice));
    TF_RETURN_IF_ERROR(c->Concatenate(ids, slice, &output));
  }
  c->set_output(0, output);
  return Status::OK();
}

// ReduceSegments.

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

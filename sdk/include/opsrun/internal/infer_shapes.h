// opsrun/internal/infer_shapes.h: shapes of an InferenceContext: creation, assertion, merging, slicing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

OPSRUN_COLD inline bool InferenceContext::FullyDefined(ShapeHandle s) {
  if (!RankKnown(s)) return false;
  return std::all_of(s.shape_->dims, s.shape_->dims + Rank(s), [](const opsrun_dim* d) { return d->value >= 0; });
}

OPSRUN_COLD inline DimensionHandle InferenceContext::DimKnownRank(ShapeHandle s, int64_t i) {
  const int64_t rank = std::max(Rank(s), int32_t{0}), at = i < 0 ? i + rank : i;
  if (at < 0 || at >= rank) {
    internal::Fail(internal::Invalid({"Shape ", DebugString(s), " has no dimension ", i}));
  }
  return DimensionHandle(s.shape_->dims[at]);
}

OPSRUN_COLD inline std::string InferenceContext::DebugString(ShapeHandle s) {
  if (!RankKnown(s)) return "?";
  std::string text = "[";
  for (int32_t i = 0; i < Rank(s); ++i) {
    if (i > 0) text += ',';
    text += DebugString(DimKnownRank(s, i));
  }
  return text + "]";
}

OPSRUN_COLD inline Status InferenceContext::Make(int32_t rank, const opsrun_dim* const* dims, ShapeHandle* out) {
  const opsrun_shape* shape = nullptr;
  const int32_t code = call_->host->make_shape(call_, rank, dims, &shape);
  *out = ShapeHandle(shape);
  return Status(static_cast<error::Code>(code), "The host cannot make a shape");
}

OPSRUN_COLD inline Status InferenceContext::NewShape(const std::vector<DimensionHandle>& dims, ShapeHandle* out) {
  *out = ShapeHandle();
  if (dims.size() > OPSRUN_MAX_RANK) {
    return internal::Invalid({"A shape of ", dims.size(), " dimensions; there may be ", OPSRUN_MAX_RANK});
  }
  const opsrun_dim* pointers[OPSRUN_MAX_RANK];
  int32_t rank = 0;
  for (DimensionHandle d : dims) {
    TF_RETURN_IF_ERROR(Give(d, &d));
    pointers[rank++] = d.dim_;
  }
  return Make(rank, pointers, out);
}

OPSRUN_COLD inline Status InferenceContext::NewUnknownShape(int64_t rank, ShapeHandle* out) {
  *out = ShapeHandle();
  if (rank < kUnknownRank || rank > OPSRUN_MAX_RANK) {
    return internal::Invalid({"A shape of ", rank, " dimensions; there may be 0 to ", OPSRUN_MAX_RANK});
  }
  if (rank == kUnknownRank) return Make(kUnknownRank, nullptr, out);
  return NewShape(std::vector<DimensionHandle>(static_cast<size_t>(rank)), out);
}

OPSRUN_COLD inline ShapeHandle InferenceContext::MakeShape(const std::vector<DimensionHandle>& dims) {
  ShapeHandle made;
  Require(NewShape(dims, &made));
  return made;
}

OPSRUN_COLD inline ShapeHandle InferenceContext::MakeShape(std::initializer_list<DimensionOrConstant> dims) {
  std::vector<DimensionHandle> handles;
  for (const DimensionOrConstant& d : dims) handles.push_back(MakeDim(d));
  return MakeShape(handles);
}

OPSRUN_COLD inline ShapeHandle InferenceContext::UnknownShape() {
  ShapeHandle made;
  Require(Make(kUnknownRank, nullptr, &made));
  return made;
}

OPSRUN_COLD inline ShapeHandle InferenceContext::UnknownShapeOfRank(int64_t rank) {
  ShapeHandle made;
  Require(NewUnknownShape(rank, &made));
  return made;
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeShapeFromTensorShape(const TensorShape& shape,
                                                                             ShapeHandle* out) {
  return MakeShapeFromPartialTensorShape(shape, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeShapeFromPartialTensorShape(const PartialTensorShape& shape,
                                                                                    ShapeHandle* out) {
  *out = ShapeHandle();
  if (shape.unknown_rank()) return NewUnknownShape(kUnknownRank, out);
  std::vector<DimensionHandle> dims(static_cast<size_t>(shape.dims()));
  for (int i = 0; i < shape.dims(); ++i) TF_RETURN_IF_ERROR(NewDim(shape.dim_size(i), &dims[static_cast<size_t>(i)]));
  return NewShape(dims, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::WithRank(ShapeHandle s, int64_t rank, ShapeHandle* out) {
  *out = ShapeHandle();
  if (Rank(s) == rank) {
    *out = s;
    return Status();
  }
  if (!RankKnown(s)) return NewUnknownShape(rank, out);
  return Error(s, {"Shape must be rank ", rank, " but is rank ", Rank(s), ": ", DebugString(s)});
}

OPSRUN_COLD inline Status InferenceContext::WithRankBound(ShapeHandle s, int64_t rank, const char* bound, bool holds,
                                                          ShapeHandle* out) {
  *out = ShapeHandle();
  if (rank > std::numeric_limits<int32_t>::max()) return internal::Invalid({"A shape cannot have rank ", rank});
  if (RankKnown(s) && !holds) {
    return Error(s, {"Shape must be ", bound, " rank ", rank, " but is rank ", Rank(s), ": ", DebugString(s)});
  }
  *out = s;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Merge(ShapeHandle s, ShapeHandle t, ShapeHandle* out) {
  *out = ShapeHandle();
  if (s.SameHandle(t) || !RankKnown(s) || !RankKnown(t)) {
    *out = RankKnown(s) || !RankKnown(t) ? s : t;
    return Status();
  }
  if (Rank(s) != Rank(t)) {
    return Conflict(s, t,
                    {"Shapes must have the same rank, but ", DebugString(s), " and ", DebugString(t), " have ", Rank(s),
                     " and ", Rank(t)});
  }
  bool s_knows_all = true, t_knows_all = true;
  for (int32_t i = 0; i < Rank(s); ++i) {
    const int64_t a = Value(DimKnownRank(s, i)), b = Value(DimKnownRank(t, i));
    if (a >= 0 && b >= 0 && a != b) {
      return Conflict(
          s, t,
          {"Dimension ", i, " of ", DebugString(s), " and ", DebugString(t), " must be equal, got ", a, " and ", b});
    }
    if (a < 0 && b >= 0) s_knows_all = false;
    if (b < 0 && a >= 0) t_knows_all = false;
  }
  std::vector<DimensionHandle> dims(static_cast<size_t>(Rank(s)));
  for (int32_t i = 0; i < Rank(s); ++i) {
    TF_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(t, i), &dims[static_cast<size_t>(i)]));
  }
  if (!s_knows_all && !t_knows_all) return NewShape(dims, out);
  *out = s_knows_all ? s : t;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out,
                                                                ShapeHandle* prefix_out) {
  *s_out = *prefix_out = ShapeHandle();
  if (!RankKnown(s) || !RankKnown(prefix)) {
    *s_out = s;
    *prefix_out = prefix;
    return Status();
  }
  ShapeHandle checked, merged, merged_prefix;
  TF_RETURN_IF_ERROR(WithRankAtLeast(s, Rank(prefix), &checked));
  std::vector<DimensionHandle> dims(static_cast<size_t>(Rank(prefix)));
  for (int32_t i = 0; i < Rank(prefix); ++i) {
    TF_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(prefix, i), &dims[static_cast<size_t>(i)]));
  }
  TF_RETURN_IF_ERROR(NewShape(dims, &merged_prefix));
  for (int32_t i = Rank(prefix); i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
  TF_RETURN_IF_ERROR(NewShape(dims, &merged));
  *s_out = merged;
  *prefix_out = merged_prefix;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Subshape(ShapeHandle s, int64_t start, int64_t end, int64_t stride,
                                                             ShapeHandle* out) {
  *out = ShapeHandle();
  const int64_t rank = Rank(s);
  if (start == 0 && stride == 1 && (end == kEnd || (RankKnown(s) && end >= rank))) {
    *out = s;
    return Status();
  }
  if (!RankKnown(s)) return NewUnknownShape(kUnknownRank, out);
  int64_t from = std::min(start, rank), to = std::min(end, rank);
  if (stride < 0 && from == rank) --from;
  if (from < 0) from += rank;
  if (to < 0) to += rank;
  if (from < 0 || to < 0 || (stride > 0 && from > to) || (stride < 0 && from < to)) {
    return Error(s,
                 {"Shape ", DebugString(s), " has no dimensions from ", start, " to ", end, " by steps of ", stride});
  }
  std::vector<DimensionHandle> dims;
  // Computes the count first: with a large stride, the next position could overflow.
  const int64_t count = stride == 0 || from == to ? 0 : (stride > 0 ? to - from - 1 : to - from + 1) / stride + 1;
  for (int64_t i = 0; i < count; ++i) dims.push_back(DimKnownRank(s, from + i * stride));
  return NewShape(dims, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::Concatenate(ShapeHandle s, ShapeHandle t, ShapeHandle* out) {
  *out = ShapeHandle();
  if (!RankKnown(s) || !RankKnown(t)) return NewUnknownShape(kUnknownRank, out);
  std::vector<DimensionHandle> dims;
  for (int32_t i = 0; i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
  for (int32_t i = 0; i < Rank(t); ++i) dims.push_back(DimKnownRank(t, i));
  return NewShape(dims, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::ReplaceDim(ShapeHandle s, int64_t i, DimensionHandle d,
                                                               ShapeHandle* out) {
  *out = ShapeHandle();
  if (!RankKnown(s)) return NewUnknownShape(kUnknownRank, out);
  const int64_t at = i < 0 ? i + Rank(s) : i;
  if (at < 0 || at >= Rank(s)) return Error(s, {"Shape ", DebugString(s), " has no dimension ", i});
  std::vector<DimensionHandle> dims;
  for (int32_t k = 0; k < Rank(s); ++k) dims.push_back(k == at ? d : DimKnownRank(s, k));
  return NewShape(dims, out);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

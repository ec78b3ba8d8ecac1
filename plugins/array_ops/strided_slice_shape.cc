// plugins/array_ops/strided_slice_shape.cc: see strided_slice_shape.h.
// SPDX-License-Identifier: Apache-2.0
#include "strided_slice_shape.h"

#include <vector>

#include "integers.h"

namespace array_ops {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

constexpr const char* kNames[] = {"begin", "end", "strides"};

bool Masked(int64 mask, int entry) {
  return ((mask >> entry) & 1) != 0;
}

// The values of the vectors as far as they are known.
struct KnownValues {
  const Tensor *begin, *end, *strides;

  bool All() const { return begin != nullptr && end != nullptr && strides != nullptr; }
  StridedValues Read() const { return {Integers(*begin), Integers(*end), Integers(*strides)}; }
  // The whole dimension, whatever its size.
  bool IsWhole(const StridedMasks& masks, const SlicedDim& dim) const {
    if (dim.entry < 0) return true;
    if (dim.shrink || strides == nullptr) return false;
    const int64 stride = Integers(*strides)[static_cast<size_t>(dim.entry)];
    return Masked(masks.begin, dim.entry) && Masked(masks.end, dim.entry) && (stride == 1 || stride == -1);
  }
};

Status SizeOf(InferenceContext* c, const StridedMasks& masks, const KnownValues& values, const SlicedDim& sliced,
              int axis, DimensionHandle* size) {
  const DimensionHandle whole = c->Dim(c->input(0), axis);
  Progression taken;
  *size = whole;
  if (values.All() && c->ValueKnown(whole)) {
    TF_RETURN_IF_ERROR(values.Read().Resolve(masks, sliced, axis, c->Value(whole), &taken));
    if (taken.count != c->Value(whole)) *size = c->MakeDim(taken.count);
  } else if (!values.IsWhole(masks, sliced)) {
    *size = c->UnknownDim();
  }
  return Status::OK();
}

}  // namespace

Status CheckStridedInputs(InferenceContext* c, int first) {
  ShapeHandle all = c->input(first);
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(CheckVector(c, first + i, kNames[i]));
    TF_RETURN_IF_ERROR(c->Merge(all, c->input(first + i), &all));
  }
  const int64 entries = c->RankKnown(all) ? c->Value(c->Dim(all, 0)) : -1;
  if (entries > OPSRUN_MAX_RANK)
    return Wrong("begin", "begin has ", entries, " elements, more than a tensor has dimensions");
  return Status::OK();
}

Status StridedSliceShape(InferenceContext* c) {
  StridedMasks masks;
  TF_RETURN_IF_ERROR(masks.Read(c));
  TF_RETURN_IF_ERROR(CheckStridedInputs(c, 1));
  DimensionHandle entries = c->Dim(c->input(1), 0);
  for (int i = 2; i < 4; ++i) TF_RETURN_IF_ERROR(c->Merge(entries, c->Dim(c->input(i), 0), &entries));
  const KnownValues values = {c->input_tensor(1), c->input_tensor(2), c->input_tensor(3)};
  if (!c->RankKnown(c->input(0)) || !c->ValueKnown(entries)) return SetUnknownOfRank(c, -1);

  StridedLayout layout;
  const int rank = c->Rank(c->input(0));
  TF_RETURN_IF_ERROR(MakeStridedLayout(masks, static_cast<int>(c->Value(entries)), rank, &layout));
  std::vector<DimensionHandle> sizes(static_cast<size_t>(rank)), dims;
  for (int i = 0; i < rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    TF_RETURN_IF_ERROR(SizeOf(c, masks, values, layout.dims[at], i, &sizes[at]));
  }
  for (const int dim : layout.final_dims) dims.push_back(dim < 0 ? c->MakeDim(1) : sizes[static_cast<size_t>(dim)]);
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

}  // namespace array_ops

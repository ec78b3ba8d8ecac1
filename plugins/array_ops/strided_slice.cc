// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "indices.h"
#include "view.h"

namespace array_ops {

using namespace shape_inference;

namespace {

bool Has(int64 mask, int i) {
  return i < 63 && ((mask >> i) & 1) != 0;
}

// Without an ellipsis in the masks, there is an implicit one after the last entry.
int FindEllipsis(const StridedMasks& masks, int entries) {
  int i = 0;
  while (i < entries && !Has(masks.ellipsis, i)) ++i;
  return i;
}

// How many dimensions of the input the entries [begin, end) describe.
int CountDescribed(const StridedMasks& masks, int begin, int end) {
  int n = 0;
  for (int i = begin; i < end; ++i) n += Has(masks.new_axis, i) ? 0 : 1;
  return n;
}

void AddEntry(const StridedMasks& masks, int i, StridedLayout* layout) {
  if (Has(masks.new_axis, i)) return layout->final_dims.push_back(-1);
  const bool shrink = Has(masks.shrink_axis, i);
  if (!shrink) layout->final_dims.push_back(static_cast<int>(layout->dims.size()));
  layout->dims.push_back({i, shrink});
}

// Resolves a negative position, and clamps it to the range in which a progression can begin or end.
int64 Clamped(int64 position, int64 size, int64 stride) {
  const int64 low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  if (position < 0) position += size;
  return std::min(std::max(position, low), high);
}

constexpr const char* kNames[] = {"begin", "end", "strides"};

// What is known of one entry of the vectors and of its dimension.
struct Entry {
  DimensionHandle whole;
  KnownElement begin, end, stride;
  bool from_edge, to_edge, shrink;

  // Whether it is known which elements are taken.
  bool IsResolved(InferenceContext* c) const {
    if (!c->ValueKnown(whole) || !stride.known()) return false;
    return (begin.known() || (from_edge && !shrink)) && (end.known() || to_edge || shrink);
  }

  // A bound of a slice with stride 1, clamped to the dimension.
  DimensionHandle Clamped(InferenceContext* c, const KnownElement& position) const {
    DimensionHandle clamped = c->UnknownDim();
    if (position.is_size()) {
      if (!c->Min(c->SizeOf(position), whole, &clamped).ok()) return c->UnknownDim();
    } else if (position.known()) {
      const DimensionHandle from_end = c->MakeDim(-position.value());
      const bool is_known = c->Max(whole, from_end, &clamped).ok() && c->Subtract(clamped, from_end, &clamped).ok();
      if (!is_known) return c->UnknownDim();
    }
    return clamped;
  }

  // Whether `end` is at or after `begin` for every size of the dimension.
  bool IsForward() const {
    if (from_edge || to_edge || (begin.known() && begin.value() == 0)) return true;
    return begin.known() && end.known() && (begin.value() < 0) == (end.value() < 0) && begin.value() <= end.value();
  }

  // The number of elements taken, as far as it follows from other sizes.
  DimensionHandle Count(InferenceContext* c) const {
    if (!stride.known()) return c->UnknownDim();
    if (from_edge && to_edge && (stride.value() == 1 || stride.value() == -1)) return whole;
    if (stride.value() != 1 || !IsForward()) return c->UnknownDim();
    const DimensionHandle first = from_edge ? c->MakeDim(0) : Clamped(c, begin),
                          last = to_edge ? whole : Clamped(c, end);
    DimensionHandle count;
    return c->Subtract(last, first, &count).ok() ? count : c->UnknownDim();
  }
};

// The three vectors as far as they are known.
class KnownVectors {
 public:
  KnownVectors(InferenceContext* c, const StridedMasks& masks, int64 entries) : masks_(masks) {
    for (int i = 0; i < 3; ++i) {
      elements_[i] = c->input_elements(i + 1).value_or(std::vector<KnownElement>(static_cast<size_t>(entries)));
      for (KnownElement& element : elements_[i]) {
        // A negative position would count from the end.
        if (!element.known() && !opsrun::internal::NeverNegative(c, element)) element = KnownElement();
      }
    }
  }

  Entry At(DimensionHandle whole, const SlicedDim& dim) const {
    const size_t at = static_cast<size_t>(dim.entry);
    return {whole,
            elements_[0][at],
            elements_[1][at],
            elements_[2][at],
            Has(masks_.begin, dim.entry),
            Has(masks_.end, dim.entry),
            dim.shrink};
  }

  // Requires: entry.IsResolved(). Unknown values of other entries have no effect.
  Status Resolve(InferenceContext* c, const Entry& entry, const SlicedDim& dim, int axis, Progression* taken) const {
    StridedValues values;
    for (int i = 0; i < 3; ++i) {
      std::vector<int64>* into = i == 0 ? &values.begin : i == 1 ? &values.end : &values.strides;
      for (const KnownElement& element : elements_[i]) into->push_back(element.known() ? element.value() : 0);
    }
    return values.Resolve(masks_, dim, axis, c->Value(entry.whole), taken);
  }

 private:
  StridedMasks masks_;
  std::vector<KnownElement> elements_[3];
};

// Sets the number and the positions of the elements along dimension `axis`; or *known to false.
Status SizeOf(InferenceContext* c, const KnownVectors& vectors, const SlicedDim& sliced, int axis,
              DimensionHandle* size, Progression* taken, bool* known) {
  const DimensionHandle whole = c->Dim(c->input(0), axis);
  *size = whole;
  *taken = {0, 1, c->Value(whole)};
  if (sliced.entry < 0) return Status::OK();
  const Entry entry = vectors.At(whole, sliced);
  if (entry.IsResolved(c)) {
    TF_RETURN_IF_ERROR(vectors.Resolve(c, entry, sliced, axis, taken));
    if (taken->count != c->Value(whole)) *size = c->MakeDim(taken->count);
  } else {
    *known = false;
    if (!sliced.shrink) *size = entry.Count(c);
  }
  return Status::OK();
}

}  // namespace

Status MakeStridedLayout(const StridedMasks& masks, int entries, int rank, StridedLayout* layout) {
  if ((masks.ellipsis & (masks.ellipsis - 1)) != 0) {
    return errors::InvalidArgument("ellipsis_mask is ", masks.ellipsis, ", but only one bit may be set")
        .Blame("attr:ellipsis_mask");
  }
  const int ellipsis = FindEllipsis(masks, entries);
  const int described = CountDescribed(masks, 0, ellipsis) + CountDescribed(masks, ellipsis + 1, entries);
  if (described > rank) {
    return Wrong("begin", "there are entries for ", described, " dimensions, but input has rank ", rank);
  }
  for (int i = 0; i < ellipsis; ++i) AddEntry(masks, i, layout);
  for (int i = described; i < rank; ++i) {
    layout->final_dims.push_back(static_cast<int>(layout->dims.size()));
    layout->dims.push_back({});
  }
  for (int i = ellipsis + 1; i < entries; ++i) AddEntry(masks, i, layout);
  return Status::OK();
}

Status StridedValues::Resolve(const StridedMasks& masks, const SlicedDim& dim, int axis, int64 size,
                              Progression* taken) const {
  *taken = {0, 1, size};
  if (dim.entry < 0) return Status::OK();
  const size_t at = static_cast<size_t>(dim.entry);
  const int64 stride = strides[at];
  if (stride == 0) return Wrong("strides", "strides[", at, "] is 0");
  if (dim.shrink) {
    const int64 index = begin[at] < 0 ? begin[at] + size : begin[at];
    if (stride < 0)
      return Wrong("strides", "strides[", at, "] is ", stride, ", but must be positive for a single index");
    if (index < 0 || index >= size) {
      return Wrong("begin", "begin[", at, "] is ", begin[at], ", but must be between ", -size, " and ", size - 1,
                   ", since dimension ", axis, " of input has size ", size);
    }
    *taken = {index, 1, 1};
    return Status::OK();
  }
  const int64 first = Has(masks.begin, dim.entry) ? (stride > 0 ? 0 : size - 1) : Clamped(begin[at], size, stride);
  const int64 last = Has(masks.end, dim.entry) ? (stride > 0 ? size : -1) : Clamped(end[at], size, stride);
  // The magnitude of a stride may exceed the size of the dimension and even int64; then there is one element.
  const uint64_t step = stride > 0 ? static_cast<uint64_t>(stride) : -static_cast<uint64_t>(stride);
  const uint64_t distance = static_cast<uint64_t>(std::max<int64>(stride > 0 ? last - first : first - last, 0));
  const int64 count = static_cast<int64>(distance / step + (distance % step != 0 ? 1 : 0));
  *taken = {first, count > 1 ? stride : 1, count};
  return Status::OK();
}

Status CheckStridedInputs(InferenceContext* c, int first) {
  ShapeHandle all = c->input(first);
  for (int i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(CheckVector(c, first + i, kNames[i]));
    TF_RETURN_IF_ERROR(c->Merge(all, c->input(first + i), &all));
  }
  return CheckLength(c->RankKnown(all) ? c->Value(c->Dim(all, 0)) : -1, "begin", -1, "");
}

Status StridedSliceShape(InferenceContext* c) {
  StridedMasks masks;
  TF_RETURN_IF_ERROR(masks.Read(c));
  TF_RETURN_IF_ERROR(CheckStridedInputs(c, 1));
  DimensionHandle entries = c->Dim(c->input(1), 0);
  for (int i = 2; i < 4; ++i) TF_RETURN_IF_ERROR(c->Merge(entries, c->Dim(c->input(i), 0), &entries));
  if (!c->RankKnown(c->input(0)) || !c->ValueKnown(entries)) return SetUnknownOfRank(c, -1);

  StridedLayout layout;
  const int rank = c->Rank(c->input(0));
  TF_RETURN_IF_ERROR(MakeStridedLayout(masks, static_cast<int>(c->Value(entries)), rank, &layout));
  const KnownVectors vectors(c, masks, c->Value(entries));
  std::vector<DimensionHandle> sizes(static_cast<size_t>(rank)), dims;
  std::vector<Progression> taken(sizes.size());
  bool known = true;
  for (int i = 0; i < rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    TF_RETURN_IF_ERROR(SizeOf(c, vectors, layout.dims[at], i, &sizes[at], &taken[at], &known));
  }
  for (const int dim : layout.final_dims) dims.push_back(dim < 0 ? c->MakeDim(1) : sizes[static_cast<size_t>(dim)]);
  c->set_output(0, c->MakeShape(dims));
  if (!known) return Status::OK();
  std::vector<int64> counts;
  for (const Progression& along : taken) counts.push_back(along.count);
  PassAt(c, counts, [&](size_t i, int64 k) { return taken[i].begin + k * taken[i].stride; });
  return Status::OK();
}

}  // namespace array_ops

// plugins/list_ops/rows.cc
// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <cstddef>
#include <cstring>

namespace list_ops {
namespace {

struct ToWhole {
  typedef char* Whole;
  typedef const char* Part;
  static void Copy(char* whole, const char* part, size_t bytes) { std::memcpy(whole, part, bytes); }
};
struct ToParts {
  typedef const char* Whole;
  typedef char* Part;
  static void Copy(const char* whole, char* part, size_t bytes) { std::memcpy(part, whole, bytes); }
};

template <typename Way>
void Move(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  if (begin == end) return;
  const int64_t at = begin / r.row_bytes;
  int64_t offset = begin % r.row_bytes, row = at / r.parts, part = at % r.parts;
  while (begin < end) {
    const int64_t bytes = std::min(r.row_bytes - offset, end - begin);
    Way::Copy(whole + begin, parts[part] + row * r.row_bytes + offset, static_cast<size_t>(bytes));
    begin += bytes;
    offset = 0;
    if (++part == r.parts) part = 0, ++row;
  }
}

// Copies whole rows [begin, end) where a row of a part has few bytes, so that calls of memcpy would dominate. Goes part
// by part, for as many rows as fit the L1 cache.
template <typename Way, int64_t kBytes>
void MoveThin(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  constexpr int64_t kBlockBytes = 16 << 10;
  const int64_t block = std::max<int64_t>(kBlockBytes / (r.parts * kBytes), 1);
  for (int64_t first = begin; first < end; first += block) {
    const int64_t last = std::min(first + block, end);
    for (int64_t part = 0; part < r.parts; ++part) {
      for (int64_t row = first; row < last; ++row) {
        Way::Copy(whole + (row * r.parts + part) * kBytes, parts[part] + row * kBytes, kBytes);
      }
    }
  }
}

template <typename Way>
using Mover = void (*)(const Rows&, typename Way::Whole, const typename Way::Part*, int64_t, int64_t);

template <typename Way>
Mover<Way> ThinMover(int64_t row_bytes) {
  switch (row_bytes) {
    case 1:
      return MoveThin<Way, 1>;
    case 2:
      return MoveThin<Way, 2>;
    case 3:
      return MoveThin<Way, 3>;
    case 4:
      return MoveThin<Way, 4>;
    case 8:
      return MoveThin<Way, 8>;
    case 12:
      return MoveThin<Way, 12>;
    case 16:
      return MoveThin<Way, 16>;
    default:
      return nullptr;
  }
}

template <typename Way>
void MoveRange(const Rows& r, typename Way::Whole whole, const typename Way::Part* parts, int64_t begin, int64_t end) {
  const Mover<Way> thin = ThinMover<Way>(r.row_bytes);
  const int64_t stride = r.parts * r.row_bytes;
  if (thin == nullptr || end - begin < 2 * stride) return Move<Way>(r, whole, parts, begin, end);
  const int64_t first = (begin + stride - 1) / stride, last = end / stride;
  Move<Way>(r, whole, parts, begin, first * stride);
  thin(r, whole, parts, first, last);
  Move<Way>(r, whole, parts, last * stride, end);
}

}  // namespace

void Join(const Rows& rows, const char* const* parts, char* whole, int64_t begin, int64_t end) {
  MoveRange<ToWhole>(rows, whole, parts, begin, end);
}

void Cut(const Rows& rows, const char* whole, char* const* parts, int64_t begin, int64_t end) {
  MoveRange<ToParts>(rows, whole, parts, begin, end);
}

using namespace opsrun;
using namespace shape_inference;

Status ResolveAxis(int64 axis, int64 rank, const std::string& what, const char* subject, int64* resolved) {
  const std::string name = std::string(subject).substr(std::string(subject).find(':') + 1);
  if (rank == 0) return errors::InvalidArgument(name, " is ", axis, ", but ", what, " is a scalar").Blame(subject);
  if (axis < -rank || axis >= rank) {
    return errors::InvalidArgument(name, " is ", axis, ", but must be between ", -rank, " and ", rank - 1, ", since ",
                                   what, " has rank ", rank)
        .Blame(subject);
  }
  *resolved = axis < 0 ? axis + rank : axis;
  return Status::OK();
}

Rows RowsAlong(const TensorShape& whole, int64 axis, int64 parts, int64 element_size) {
  Rows rows = {1, parts, element_size};
  for (int i = 0; i < axis; ++i) rows.rows *= whole.dim_size(i);
  for (int i = static_cast<int>(axis); i < whole.dims(); ++i) rows.row_bytes *= whole.dim_size(i);
  rows.row_bytes /= parts;
  return rows;
}

namespace {

Status Differ(const char* name, int i, const std::string& shape_i, int j, const std::string& shape_j) {
  return errors::InvalidArgument("all ", name, " must have the same shape, but tensor ", i, " is ", shape_i,
                                 " and tensor ", j, " is ", shape_j)
      .Blame(std::string("input:") + name + "." + std::to_string(j));
}

// Compares without Merge, which would report what it infers about other tensors to the host.
bool Contradict(InferenceContext* c, ShapeHandle a, ShapeHandle b) {
  if (!c->RankKnown(a) || !c->RankKnown(b)) return false;
  bool differ = c->Rank(a) != c->Rank(b);
  for (int d = 0; !differ && d < c->Rank(a); ++d) {
    const auto size_a = c->Dim(a, d), size_b = c->Dim(b, d);
    differ = c->ValueKnown(size_a) && c->ValueKnown(size_b) && c->Value(size_a) != c->Value(size_b);
  }
  return differ;
}

// The first tensor before j whose shape contradicts that of tensor j; j - 1 if only several of them together do.
int Contradicts(InferenceContext* c, int j) {
  for (int i = 0; i < j; ++i) {
    if (Contradict(c, c->input(i), c->input(j))) return i;
  }
  return j - 1;
}

}  // namespace

Status MergeAll(InferenceContext* c, const char* name, ShapeHandle* shape) {
  *shape = c->input(0);
  for (int j = 1; j < c->num_inputs(); ++j) {
    if (c->Merge(*shape, c->input(j), shape).ok()) continue;
    const int i = Contradicts(c, j);
    return Differ(name, i, c->DebugString(c->input(i)), j, c->DebugString(c->input(j)));
  }
  return Status::OK();
}

Status CheckOneShape(OpKernelContext* context, const char* name) {
  const TensorShape first = context->input(0).shape();
  for (int j = 1; j < context->num_inputs(); ++j) {
    const TensorShape shape = context->input(j).shape();
    if (shape != first) return Differ(name, 0, first.DebugString(), j, shape.DebugString());
  }
  return Status::OK();
}

}  // namespace list_ops

// opsrun/elements.h: lets shape functions compute partly known elements, so that later nodes know them too.
//
// A shape function first sets the shapes of its outputs, and then calls one of these functions, which sets the elements
// of output 0 as far as those of the inputs are known. They do nothing if shapes are unknown or have more than
// OPSRUN_MAX_RANK elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
// Arithmetic on partly known elements. A result is unknown if an operand is, if it does not fit an int64, or if it may
// be negative although the operands are not, because a host cannot represent such a number. A difference of sizes is an
// exception, since it is rarely negative (see NeverNegative).

namespace shape_inference {

typedef KnownElement (*ElementFunction)(InferenceContext* c, const KnownElement& x, const KnownElement& y);

}  // namespace shape_inference

namespace internal {

OPSRUN_COLD inline bool SomethingKnown(const std::vector<KnownElement>& elements) {
  return std::any_of(elements.begin(), elements.end(),
                     [](const KnownElement& element) { return element.known() || element.is_size(); });
}

inline bool BothKnown(const KnownElement& x, const KnownElement& y) {
  return x.known() && y.known();
}

// The result of a method of the context for two sizes; unknown if the method fails, or if one operand is not a size.
template <typename Method>
OPSRUN_COLD KnownElement OfSizes(InferenceContext* c, const KnownElement& x, const KnownElement& y,
                                 const Method& method) {
  DimensionHandle result;
  if (!x.is_size() || !y.is_size()) return {};
  return method(c->SizeOf(x), c->SizeOf(y), &result).ok() ? KnownElement(result) : KnownElement();
}

// Whether the element is at least 0 for all values of the unknown sizes. A difference of sizes may be negative.
OPSRUN_COLD inline bool NeverNegative(InferenceContext* c, const KnownElement& x) {
  DimensionHandle larger;
  if (x.known() || !x.is_size()) return x.is_size();
  return c->Max(x.size(), 0, &larger).ok() && larger.SameHandle(x.size());
}

OPSRUN_COLD inline bool SameSize(const KnownElement& x, const KnownElement& y) {
  return x.size().IsSet() && x.size().SameHandle(y.size());
}

}  // namespace internal

namespace shape_inference {

OPSRUN_COLD inline KnownElement SumOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  int64_t sum;
  if (internal::BothKnown(x, y))
    return __builtin_add_overflow(x.value(), y.value(), &sum) ? KnownElement() : KnownElement(sum);
  const auto add = [c](auto a, auto b, auto* out) { return c->Add(a, b, out); };
  const auto subtract = [c](auto a, auto b, auto* out) { return c->Subtract(a, b, out); };
  if (x.known() && x.value() < 0) return internal::OfSizes(c, y, -x.value(), subtract);
  if (y.known() && y.value() < 0) return internal::OfSizes(c, x, -y.value(), subtract);
  return internal::OfSizes(c, x, y, add);
}

OPSRUN_COLD inline KnownElement DifferenceOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  int64_t difference;
  if (internal::BothKnown(x, y)) {
    return __builtin_sub_overflow(x.value(), y.value(), &difference) ? KnownElement() : KnownElement(difference);
  }
  if (internal::SameSize(x, y)) return 0;
  if (x.known() && x.value() == 0) return {};
  if (y.known() && y.value() < 0) return SumOf(c, x, -y.value());
  return internal::OfSizes(c, x, y, [c](auto a, auto b, auto* out) { return c->Subtract(a, b, out); });
}

OPSRUN_COLD inline KnownElement ProductOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  int64_t product;
  if (internal::BothKnown(x, y)) {
    return __builtin_mul_overflow(x.value(), y.value(), &product) ? KnownElement() : KnownElement(product);
  }
  if ((x.known() && x.value() == 0) || (y.known() && y.value() == 0)) return 0;
  return internal::OfSizes(c, x, y, [c](auto a, auto b, auto* out) { return c->Multiply(a, b, out); });
}

// Rounded down.
OPSRUN_COLD inline KnownElement FloorQuotientOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (y.known() && y.value() == 0) return {};
  if (!internal::BothKnown(x, y)) {
    return internal::OfSizes(c, x, y, [c](auto a, auto b, auto* out) { return c->Divide(a, b, false, out); });
  }
  if (y.value() == -1) return DifferenceOf(c, 0, x);
  const int64_t quotient = x.value() / y.value();
  return quotient - (x.value() % y.value() != 0 && (x.value() < 0) != (y.value() < 0) ? 1 : 0);
}

// The remainder of FloorQuotientOf.
OPSRUN_COLD inline KnownElement FloorRemainderOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (y.known() && y.value() == 0) return {};
  return DifferenceOf(c, x, ProductOf(c, FloorQuotientOf(c, x, y), y));
}

// Rounded towards 0, which for sizes is rounding down.
OPSRUN_COLD inline KnownElement QuotientOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (internal::BothKnown(x, y) && y.value() != 0 && y.value() != -1) return x.value() / y.value();
  const bool is_same = y.known() ? x.known() || internal::NeverNegative(c, x)
                                 : internal::NeverNegative(c, y) && internal::NeverNegative(c, x);
  return is_same ? FloorQuotientOf(c, x, y) : KnownElement();
}

OPSRUN_COLD inline KnownElement RemainderOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (y.known() && y.value() == 0) return {};
  return DifferenceOf(c, x, ProductOf(c, QuotientOf(c, x, y), y));
}

OPSRUN_COLD inline KnownElement SmallerOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (internal::BothKnown(x, y)) return std::min(x.value(), y.value());
  if (!internal::NeverNegative(c, x) || !internal::NeverNegative(c, y)) return {};
  return internal::OfSizes(c, x, y, [c](auto a, auto b, auto* out) { return c->Min(a, b, out); });
}

OPSRUN_COLD inline KnownElement LargerOf(InferenceContext* c, const KnownElement& x, const KnownElement& y) {
  if (internal::BothKnown(x, y)) return std::max(x.value(), y.value());
  if (x.known() && x.value() < 0 && internal::NeverNegative(c, y)) return y;
  if (y.known() && y.value() < 0 && internal::NeverNegative(c, x)) return x;
  return internal::OfSizes(c, x, y, [c](auto a, auto b, auto* out) { return c->Max(a, b, out); });
}

}  // namespace shape_inference
namespace internal {

// The elements at some positions along one dimension: neighbors are `stride` elements apart.
struct TakenAlong {
  int64_t stride;
  std::vector<int64_t> positions;
};

// The elements at all combinations of positions, row-major; nothing if there are too many.
OPSRUN_COLD inline std::optional<std::vector<int64_t>> TakenOffsets(const std::vector<TakenAlong>& dims) {
  std::vector<int64_t> offsets = {0};
  for (const TakenAlong& dim : dims) {
    if (offsets.size() * dim.positions.size() > OPSRUN_MAX_RANK) return std::nullopt;
    std::vector<int64_t> next;
    for (const int64_t offset : offsets) {
      for (const int64_t position : dim.positions) next.push_back(offset + dim.stride * position);
    }
    offsets = std::move(next);
  }
  return offsets;
}

// All elements of a tensor in order. Requires: passed_elements returns them.
OPSRUN_COLD inline std::vector<TakenAlong> AllTaken(InferenceContext* c, ShapeHandle shape) {
  std::vector<TakenAlong> dims(static_cast<size_t>(c->Rank(shape)));
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    dims[i].stride = stride;
    dims[i].positions.resize(static_cast<size_t>(c->Value(c->Dim(shape, static_cast<int64_t>(i)))));
    std::iota(dims[i].positions.begin(), dims[i].positions.end(), 0);
    stride *= static_cast<int64_t>(dims[i].positions.size());
  }
  return dims;
}

OPSRUN_COLD inline std::vector<KnownElement> ElementsAt(const std::vector<KnownElement>& elements,
                                                        const std::vector<int64_t>& offsets) {
  std::vector<KnownElement> taken;
  for (const int64_t offset : offsets) taken.push_back(elements[static_cast<size_t>(offset)]);
  return taken;
}

// Sets the elements of an output to those at these offsets.
OPSRUN_COLD inline void SetTaken(InferenceContext* c, int output, const std::vector<KnownElement>& elements,
                                 const std::optional<std::vector<int64_t>>& offsets) {
  if (offsets) c->set_output_elements(output, ElementsAt(elements, *offsets));
}

// The offsets of a tensor whose shape was broadcast to `to`.
OPSRUN_COLD inline std::optional<std::vector<int64_t>> BroadcastOffsets(InferenceContext* c, ShapeHandle from,
                                                                        ShapeHandle to) {
  std::vector<TakenAlong> dims = AllTaken(c, from);
  const int32_t added = c->Rank(to) - c->Rank(from);
  if (added < 0 || !c->FullyDefined(to)) return std::nullopt;
  dims.insert(dims.begin(), static_cast<size_t>(added), TakenAlong{0, {0}});
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = c->Value(c->Dim(to, static_cast<int64_t>(i)));
    if (size > OPSRUN_MAX_RANK) return std::nullopt;
    if (dims[i].positions.size() == 1) dims[i].positions.assign(static_cast<size_t>(size), 0);
  }
  return TakenOffsets(dims);
}

}  // namespace internal

namespace shape_inference {

// Output: the elements of input i in the same order.
OPSRUN_COLD inline void PassElements(InferenceContext* c, int64_t i, int64_t output = 0) {
  if (const auto elements = c->passed_elements(i)) c->set_output_elements(output, *elements);
}

// Output 0: the same element repeated, as often as input 0 has elements.
OPSRUN_COLD inline void RepeatElement(InferenceContext* c, const KnownElement& element) {
  if (const auto elements = c->passed_elements(0)) {
    c->set_output_elements(0, std::vector<KnownElement>(elements->size(), element));
  }
}

// Output 0: fn of the elements of inputs 0 and 1, which are broadcast to each other.
OPSRUN_COLD inline void CombineElements(InferenceContext* c, ElementFunction fn) {
  const auto x = c->passed_elements(0), y = c->passed_elements(1);
  if (!x || !y || (!internal::SomethingKnown(*x) && !internal::SomethingKnown(*y))) return;
  const auto in_x = internal::BroadcastOffsets(c, c->input(0), c->output(0));
  const auto in_y = internal::BroadcastOffsets(c, c->input(1), c->output(0));
  if (!in_x || !in_y || in_x->size() != in_y->size()) return;
  std::vector<KnownElement> results = internal::ElementsAt(*x, *in_x);
  for (size_t i = 0; i < results.size(); ++i) results[i] = fn(c, results[i], (*y)[static_cast<size_t>((*in_y)[i])]);
  c->set_output_elements(0, results);
}

// Output 0: the elements of input i at all combinations of positions; one list of positions per dimension.
OPSRUN_COLD inline void TakeElements(InferenceContext* c, int64_t i,
                                     const std::vector<std::vector<int64_t>>& positions) {
  const auto elements = c->passed_elements(i);
  if (!elements) return;
  std::vector<internal::TakenAlong> dims = internal::AllTaken(c, c->input(i));
  for (size_t k = 0; k < dims.size(); ++k) dims[k].positions = positions[k];
  internal::SetTaken(c, 0, *elements, internal::TakenOffsets(dims));
}

// Output 0: the elements of input i, with dimension perm[k] moved to dimension k.
OPSRUN_COLD inline void TransposeElements(InferenceContext* c, int64_t i, const std::vector<int64_t>& perm) {
  const auto elements = c->passed_elements(i);
  if (!elements) return;
  const std::vector<internal::TakenAlong> dims = internal::AllTaken(c, c->input(i));
  std::vector<internal::TakenAlong> permuted;
  for (const int64_t k : perm) permuted.push_back(dims[static_cast<size_t>(k)]);
  internal::SetTaken(c, 0, *elements, internal::TakenOffsets(permuted));
}

// Output 0: the elements of input i, broadcast to the shape of the output.
OPSRUN_COLD inline void BroadcastElements(InferenceContext* c, int64_t i) {
  const auto elements = c->passed_elements(i);
  if (!elements) return;
  internal::SetTaken(c, 0, *elements, internal::BroadcastOffsets(c, c->input(i), c->output(0)));
}

// Output 0: the elements of inputs [begin, end), joined along an axis of the output. If the axis is new, the inputs do
// not have that dimension.
OPSRUN_COLD inline void JoinElements(InferenceContext* c, int64_t begin, int64_t end, int64_t axis) {
  std::vector<std::vector<KnownElement>> parts;
  int64_t rows = 1;
  const ShapeHandle joined = c->output(0);
  if (!c->FullyDefined(joined)) return;
  for (int64_t i = 0; i < axis; ++i) rows *= c->Value(c->Dim(joined, i));
  for (int64_t i = begin; i < end; ++i) {
    const auto elements = c->passed_elements(i);
    if (!elements) return;
    parts.push_back(*elements);
  }
  std::vector<KnownElement> all;
  for (int64_t row = 0; row < rows; ++row) {
    for (const std::vector<KnownElement>& part : parts) {
      const int64_t length = static_cast<int64_t>(part.size()) / rows;
      all.insert(all.end(), part.begin() + row * length, part.begin() + (row + 1) * length);
    }
  }
  c->set_output_elements(0, all);
}

// All outputs: the elements of input i, split along an axis into as many equal parts as the op has outputs.
OPSRUN_COLD inline void CutElements(InferenceContext* c, int64_t i, int64_t axis) {
  const auto elements = c->passed_elements(i);
  if (!elements) return;
  const std::vector<internal::TakenAlong> dims = internal::AllTaken(c, c->input(i));
  for (int output = 0; output < c->num_outputs(); ++output) {
    std::vector<internal::TakenAlong> part = dims;
    std::vector<int64_t>& positions = part[static_cast<size_t>(axis)].positions;
    const auto length = static_cast<std::ptrdiff_t>(positions.size()) / c->num_outputs();
    positions = std::vector<int64_t>(positions.begin() + output * length, positions.begin() + (output + 1) * length);
    internal::SetTaken(c, output, *elements, internal::TakenOffsets(part));
  }
}

// Output 0: the elements of input 0 along the reduced dimensions, combined by fn, starting with `first`.
OPSRUN_COLD inline void FoldElements(InferenceContext* c, const bool* reduced, const KnownElement& first,
                                     ElementFunction fn) {
  const auto elements = c->passed_elements(0);
  if (!elements || !internal::SomethingKnown(*elements)) return;
  std::vector<internal::TakenAlong> dims = internal::AllTaken(c, c->input(0));
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    dims[i].stride = reduced[i] ? 0 : stride;
    if (!reduced[i]) stride *= static_cast<int64_t>(dims[i].positions.size());
  }
  std::vector<KnownElement> results(static_cast<size_t>(stride), first);
  const std::vector<int64_t> into = *internal::TakenOffsets(dims);
  for (size_t i = 0; i < into.size(); ++i) {
    KnownElement& result = results[static_cast<size_t>(into[i])];
    result = fn(c, result, (*elements)[i]);
  }
  c->set_output_elements(0, results);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

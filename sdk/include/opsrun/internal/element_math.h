// opsrun/internal/element_math.h: arithmetic on partly known elements.
//
// A result is unknown if an operand is, if it does not fit an int64, or if it may be negative although the operands are
// not, because a host cannot represent such a number. A difference of sizes is an exception, since it is rarely
// negative (see NeverNegative).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

typedef KnownElement (*ElementFunction)(InferenceContext* c, const KnownElement& x, const KnownElement& y);

}  // namespace shape_inference

namespace internal {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::KnownElement;
using shape_inference::ShapeHandle;

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
}  // namespace OPSRUN_HIDDEN

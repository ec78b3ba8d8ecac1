// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "host/spec/shape_engine.h"

namespace opsrun::host::spec {
namespace {

// Sums of real shapes are far shorter. The limits keep hostile ones from growing without bound.
constexpr size_t kMostTerms = 16;
constexpr size_t kMostFactors = 64;

}  // namespace

SizeSum SizeSum::Constant(int64_t value) {
  SizeSum sum;
  if (value != 0) sum.terms_[{}] = value;
  return sum;
}

SizeSum SizeSum::Of(uint32_t size) {
  SizeSum sum;
  sum.terms_[{size}] = 1;
  return sum;
}

bool SizeSum::Add(const Product& product, int64_t coefficient) {
  int64_t& total = terms_[product];
  if (__builtin_add_overflow(total, coefficient, &total)) return false;
  const bool has_negative = total != std::numeric_limits<int64_t>::min();  // divisions rely on it
  if (total == 0) terms_.erase(product);
  return has_negative;
}

bool SizeSum::IsTooLong() const {
  return terms_.size() > kMostTerms ||
         std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.first.size() > kMostFactors; });
}

std::optional<SizeSum> SizeSum::PlusScaled(const SizeSum& other, int64_t factor) const {
  SizeSum sum = *this;
  for (const auto& [product, coefficient] : other.terms_) {
    int64_t scaled = 0;
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || !sum.Add(product, scaled)) return std::nullopt;
  }
  return sum.IsTooLong() ? std::nullopt : std::optional(std::move(sum));
}

std::optional<SizeSum> SizeSum::Plus(const SizeSum& other) const {
  return PlusScaled(other, 1);
}

std::optional<SizeSum> SizeSum::Minus(const SizeSum& other) const {
  return PlusScaled(other, -1);
}

std::optional<SizeSum> SizeSum::Times(const SizeSum& other) const {
  SizeSum sum;
  for (const auto& [x, a] : terms_) {
    for (const auto& [y, b] : other.terms_) {
      Product product;
      std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(product));
      int64_t coefficient = 0;
      if (__builtin_mul_overflow(a, b, &coefficient) || !sum.Add(product, coefficient)) return std::nullopt;
    }
  }
  return sum.IsTooLong() ? std::nullopt : std::optional(std::move(sum));
}

std::optional<SizeSum> SizeSum::DividedBy(const SizeSum& other) const {
  if (other.terms_.size() != 1) return std::nullopt;
  const auto& [divisor, b] = *other.terms_.begin();
  SizeSum sum;
  for (const auto& [product, a] : terms_) {
    if (a % b != 0 || !std::includes(product.begin(), product.end(), divisor.begin(), divisor.end())) {
      return std::nullopt;
    }
    Product quotient;
    std::set_difference(product.begin(), product.end(), divisor.begin(), divisor.end(), std::back_inserter(quotient));
    sum.terms_[quotient] = a / b;
  }
  return sum;
}

std::optional<int64_t> SizeSum::AsConstant() const {
  if (terms_.empty()) return 0;
  const auto& [product, coefficient] = *terms_.begin();
  return terms_.size() == 1 && product.empty() ? std::optional(coefficient) : std::nullopt;
}

std::optional<uint32_t> SizeSum::AsSize() const {
  const std::optional<Line> line = AsLine();
  return line && line->a == 1 && line->b == 0 ? std::optional(line->size) : std::nullopt;
}

std::optional<SizeSum::Line> SizeSum::AsLine() const {
  if (terms_.empty() || terms_.size() > 2) return std::nullopt;
  Line line;
  const auto& [product, coefficient] = *terms_.rbegin();  // the constant, if any, comes first
  if (product.size() != 1) return std::nullopt;
  line.size = product[0];
  line.a = coefficient;
  if (terms_.size() == 1) return line;
  if (!terms_.begin()->first.empty()) return std::nullopt;
  line.b = terms_.begin()->second;
  return line;
}

}  // namespace opsrun::host::spec

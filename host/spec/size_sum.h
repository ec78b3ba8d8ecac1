// host/spec/size_sum.h: a size as a sum of products of other sizes, in a normal form: equal sums mean equal sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace opsrun::host::spec {

// Has an integer coefficient for each product. The owner numbers the sizes.
class SizeSum {
 public:
  static SizeSum Constant(int64_t value);
  static SizeSum Of(uint32_t size);

  // Nothing if a coefficient does not fit 64 bits, or if the result is too long to be worth keeping.
  std::optional<SizeSum> Plus(const SizeSum& other) const;
  std::optional<SizeSum> Minus(const SizeSum& other) const;
  std::optional<SizeSum> Times(const SizeSum& other) const;
  // Nothing also if there may be a remainder for some sizes.
  std::optional<SizeSum> DividedBy(const SizeSum& other) const;

  std::optional<int64_t> AsConstant() const;
  std::optional<uint32_t> AsSize() const;  // nothing unless it is a single size

  // True if a coefficient is negative, or if `is_open` is true for one of the sizes.
  template <typename IsOpen>
  bool MayBeNegative(const IsOpen& is_open) const {
    for (const auto& [product, coefficient] : terms_) {
      if (coefficient < 0) return true;
      for (const uint32_t size : product) {
        if (is_open(size)) return true;
      }
    }
    return false;
  }

  // The sum a * x + b, where x is `size`.
  struct Line {
    uint32_t size = 0;
    int64_t a = 0, b = 0;
  };
  std::optional<Line> AsLine() const;

  auto operator<=>(const SizeSum&) const = default;

 private:
  using Product = std::vector<uint32_t>;  // sizes, ascending; empty: 1

  std::optional<SizeSum> PlusScaled(const SizeSum& other, int64_t factor) const;
  // False on overflow.
  bool Add(const Product& product, int64_t coefficient);
  bool IsTooLong() const;

  std::map<Product, int64_t> terms_;  // without coefficients of 0
};

}  // namespace opsrun::host::spec

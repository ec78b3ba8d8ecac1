// host/spec/size_sum.h: a size as a sum of products of other sizes, in a normal form: equal sums are equal sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace opsrun::host::spec {

// Integer coefficients, one for each product. Sizes are given by numbers of their owner's choice.
class SizeSum {
 public:
  static SizeSum Constant(int64_t value);
  static SizeSum Of(uint32_t size);

  // Nothing if a coefficient does not fit 64 bits, or if the result is too long to be worth keeping.
  std::optional<SizeSum> Plus(const SizeSum& other) const;
  std::optional<SizeSum> Minus(const SizeSum& other) const;
  std::optional<SizeSum> Times(const SizeSum& other) const;
  // Nothing also unless it divides without a remainder, whatever the sizes are.
  std::optional<SizeSum> DividedBy(const SizeSum& other) const;

  std::optional<int64_t> AsConstant() const;
  std::optional<uint32_t> AsSize() const;  // if it is a single size

  // Whether a difference is part of it, or a size for which `is_open` is true.
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

  // x, where the sum is a * x + b.
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

// plugins/list_ops/sum.h: the loop behind AddN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace list_ops {

// What a sum of T is kept in: overflow must wrap, and numbers of two bytes should be rounded once.
template <typename T, bool = std::is_integral_v<T>>
struct Sum {
  typedef std::conditional_t<!std::is_arithmetic_v<T> && sizeof(T) == 2, float, T> type;
};
template <typename T>
struct Sum<T, true> {
  typedef std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>> type;
};

// out[i] = terms[0][i] + terms[1][i] + ... for i in [begin, end). A term may lie in the memory of `out`: a block is
// read from all terms before it is written. Requires: at least one term.
template <typename T>
void AddTerms(const std::vector<const T*>& terms, T* out, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 1024;
  typename Sum<T>::type sums[kBlock];
  for (; begin < end; begin += kBlock) {
    const int64_t count = std::min(kBlock, end - begin);
    for (int64_t i = 0; i < count; ++i) sums[i] = static_cast<typename Sum<T>::type>(terms[0][begin + i]);
    for (size_t k = 1; k < terms.size(); ++k) {
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<typename Sum<T>::type>(terms[k][begin + i]);
    }
    for (int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<T>(sums[i]);
  }
}

}  // namespace list_ops

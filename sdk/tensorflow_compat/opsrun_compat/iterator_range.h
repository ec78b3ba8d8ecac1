// opsrun_compat/iterator_range.h: gtl::iterator_range: a pair of iterators as the range of a loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace gtl {

template <typename Iterator>
class iterator_range {
 public:
  iterator_range(Iterator begin, Iterator end) : begin_(std::move(begin)), end_(std::move(end)) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};

template <typename Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return {std::move(begin), std::move(end)};
}

}  // namespace gtl
}  // namespace OPSRUN_HIDDEN

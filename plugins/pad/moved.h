// plugins/pad/moved.h: what the kernels move: the elements of a tensor, or the addresses of its strings.
//
// The kernels move bytes, and the bytes of a string are not all of it. So they are given the address of each string
// instead, and once every address is in its place, the strings are copied from there. Whatever the rank and the border,
// strings take the same way as numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blocks.h"
#include "opsrun/op_kernel.h"
#include "opsrun/tstring.h"

namespace pad {

// How many bytes an element has where it lies.
inline int64_t ElementBytes(opsrun::DataType type) {
  return type == opsrun::DT_STRING ? int64_t{sizeof(opsrun::tstring)} : opsrun::DataTypeSize(type);
}

class Moved {
 public:
  // Both tensors live as long as this and have the same type.
  Moved(const opsrun::Tensor& input, opsrun::Tensor* output) : input_(input), output_(output) {
    if (!AreStrings()) return;
    const auto strings = input.flat<opsrun::tstring>();
    from_.reserve(static_cast<size_t>(strings.size()));
    for (int64_t i = 0; i < strings.size(); ++i) from_.push_back(&strings(i));
    to_.resize(static_cast<size_t>(output->NumElements()));
  }
  Moved(const Moved&) = delete;

  // What the kernel takes: the size of an element, and input and output.
  int64_t size() const { return AreStrings() ? int64_t{sizeof(Address)} : opsrun::DataTypeSize(input_.dtype()); }
  const void* from() const { return AreStrings() ? from_.data() : input_.data(); }
  void* to() { return AreStrings() ? to_.data() : output_->data(); }

  // The elements are where they belong; now those of strings are copied.
  void Finish(opsrun::OpKernelContext* context) {
    if (!AreStrings()) return;
    constexpr int64_t kBytesOfAString = 256;  // what else could be moved in the time
    auto strings = output_->flat<opsrun::tstring>();
    ForBlocks(context, strings.size(), kBytesOfAString, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) strings(i) = *to_[static_cast<size_t>(i)];
    });
  }

 private:
  using Address = const opsrun::tstring*;

  bool AreStrings() const { return input_.dtype() == opsrun::DT_STRING; }

  const opsrun::Tensor& input_;
  opsrun::Tensor* output_;
  std::vector<Address> from_, to_;
};

}  // namespace pad

// plugins/pad/fill.h: what a border is filled with: one element, over and over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy.h"

namespace pad {

class Fill {
 public:
  // Requires: element_size is 1, 2, 4, 8 or 16. Copies the element.
  Fill(const void* element, size_t element_size) {
    std::memcpy(block_, element, element_size);
    for (size_t filled = element_size; filled < sizeof(block_); filled *= 2) {
      std::memcpy(block_ + filled, block_, filled);
    }
  }

  // Requires: bytes is a multiple of the element's size.
  void Write(char* out, int64_t bytes) const {
    for (; bytes >= kBlock; out += kBlock, bytes -= kBlock) std::memcpy(out, block_, kBlock);
    if (bytes > 32) return CopyEnds<32>(out, block_, bytes);
    if (bytes > 16) return CopyEnds<16>(out, block_, bytes);
    CopyFew(out, block_, bytes);
  }

 private:
  static constexpr int64_t kBlock = 64;
  alignas(kBlock) char block_[kBlock];
};

}  // namespace pad

// host/plugin/file_segments.h: the memory ranges of an open library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opsrun::host {

struct FileSegments {
  struct Range {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    bool executable = false;
  };
  std::vector<Range> ranges;
  std::vector<Range> notes;  // note segments, which lie in them

  // True if all n bytes lie in one of the ranges.
  bool Holds(const void* address, size_t n) const;
  // True if the address lies in an executable one.
  bool HoldsCode(uintptr_t address) const;
};

// The segments of the library or program that contains `address`; none if there is none.
FileSegments SegmentsAround(const void* address);

}  // namespace opsrun::host

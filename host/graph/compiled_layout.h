// host/graph/compiled_layout.h: the first bytes of a compiled graph (compiled_graph.h), for its reader and writer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "host/graph/compiled_graph.h"

namespace opsrun::host::compiled {

inline constexpr char kMagic[8] = {'\x89', 'O', 'P', 'S', 'P', 'L', 'A', 'N'};
inline constexpr uint32_t kCompiledFormat = 1;
inline constexpr size_t kAlignment = 64;
inline constexpr size_t kMostBytes = size_t{1} << 32;  // of all but the arrays

enum Part { kHead, kPlaces, kText, kNames, kNodes, kInputs, kAfter, kNamed, kArrays, kParts };
inline constexpr size_t kRecordBytes[kParts] = {1, sizeof(Span),          1, 1, sizeof(CompiledNode),
                                                4, sizeof(CompiledAfter), 4, 32};

struct PartPlace {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct Header {
  char magic[8] = {};
  uint32_t format = 0;
  uint32_t reserved = 0;
  uint64_t hash = 0;  // of all bytes behind it up to `data`
  uint64_t data = 0;  // where the arrays begin
  uint64_t size = 0;  // of the file
  PartPlace parts[kParts];
};
inline constexpr size_t kHashed = offsetof(Header, data);

struct ArrayRecord {
  uint32_t feed = 0;
  uint32_t reserved = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t hash = 0;
};
static_assert(sizeof(ArrayRecord) == kRecordBytes[kArrays] && sizeof(CompiledNode) == 24);

}  // namespace opsrun::host::compiled

// host/yaml/anchors.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/anchors.h"

#include <fmt/core.h>

#include <algorithm>

namespace opsrun::host {
namespace {

constexpr size_t kMaxRepeated = 100'000;
constexpr size_t kMaxRepeatedBytes = size_t{16} << 20;
constexpr size_t kMaxAnchored = 10;  // times as much is kept for aliases that may come: anchors stand within anchors

bool Fits(const TreeSize& size, size_t times) {
  return size.values <= times * kMaxRepeated && size.bytes <= times * kMaxRepeatedBytes;
}

}  // namespace

void TreeSize::Add(const TreeSize& inner, size_t key_bytes) {
  values += inner.values;
  bytes += inner.bytes + key_bytes;
  depth = std::max(depth, inner.depth + 1);
}

// What no alias may stand for is not copied: it may be the whole file.
bool Anchors::End(const std::string& name, const Value& value, const TreeSize& size) {
  const bool fits = Fits(size, 1);
  marked_[name] = {true, fits ? value : Value(), size};
  if (!fits) return true;
  kept_.Add(size, 0);
  return Fits(kept_, kMaxAnchored) || reporter_.Refuse("G007", value.span, "the anchors up to here mark too much",
                                                       "put '&' only before what an alias repeats");
}

const Anchors::Marked* Anchors::Repeat(std::string_view name, const Span& span) {
  const auto found = marked_.find(std::string(name));
  if (found == marked_.end()) {
    reporter_.Refuse("G006", span, fmt::format("no anchor is named {}", Quote(name)),
                     "an anchor '&name' stands before its alias '*name'");
    return nullptr;
  }
  const Marked& marked = found->second;
  if (!marked.complete) {
    reporter_.Refuse("G007", span, "an alias stands inside the value that it repeats", "write the value out");
    return nullptr;
  }
  repeated_.Add(marked.size, 0);
  if (Fits(repeated_, 1)) return &marked;
  const std::string limit = repeated_.values > kMaxRepeated ? fmt::format("{} values", kMaxRepeated)
                                                            : fmt::format("{} bytes", kMaxRepeatedBytes);
  reporter_.Refuse("G007", span, fmt::format("the aliases stand for more than {}", limit),
                   "put large values into a .npy file");
  return nullptr;
}

}  // namespace opsrun::host

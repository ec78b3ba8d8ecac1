// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/text_places.h"

#include <algorithm>

#include "host/base/text.h"

namespace opsrun::host {
TextPlaces::TextPlaces(std::string_view text) : text_(text), line_begins_{0} {
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    line_begins_.push_back(at + 1);
  }
}

Position TextPlaces::PositionOf(size_t line, size_t characters) {
  if (line >= line_begins_.size()) return PositionAt(text_.size());
  if (line != line_) {
    line_ = line;
    characters_ = 0;
    offset_ = line_begins_[line_];
  }
  for (; characters_ < characters && offset_ < text_.size(); ++characters_) {
    ++offset_;
    while (offset_ < text_.size() && IsContinuationByte(text_[offset_])) ++offset_;
  }
  for (; characters_ > characters; --characters_) {
    --offset_;
    while (IsContinuationByte(text_[offset_])) --offset_;
  }
  return {static_cast<uint32_t>(line_) + 1, static_cast<uint32_t>(offset_ - line_begins_[line_]) + 1};
}

Position TextPlaces::PositionAt(size_t offset) const {
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return {static_cast<uint32_t>(next - line_begins_.begin()), static_cast<uint32_t>(offset - *(next - 1)) + 1};
}

std::optional<size_t> TextPlaces::Indent(uint32_t line) const {
  const size_t begin = line_begins_[line - 1];
  const size_t content = text_.find_first_not_of(" \t", begin);
  if (content == std::string_view::npos || text_[content] == '\n' || text_[content] == '\r') return std::nullopt;
  return content - begin;
}

}  // namespace opsrun::host

// host/yaml/text_places.h: converts between libyaml's lines and columns, ours, and offsets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// Byte offsets, [begin, end).
struct Extent {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin == end; }
};

inline Span OneCharacter(Position place) {
  return {place, {place.line, place.column + 1}};
}

class TextPlaces {
 public:
  // Requires: text is UTF-8, and outlives this object.
  explicit TextPlaces(std::string_view text);

  std::string_view text() const { return text_; }
  size_t lines() const { return line_begins_.size(); }

  // line and characters are counted from 0; the column of the result counts bytes from 1. Fast if each location is
  // close to the previous one.
  Position PositionOf(size_t line, size_t characters);

  Position PositionAt(size_t offset) const;

  // Requires: a location in the text.
  size_t OffsetOf(Position place) const { return line_begins_[place.line - 1] + place.column - 1; }

  // The number of leading spaces and tabs of a line, which is counted from 1; nothing if the line has nothing else.
  std::optional<size_t> Indent(uint32_t line) const;

 private:
  std::string_view text_;
  std::vector<size_t> line_begins_;
  size_t line_ = 0;  // the last location: its line, characters and offset
  size_t characters_ = 0;
  size_t offset_ = 0;
};

}  // namespace opsrun::host

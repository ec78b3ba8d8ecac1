// host/yaml/scan_text.h: our own pass over YAML text, before the parser sees it.
//
// It finds what the parser lets through (quotes that are never closed, tabs as indentation) or reports at an unhelpful
// place (brackets), and where values end, which the parser does not say. It is no parser: what it lets through may
// still be malformed.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "host/yaml/reporter.h"

namespace opsrun::host {

// Lists and maps within each other, at most.
inline constexpr size_t kMaxDepth = 64;

// Byte offsets, [begin, end).
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};

struct ScannedText {
  std::vector<size_t> line_begins;    // offset of each line
  std::vector<Extent> extents;        // of scalars, bracketed lists and maps, and aliases, in the order of their begins
  std::vector<size_t> documents;      // offsets of "---" and "..."
  std::vector<uint32_t> block_lines;  // numbers, from 0, of the lines at whose begin no value and no bracket is open
  bool properties = false;            // there are anchors, aliases or tags

  // line: a guess of the answer's line.
  Position PositionAt(size_t offset, uint32_t line = 1) const;

  // Requires: line is one of the text, from 1.
  size_t OffsetOf(Position position) const { return line_begins[position.line - 1] + position.column - 1; }

  // The first extent that begins at `offset` or later (an anchor or a tag may stand before a value); null if there is
  // none. near: a guess of the number of that extent; becomes the number.
  const Extent* ExtentFrom(size_t offset, size_t& near) const;
};

// Nothing, and an error G002 to G005, if the text cannot be given to the parser.
std::optional<ScannedText> ScanText(Reporter& reporter);

}  // namespace opsrun::host

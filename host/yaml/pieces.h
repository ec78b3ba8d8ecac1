// host/yaml/pieces.h: the longest section of a large file, cut into pieces that can be parsed at the same time.
//
// Every entry of a map whose keys stand below each other begins on a line of its own, so the map can be cut before any
// of them. What a piece says in a map of its own is what it says in its place, unless it has to do with anchors; all
// doubt is settled by not cutting.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "host/yaml/parse_yaml.h"
#include "host/yaml/scan_text.h"

namespace opsrun::host {

// A text without the entries of one section, and those, in pieces.
struct CutText {
  std::vector<PlacedText> pieces;  // of whole entries
  PlacedText rest;                 // with one entry and empty lines in their place
  uint32_t section_line = 0;       // of the section's key, from 1
};

// Up to `most` pieces of at least `least_bytes` each. Nothing if that gives no two.
std::optional<CutText> CutLongestSection(std::string_view text, const ScannedText& scanned, size_t most,
                                         size_t least_bytes);

// The whole document out of its parts: the rest, then the pieces. Nothing unless all of them were read without a
// mistake, and say without doubt what the whole would.
std::optional<Value> JoinParts(const SourceFile& source, uint32_t section_line, std::vector<ParsedText> parts);

}  // namespace opsrun::host

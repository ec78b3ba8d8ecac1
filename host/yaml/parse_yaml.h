// host/yaml/parse_yaml.h: YAML text to Value. The only door to yaml-cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/yaml/scan_text.h"
#include "host/yaml/value.h"

namespace opsrun::host {

inline constexpr size_t kMaxValues = 10'000'000;  // each takes some hundred bytes while it is read, whatever it says

// Whole lines of a file, and how many lines of it stand before them.
struct PlacedText {
  std::string text;
  uint32_t lines_before = 0;
};

struct ParsedText {
  std::optional<Value> root;  // nothing after an error that leaves nothing
  Diagnostics diagnostics;
  size_t values = 0;
};

// Places are those of the source, which `scanned` is of.
ParsedText ParseText(const SourceFile& source, const ScannedText& scanned, const PlacedText& placed);

// Each on a thread of its own, the first on this one. Nothing if there are no threads.
std::vector<ParsedText> ParseAtOnce(const SourceFile& source, const ScannedText& scanned,
                                    const std::vector<PlacedText>& texts);

}  // namespace opsrun::host

// host/base/version_range.h: versions such as 1.4.0, and ranges of them such as ">= 1.2, < 2".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

// Numbers, most significant first. Missing numbers are zero: 1.2 is 1.2.0.
using Version = std::vector<uint64_t>;

// Nothing unless the text is digits separated by single dots, with at most 18 digits per number.
std::optional<Version> ParseVersion(std::string_view text);

struct VersionRange {
  enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  struct Bound {
    Relation relation = Relation::kEqual;
    Version version;
  };
  std::vector<Bound> bounds;  // all must hold; empty: any version, even of a plugin without one

  bool Holds(const Version& version) const;
};

// An error in the bytes [begin, end) of a range.
struct RangeMistake {
  size_t begin = 0;
  size_t end = 0;
  std::string message;
  std::string help;
};

// Bounds separated by commas: ">=", ">", "<=", "<", "==" or "!=" and a version; a version alone means "==". "*" is any
// version. For any other text, returns nothing and fills in *mistake.
std::optional<VersionRange> ParseVersionRange(std::string_view text, RangeMistake* mistake);

}  // namespace opsrun::host

// host/base/display_text.h: text for people: safe for a terminal, in columns, numbers with units, names of system
// errors and signals, and suggestions for misspelled names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "host/base/text.h"

namespace opsrun::host {

// False for control characters, and for characters that change the writing direction, which can disguise text.
bool IsShown(uint32_t code);

// Columns that the line takes on a terminal. A tab becomes four spaces.
size_t DisplayWidth(std::string_view line);

// Replaces control characters and invalid bytes by U+FFFD. Line breaks are kept; tabs become spaces.
std::string Printable(std::string_view text);

// Rows of text in columns. Cells must be ASCII, as are numbers and the names of nodes, ops and plugins.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column; omitted cells are empty.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // The titles and the rows, one per line, without trailing spaces.
  std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Numbers: three digits and a unit.

std::string DurationText(double ns);     // "0.50 ns", "1.23 us", "45.6 ms", "123 s"
std::string CountText(double count);     // "17", "1.23 k", "45.6 M"
std::string BytesText(double bytes);     // "17 B", "1.50 KiB", "2.00 GiB"
std::string BandwidthText(double rate);  // bytes per second: "3.21 GB/s"
std::string ShareText(double share);     // "12.3 %"

// "1 run", "2 runs".
std::string Several(size_t count, const std::string& what);

// "'a', 'b'"; of many names, the first ones "and 3 more".
std::string QuotedNames(const std::vector<std::string>& names);

// Up to three of `names` that `word` may be a misspelling of, most similar first: the Damerau-Levenshtein distance is
// at most max(1, length / 3), or the names differ only in case and underscores. Words with fewer than three letters
// require a distance of 1, and names without a common letter are never suggested.
std::vector<std::string> NearNames(std::string_view word, const std::vector<std::string>& names);

// "did you mean 'a'?" or "did you mean 'a' or 'b'?" if there are similar names. Otherwise "<what>: a, b, c" with the
// allowed names (the first twelve, then how many more), or "there are no <what>" if there are none.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names, std::string_view what);

// "no such file or directory" for ENOENT.
inline std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = Lower(text[0]);
  return text;
}

// "SIGSEGV"; "signal 40" if it has no name.
inline std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

}  // namespace opsrun::host

// host/base/display_text.h: text from outside, made safe for a terminal, and text in columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace opsrun::host

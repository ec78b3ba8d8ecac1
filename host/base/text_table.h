// host/base/text_table.h: rows of text in columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opsrun::host {

// Cells are ASCII: the names of nodes, ops and plugins are, and figures.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // A cell a column; those that are left out are empty.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // The titles and the rows, a line each, no blanks at the ends.
  std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace opsrun::host

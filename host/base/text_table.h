// host/base/text_table.h: rows of text in columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opsrun::host {

// Cells must be ASCII, as are the names of nodes, ops and plugins, and numbers.
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

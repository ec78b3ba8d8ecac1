// host/base/text_table.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/text_table.h"

#include <algorithm>

namespace opsrun::host {

std::string TextTable::Text() const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.title);
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  for (auto& line : lines) line.resize(columns_.size());
  std::vector<size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - line[i].size(), ' ');
      const bool left = columns_[i].align == Align::kLeft;
      text += (i == 0 ? "" : "  ") + (left ? line[i] + blanks : blanks + line[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace opsrun::host

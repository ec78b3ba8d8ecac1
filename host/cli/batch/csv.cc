// host/cli/batch/csv.cc: manifests of comma-separated values (RFC 4180).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/display_text.h"
#include "host/cli/batch/rows.h"

namespace opsrun::host {
namespace {

struct CsvCell {
  std::string text;
  uint32_t column = 1;
};

class Csv final : public Manifest {
 public:
  Csv(const std::string& path, char separator, std::vector<const Feed*> feeds) : lines_(path), separator_(separator) {
    path_ = path;
    feeds_ = std::move(feeds);
  }

  Status Rewind() override {
    row_ = 0;
    titles_.clear();
    ignored_.clear();
    return lines_.Begin();
  }

  std::optional<BatchItem> Next(Diagnostics& diagnostics, bool& is_end, std::string* line) override {
    if (titles_.empty() && !ReadTitles(diagnostics, is_end, line)) {
      if (is_end) begun_ = 1;
      if (is_end)
        RefuseRow(diagnostics, "there is no line with the names of columns", "the first line names them: id,x");
      Place(diagnostics, 0);
      is_end = true;  // without them, no row means anything
      return std::nullopt;
    }
    std::optional<std::vector<CsvCell>> cells = ReadRow(diagnostics, is_end, line);
    if (!cells) return std::nullopt;
    const size_t before = diagnostics.all().size();
    std::optional<BatchItem> item = ItemOf(*cells, diagnostics);
    Place(diagnostics, before);
    ++row_;
    return item;
  }

 private:
  void Place(Diagnostics& diagnostics, size_t from) const {
    for (size_t i = from; i < diagnostics.all().size(); ++i) {
      Diagnostic& d = diagnostics.all()[i];
      d.file = path_;
      d.where.begin.line = d.where.end.line = begun_;
    }
  }

  // Cells may be quoted, and then hold separators, line breaks, and quotes that are doubled (RFC 4180).
  std::optional<std::vector<CsvCell>> ReadRow(Diagnostics& diagnostics, bool& is_end, std::string* line) {
    std::string text;
    do {
      if (is_end = !lines_.Next(text); is_end) return std::nullopt;
    } while (text.empty());
    begun_ = lines_.line();
    if (line != nullptr) *line = text;
    std::vector<CsvCell> cells(1);
    bool quoted = false;
    for (size_t i = 0;; ++i) {
      if (quoted && i == text.size()) {
        std::string more;
        if (!lines_.Next(more) || text.size() > kMostRowBytes) {
          const size_t before = diagnostics.all().size();
          RefuseRow(diagnostics, "this quoted cell does not end", "end it with '\"'; write a '\"' in it twice",
                    cells.back().column);
          Place(diagnostics, before);
          ++row_;
          return std::nullopt;
        }
        text += "\n" + more;
      }
      if (i >= text.size()) return cells;
      const char c = text[i];
      if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
        cells.back().text += text[++i];
      } else if (c == '"' && (quoted || cells.back().text.empty())) {
        quoted = !quoted;
      } else if (c == separator_ && !quoted) {
        cells.push_back({"", static_cast<uint32_t>(i + 2)});
      } else {
        cells.back().text += c;
      }
    }
  }

  bool ReadTitles(Diagnostics& diagnostics, bool& is_end, std::string* line) {
    const std::optional<std::vector<CsvCell>> cells = ReadRow(diagnostics, is_end, line);
    if (!cells) return false;
    const size_t before = diagnostics.all().size();
    std::set<std::string> seen;
    for (const CsvCell& cell : *cells) {
      const auto feed = std::ranges::find_if(feeds_, [&](const Feed* each) { return each->name.value == cell.text; });
      if (!seen.insert(cell.text).second)
        RefuseRow(diagnostics, fmt::format("two columns are called {}", Quote(cell.text)), "rename one of them",
                  cell.column);
      if (feed == feeds_.end() && cell.text != kIdKey) ignored_.push_back(cell.text);
      titles_.push_back(cell.text == kIdKey    ? kIdColumn
                        : feed == feeds_.end() ? kIgnored
                                               : static_cast<int>(feed - feeds_.begin()));
    }
    for (const Feed* feed : feeds_) {
      if (seen.contains(feed->name.value)) continue;
      Diagnostic& d = RefuseRow(diagnostics, fmt::format("there is no column for feed '{}'", feed->name.value),
                                "add one, or give an array for all items: --feed " + feed->name.value + "=FILE.npy");
      if (!ignored_.empty()) d.notes.push_back(fmt::format("other columns: {}", fmt::join(ignored_, ", ")));
    }
    Place(diagnostics, before);
    return diagnostics.all().size() == before;
  }

  std::optional<BatchItem> ItemOf(const std::vector<CsvCell>& cells, Diagnostics& diagnostics) const {
    const size_t before = diagnostics.all().size();
    if (cells.size() != titles_.size()) {
      RefuseRow(diagnostics,
                fmt::format("this row has {}, but there are {}", Several(cells.size(), "cell"),
                            Several(titles_.size(), "column")),
                "quote cells that hold a separator: \"[1, 2]\"");
      return std::nullopt;
    }
    BatchItem item{std::to_string(row_ + 1), row_, {begun_, 1}, std::vector<ItemInput>(feeds_.size())};
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto& [text, column] = cells[i];
      if (titles_[i] == kIgnored) continue;
      if (titles_[i] == kIdColumn) {
        if (CheckId(text, diagnostics, column)) item.id = text;
        continue;
      }
      const Feed& feed = *feeds_[static_cast<size_t>(titles_[i])];
      if (text.empty() && !IsText(feed)) {
        RefuseRow(diagnostics, fmt::format("there is nothing for feed '{}'", feed.name.value),
                  "give a file, a number or a list", column);
        continue;
      }
      Json value = IsText(feed) ? Json(text) : ParseJson(text).value_or(Json());
      if (!(value.is_number() || value.is_boolean() || value.is_array())) value = text;
      item.inputs[static_cast<size_t>(titles_[i])] = InputOf(feed, std::move(value), lines_.folder());
    }
    return diagnostics.all().size() == before ? std::optional(std::move(item)) : std::nullopt;
  }

  static constexpr int kIdColumn = -1, kIgnored = -2;
  static constexpr size_t kMostRowBytes = size_t{16} << 20;
  Lines lines_;
  const char separator_;
  std::vector<int> titles_;  // by column: index into feeds_
  size_t row_ = 0;
  uint32_t begun_ = 0;  // the line on which the row begins
};

}  // namespace

std::unique_ptr<Manifest> OpenCsv(const std::string& path, char separator, std::vector<const Feed*> feeds) {
  return std::make_unique<Csv>(path, separator, std::move(feeds));
}

}  // namespace opsrun::host

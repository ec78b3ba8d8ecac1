// host/testing/shape_words.cc: see shape_words.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/shape_words.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace opsrun::host {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text, bool blanks) : text_(text), blanks_(blanks) {}

  bool AtEnd() const { return at_ == text_.size(); }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipBlanks() {
    while (blanks_ && Take(" ")) {
    }
  }
  // A decimal number without a sign that fits its type.
  template <typename Number>
  std::optional<Number> TakeNumber() {
    Number number = 0;
    const char* const begin = text_.data() + at_;
    if (AtEnd() || *begin < '0' || *begin > '9') return std::nullopt;
    const auto read = std::from_chars(begin, text_.data() + text_.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(read.ptr - begin);
    return number;
  }
  Status Wants(std::string_view what) const {
    const std::string found = AtEnd() ? "the end" : fmt::format("'{}'", text_.substr(at_));
    return InvalidArgument(fmt::format("the shapes \"{}\" cannot be read: at character {} stands {}, expected {}",
                                       text_, at_ + 1, found, what));
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  bool blanks_;
};

// item ("," item)* [","], up to "]".
template <typename Item>
Status ReadItems(Reader& reader, Item item) {
  while (true) {
    reader.SkipBlanks();
    if (reader.Take("]")) return OkStatus();
    if (const Status read = item(); !read.ok()) return read;
    reader.SkipBlanks();
    if (reader.Take("]")) return OkStatus();
    if (!reader.Take(",")) return reader.Wants("',' or ']'");
  }
}

// shape (";" shape)*, nothing at all for none.
template <typename Shape>
Status ReadShapes(Reader& reader, Shape shape) {
  if (reader.AtEnd()) return OkStatus();
  while (true) {
    if (const Status read = shape(); !read.ok()) return read;
    if (reader.AtEnd()) return OkStatus();
    if (!reader.Take(";")) return reader.Wants("';' or the end");
  }
}

Status ReadInput(Reader& reader, spec::PartialShape& shape) {
  if (reader.Take("?")) return OkStatus();
  if (!reader.Take("[")) return reader.Wants("'?' or '['");
  shape.rank_known = true;
  const Status read = ReadItems(reader, [&]() -> Status {
    const std::optional<int64_t> size = reader.Take("?") ? -1 : reader.TakeNumber<int64_t>();
    if (!size) return reader.Wants("a size or '?'");
    shape.dims.push_back(*size);
    return OkStatus();
  });
  if (!read.ok() || shape.dims.size() <= OPSRUN_MAX_RANK) return read;
  return InvalidArgument(
      fmt::format("a shape of {} dimensions is given; the highest rank is {}", shape.dims.size(), OPSRUN_MAX_RANK));
}

// "d0_1" or "o0_1"
Status ReadDimName(Reader& reader, DimName& name) {
  name.output = reader.Take("o");
  if (!name.output && !reader.Take("d")) return reader.Wants("a size, '?' or a dimension such as d0_1");
  const std::optional<uint32_t> tensor = reader.TakeNumber<uint32_t>();
  if (!tensor) return reader.Wants(name.output ? "the number of an output" : "the number of an input");
  if (!reader.Take("_")) return reader.Wants("'_'");
  const std::optional<uint32_t> dim = reader.TakeNumber<uint32_t>();
  if (!dim) return reader.Wants("the number of a dimension");
  name.tensor = *tensor;
  name.dim = *dim;
  return OkStatus();
}

Status ReadDim(Reader& reader, ShapeWord& shape) {
  DimWord& dim = shape.dims.emplace_back();
  if (reader.Take("?")) return OkStatus();
  if (const std::optional<int64_t> size = reader.TakeNumber<int64_t>()) {
    dim.value = *size;
    return OkStatus();
  }
  do {
    if (const Status read = ReadDimName(reader, dim.names.emplace_back()); !read.ok()) return read;
  } while (reader.Take("|"));
  return OkStatus();
}

Status ReadOutput(Reader& reader, ShapeWord& shape) {
  if (reader.Take("?")) return OkStatus();
  if (reader.Take("[")) {
    shape.rank_known = true;
    return ReadItems(reader, [&] { return ReadDim(reader, shape); });
  }
  do {
    if (!reader.Take("in")) return reader.Wants("'?', '[' or an input such as in0");
    const std::optional<uint32_t> input = reader.TakeNumber<uint32_t>();
    if (!input) return reader.Wants("the number of an input");
    shape.inputs.push_back(*input);
  } while (reader.Take("|"));
  return OkStatus();
}

}  // namespace

Result<std::vector<spec::PartialShape>> ReadInputShapes(std::string_view text) {
  Reader reader(text, false);
  std::vector<spec::PartialShape> shapes;
  const Status read = ReadShapes(reader, [&] { return ReadInput(reader, shapes.emplace_back()); });
  if (!read.ok()) return read;
  return shapes;
}

Result<ShapeWords> ReadExpectedShapes(std::string_view text) {
  Reader reader(text, true);
  ShapeWords words;
  if (text == "e") {
    words.error = true;
    return words;
  }
  const Status read = ReadShapes(reader, [&] { return ReadOutput(reader, words.outputs.emplace_back()); });
  if (!read.ok()) return read;
  return words;
}

}  // namespace opsrun::host

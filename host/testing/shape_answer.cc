// host/testing/shape_answer.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/shape_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

bool HasDim(const opsrun_shape* shape, const opsrun_dim* dim) {
  if (shape == nullptr || shape->rank <= 0) return false;
  return std::find(shape->dims, shape->dims + shape->rank, dim) != shape->dims + shape->rank;
}

std::string SizeText(int64_t value) {
  return value < 0 ? "?" : std::to_string(value);
}

std::string NamesText(const std::vector<uint32_t>& inputs) {
  return fmt::format("in{}", fmt::join(inputs, "|in"));
}

std::string NamesText(const std::vector<DimName>& names) {
  std::string text;
  for (const DimName& name : names) {
    text += fmt::format("{}{}{}_{}", text.empty() ? "" : "|", name.output ? 'o' : 'd', name.tensor, name.dim);
  }
  return text;
}

class Reader : public spec::TextCursor {
 public:
  Reader(std::string_view text, bool blanks) : TextCursor(text), text_(text), blanks_(blanks) {}

  void SkipSpaces() {
    while (blanks_ && Take(' ')) {
    }
  }
  // An unsigned decimal number that fits the type.
  template <typename Number>
  std::optional<Number> TakeNumber() {
    Number number = 0;
    const std::string_view rest = Rest();
    if (Peek() < '0' || Peek() > '9') return std::nullopt;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    MoveTo(offset() + static_cast<size_t>(read.ptr - rest.data()));
    return number;
  }
  Status Wants(std::string_view what) const {
    const std::string found = AtEnd() ? "the end" : fmt::format("'{}'", Rest());
    return InvalidArgument(fmt::format("the shapes \"{}\" cannot be read: at character {}: found {}, expected {}",
                                       text_, offset() + 1, found, what));
  }

 private:
  std::string_view text_;
  bool blanks_;
};

// item ("," item)* [","], up to "]".
template <typename Item>
Status ReadItems(Reader& reader, Item item) {
  while (true) {
    reader.SkipSpaces();
    if (reader.Take("]")) return OkStatus();
    if (const Status read = item(); !read.ok()) return read;
    reader.SkipSpaces();
    if (reader.Take("]")) return OkStatus();
    if (!reader.Take(",")) return reader.Wants("',' or ']'");
  }
}

// shape (";" shape)*; may be empty.
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

bool ShapeAnswer::IsInput(const opsrun_shape* shape) const {
  return shape != nullptr && std::find(inputs_.begin(), inputs_.end(), shape) != inputs_.end();
}

bool ShapeAnswer::IsInputDim(const opsrun_dim* dim) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [dim](const opsrun_shape* shape) { return HasDim(shape, dim); });
}

std::string ShapeAnswer::Text(const opsrun_dim* dim) const {
  std::string text = SizeText(dim->value);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    for (int32_t d = 0; d < inputs_[i]->rank; ++d) {
      if (inputs_[i]->dims[d] == dim) text = fmt::format("d{}_{}", i, d);
    }
  }
  return text;
}

std::string ShapeAnswer::Text(const opsrun_shape* shape) const {
  if (shape == nullptr) return "?";
  for (size_t i = inputs_.size(); i-- > 0;) {
    if (inputs_[i] == shape) return fmt::format("in{}", i);
  }
  if (shape->rank < 0) return "?";
  std::vector<std::string> dims;
  for (int32_t d = 0; d < shape->rank; ++d) dims.push_back(Text(shape->dims[d]));
  return fmt::format("[{}]", fmt::join(dims, ","));
}

std::string ShapeAnswer::Text() const {
  std::vector<std::string> shapes;
  for (const opsrun_shape* shape : outputs_) shapes.push_back(Text(shape));
  return fmt::format("{}", fmt::join(shapes, ";"));
}

const opsrun_dim* ShapeAnswer::Find(const DimName& name) const {
  const std::vector<const opsrun_shape*>& shapes = name.output ? outputs_ : inputs_;
  const opsrun_shape* const shape = name.tensor < shapes.size() ? shapes[name.tensor] : nullptr;
  const bool there = shape != nullptr && shape->rank >= 0 && name.dim < static_cast<uint32_t>(shape->rank);
  return there ? shape->dims[name.dim] : nullptr;
}

std::string ShapeAnswer::WhyNot(const opsrun_dim* found, const DimWord& expected) const {
  if (!expected.names.empty()) {
    const bool one = std::any_of(expected.names.begin(), expected.names.end(),
                                 [&](const DimName& name) { return Find(name) == found; });
    return one ? "" : fmt::format("is {}, expected {} itself", Text(found), NamesText(expected.names));
  }
  if (IsInputDim(found)) {
    return fmt::format("is {} itself, expected {} that does not belong to an input", Text(found),
                       SizeText(expected.value));
  }
  if (found->value == expected.value) return "";
  return fmt::format("is {}, expected {}", SizeText(found->value), SizeText(expected.value));
}

std::string ShapeAnswer::WhyNot(const opsrun_shape* found, const ShapeWord& expected) const {
  if (!expected.inputs.empty()) {
    const bool one = std::any_of(expected.inputs.begin(), expected.inputs.end(),
                                 [&](uint32_t i) { return i < inputs_.size() && inputs_[i] == found; });
    return one ? "" : fmt::format(" is {}, expected {} itself", Text(found), NamesText(expected.inputs));
  }
  if (IsInput(found)) return fmt::format(" is {} itself, expected a shape of its own", Text(found));
  const int32_t rank = found == nullptr ? -1 : found->rank;
  if (!expected.rank_known) {
    return rank < 0 ? "" : fmt::format(" is {}, expected an unknown shape", Text(found));
  }
  if (rank < 0) return fmt::format(" is an unknown shape, expected {} dimensions", expected.dims.size());
  if (static_cast<size_t>(rank) != expected.dims.size()) {
    return fmt::format(" is {}, which has {} dimensions, expected {}", Text(found), rank, expected.dims.size());
  }
  for (int32_t d = 0; d < rank; ++d) {
    const std::string why_not = WhyNot(found->dims[d], expected.dims[d]);
    if (!why_not.empty()) return fmt::format(", dimension {} {}", d, why_not);
  }
  return "";
}

std::string ShapeAnswer::WhyNot(const std::vector<ShapeWord>& expected) const {
  if (outputs_.size() != expected.size()) {
    return fmt::format("there are {} outputs, expected {}", outputs_.size(), expected.size());
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const std::string why_not = WhyNot(outputs_[i], expected[i]);
    if (!why_not.empty()) return fmt::format("output {}{}", i, why_not);
  }
  return "";
}

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

// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "host/tensor/number_type.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

constexpr size_t kLineWidth = 75;
constexpr int64_t kEdge = 3;
constexpr int64_t kDots = -1;

// Selects the elements to print, and arranges them in lines.
class Layout {
 public:
  explicit Layout(const Tensor& tensor) : shape_(tensor.shape()), summarized_(tensor.num_elements() > kMostPrinted) {}

  // Row-major indices of the printed elements, in the order of the words that Text takes.
  std::vector<int64_t> Elements() const {
    std::vector<int64_t> places;
    Collect(0, 0, places);
    return places;
  }

  std::string Text(const std::vector<std::string>& words) const {
    auto next = words.begin();
    return shape_.empty() ? *next : Brackets(0, next);
  }

 private:
  using Words = std::vector<std::string>::const_iterator;

  // Indices along one axis; kDots stands for omitted ones.
  std::vector<int64_t> Indices(size_t axis) const {
    const int64_t size = shape_[axis];
    const bool cut = summarized_ && size > 2 * kEdge;
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < (cut ? kEdge : size); ++i) indices.push_back(i);
    if (cut) indices.push_back(kDots);
    for (int64_t i = size - kEdge; cut && i < size; ++i) indices.push_back(i);
    return indices;
  }

  void Collect(size_t axis, int64_t place, std::vector<int64_t>& places) const {
    if (axis == shape_.size()) return places.push_back(place);
    for (const int64_t i : Indices(axis)) {
      if (i != kDots) Collect(axis + 1, place * shape_[axis] + i, places);
    }
  }

  std::string Brackets(size_t axis, Words& next) const {
    return "[" + (axis + 1 == shape_.size() ? Row(axis, next) : Rows(axis, next)) + "]";
  }

  std::string Rows(size_t axis, Words& next) const {
    const std::string between = std::string(shape_.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
    std::string text;
    for (const int64_t i : Indices(axis)) {
      if (!text.empty()) text += between;
      text += i == kDots ? "..." : Brackets(axis + 1, next);
    }
    return text;
  }

  std::string Row(size_t axis, Words& next) const {
    const size_t indent = axis + 1;
    const size_t width = kLineWidth - std::min(kLineWidth, indent);  // room for a ']' per '['
    std::string text;
    std::string line;
    for (const int64_t i : Indices(axis)) {
      const std::string word = i == kDots ? "..." : *next++;
      if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
        text += WithoutTrailingBlanks(line) + "\n" + std::string(indent, ' ');
        line.clear();
      }
      line += line.empty() ? word : " " + word;
    }
    return text + line;
  }

  static std::string WithoutTrailingBlanks(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  const Shape& shape_;
  bool summarized_;
};

std::string Escaped(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", code);
  }
}

// quote 0: no quotes; line breaks and tabs are kept.
std::string EscapedText(std::string_view text, char quote) {
  std::string shown;
  while (!text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    const size_t size = c.size == 0 ? 1 : c.size;
    const bool stays = quote == 0 && (c.code == '\n' || c.code == '\t');
    if (c.size == 0) {
      shown += Escaped(static_cast<unsigned char>(text[0]));
    } else if (IsControl(c.code) && !stays) {
      shown += Escaped(c.code);
    } else {
      if (quote != 0 && (text[0] == '\\' || text[0] == quote)) shown += '\\';
      shown += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return shown;
}

// Like Python's repr of a str: 'it is', "it's". Control characters and invalid UTF-8 become \n, \x1b.
std::string QuotedText(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  return quote + EscapedText(text, quote) + quote;
}

template <typename Int>
std::vector<std::string> Ints(const Tensor& tensor, const std::vector<int64_t>& places) {
  std::vector<std::string> words;
  size_t width = 0;
  for (const int64_t place : places) {
    words.push_back(fmt::format("{}", ElementAt<Int>(tensor, place)));
    width = std::max(width, words.back().size());
  }
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
  return words;
}

DType PartType(DType dtype) {
  return dtype == DType::kComplex64 ? DType::kFloat32 : dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

template <typename Float>
std::vector<std::string> Floats(const Tensor& tensor, const std::vector<int64_t>& places, bool alone) {
  const DType format = PartType(tensor.dtype());
  std::vector<Wide<Float>> values;
  for (const int64_t place : places) values.push_back(ElementAt<Float>(tensor, place));
  if (alone) return {FloatText(values[0], format)};
  return FloatColumn(values, format);
}

std::string BoolText(const Tensor& tensor, int64_t place, bool alone) {
  return ElementAt<uint8_t>(tensor, place) == 0 ? "False" : alone ? "True" : " True";
}

// alone: one element, not in a column with others.
std::vector<std::string> Words(const Tensor& tensor, const std::vector<int64_t>& places, bool alone) {
  std::vector<std::string> words;
  if (tensor.dtype() == DType::kString) {
    for (const int64_t place : places) words.push_back(QuotedText(tensor.string(place)));
    return words;
  }
  if (tensor.dtype() == DType::kBool) {
    for (const int64_t place : places) words.push_back(BoolText(tensor, place, alone));
    return words;
  }
  return WithNumberType(tensor.dtype(), [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return Ints<T>(tensor, places);
    } else {
      return Floats<T>(tensor, places, alone);
    }
  });
}

}  // namespace

std::string PrintTensor(const Tensor& tensor) {
  if (tensor.num_elements() == 0) return "[]";
  const bool alone = tensor.shape().empty();
  if (alone && tensor.dtype() == DType::kString) return EscapedText(tensor.string(0), 0);
  const Layout layout(tensor);
  return layout.Text(Words(tensor, layout.Elements(), alone));
}

std::string ElementText(const Tensor& tensor, int64_t place) {
  return Words(tensor, {place}, true)[0];
}

}  // namespace opsrun::host

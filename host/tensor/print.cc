// host/tensor/print.cc: tensors as text, in NumPy's look.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/print.h"

#include <fmt/core.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "host/tensor/float16.h"
#include "host/tensor/float_text.h"
#include "host/tensor/string_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kLineWidth = 75;
constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdge = 3;
constexpr int64_t kDots = -1;

// Which elements are printed, and how they are set in lines.
class Layout {
 public:
  explicit Layout(const Tensor& tensor) : shape_(tensor.shape()), summarized_(tensor.num_elements() > kThreshold) {}

  // Places of the printed elements, in the order of the words that Text takes.
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

  // Indices along one axis, kDots where some are left out.
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
    const size_t width = kLineWidth - std::min(kLineWidth, indent);  // a ']' for each '['
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

template <typename Stored, typename Convert>
auto Gather(const Tensor& tensor, const std::vector<int64_t>& places, Convert convert) {
  const auto* const data = static_cast<const Stored*>(tensor.data());
  std::vector<decltype(convert(*data))> values;
  values.reserve(places.size());
  for (const int64_t place : places) values.push_back(convert(data[place]));
  return values;
}

template <typename Int>
std::vector<std::string> Ints(const Tensor& tensor, const std::vector<int64_t>& places) {
  std::vector<std::string> words = Gather<Int>(tensor, places, [](Int value) { return fmt::format("{}", value); });
  size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  for (std::string& word : words) word.insert(0, width - word.size(), ' ');
  return words;
}

std::vector<std::string> Bools(const Tensor& tensor, const std::vector<int64_t>& places) {
  const bool alone = tensor.shape().empty();
  return Gather<uint8_t>(tensor, places, [alone](uint8_t value) -> std::string {
    return value == 0 ? "False" : alone ? "True" : " True";
  });
}

template <typename Stored, typename Convert>
std::vector<std::string> Floats(const Tensor& tensor, const std::vector<int64_t>& places, FloatFormat format,
                                Convert convert) {
  const std::vector<double> values = Gather<Stored>(tensor, places, convert);
  if (tensor.shape().empty()) return {FloatText(values[0], format)};
  return FloatColumn(values, format);
}

template <typename Float>
std::vector<std::string> Complexes(const Tensor& tensor, const std::vector<int64_t>& places, FloatFormat format) {
  const auto values = Gather<std::complex<Float>>(
      tensor, places, [](std::complex<Float> value) { return std::complex<double>(value); });
  if (tensor.shape().empty()) return {ComplexText(values[0], format)};
  return ComplexColumn(values, format);
}

std::vector<std::string> Strings(const Tensor& tensor, const std::vector<int64_t>& places) {
  if (tensor.shape().empty()) return {UnquotedText(tensor.string(0))};
  std::vector<std::string> words;
  for (const int64_t place : places) words.push_back(QuotedText(tensor.string(place)));
  return words;
}

std::vector<std::string> Words(const Tensor& tensor, const std::vector<int64_t>& places) {
  const auto widen = [](auto value) { return static_cast<double>(value); };
  switch (tensor.dtype()) {
    case DType::kBool:
      return Bools(tensor, places);
    case DType::kInt8:
    case DType::kQInt8:
      return Ints<int8_t>(tensor, places);
    case DType::kInt16:
    case DType::kQInt16:
      return Ints<int16_t>(tensor, places);
    case DType::kInt32:
    case DType::kQInt32:
      return Ints<int32_t>(tensor, places);
    case DType::kInt64:
      return Ints<int64_t>(tensor, places);
    case DType::kUInt8:
    case DType::kQUInt8:
      return Ints<uint8_t>(tensor, places);
    case DType::kUInt16:
    case DType::kQUInt16:
      return Ints<uint16_t>(tensor, places);
    case DType::kUInt32:
      return Ints<uint32_t>(tensor, places);
    case DType::kUInt64:
      return Ints<uint64_t>(tensor, places);
    case DType::kFloat16:
      return Floats<uint16_t>(tensor, places, FloatFormat::kHalf,
                              [](uint16_t bits) -> double { return HalfToFloat(bits); });
    case DType::kBFloat16:
      return Floats<uint16_t>(tensor, places, FloatFormat::kBFloat16,
                              [](uint16_t bits) -> double { return BFloat16ToFloat(bits); });
    case DType::kFloat32:
      return Floats<float>(tensor, places, FloatFormat::kFloat, widen);
    case DType::kFloat64:
      return Floats<double>(tensor, places, FloatFormat::kDouble, widen);
    case DType::kComplex64:
      return Complexes<float>(tensor, places, FloatFormat::kFloat);
    case DType::kComplex128:
      return Complexes<double>(tensor, places, FloatFormat::kDouble);
    case DType::kString:
      return Strings(tensor, places);
    case DType::kInvalid:
    case DType::kResource:
    case DType::kVariant:
      break;
  }
  return {};
}

}  // namespace

std::string PrintTensor(const Tensor& tensor) {
  if (tensor.num_elements() == 0) return "[]";
  const Layout layout(tensor);
  return layout.Text(Words(tensor, layout.Elements()));
}

}  // namespace opsrun::host

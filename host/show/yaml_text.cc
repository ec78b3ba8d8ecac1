// host/show/yaml_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "host/base/characters.h"
#include "host/tensor/compare.h"

namespace opsrun::host {
namespace {

// NumPy's words for what YAML writes with a point.
std::string YamlNumber(const std::string& text) {
  if (text == "inf") return ".inf";
  if (text == "-inf") return "-.inf";
  if (text == "nan") return ".nan";
  // "1e-05" is a number of YAML 1.2 alone, "1.0e-05" of every YAML.
  const size_t exponent = text.find('e');
  const bool is_plain = text.find_first_not_of("0123456789-+e.") == std::string::npos;
  if (!is_plain || exponent == std::string::npos || text.find('.') != std::string::npos) return text;
  return text.substr(0, exponent) + ".0" + text.substr(exponent);
}

std::string YamlList(const Tensor& tensor, size_t axis, int64_t& place) {
  if (axis == tensor.shape().size()) return YamlElement(tensor, place++);
  std::string text;
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) text += (i > 0 ? ", " : "") + YamlList(tensor, axis + 1, place);
  return "[" + text + "]";
}

// A list of no elements does not say the sizes that come after it.
bool SaysItsShape(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return shape.empty() || std::find(shape.begin(), shape.end() - 1, 0) == shape.end() - 1;
}

std::optional<std::string> YamlTensorValue(const spec::TensorValue& value) {
  Result<Tensor> tensor = Tensor::Create(value.dtype, value.shape);
  if (!tensor.ok()) return std::nullopt;
  for (size_t i = 0; i < value.strings.size(); ++i) {
    if (!tensor->SetString(static_cast<int64_t>(i), value.strings[i]).ok()) return std::nullopt;
  }
  if (!value.bytes.empty()) {
    std::memcpy(tensor->mutable_data(), value.bytes.data(), std::min(value.bytes.size(), tensor->num_bytes()));
  }
  if (!SaysItsShape(*tensor)) return std::nullopt;
  return fmt::format("{{value: {}, dtype: {}}}", YamlTensor(*tensor), DTypeName(value.dtype));
}

std::optional<std::string> YamlAttrElement(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return YamlString(value.strings[i]);
    case OPSRUN_ATTR_SHAPE:
      if (!value.shapes[i].rank_known) return std::nullopt;
      return fmt::format("[{}]", fmt::join(value.shapes[i].dims, ", "));
    case OPSRUN_ATTR_TENSOR:
      return YamlTensorValue(value.tensors[i]);
    default: {
      spec::AttrValue one = value;
      one.type.list = false;
      if (!one.ints.empty()) one.ints = {value.ints[i]};
      if (!one.floats.empty()) one.floats = {value.floats[i]};
      return YamlNumber(spec::AttrValueText(one));
    }
  }
}

}  // namespace

std::string YamlString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string YamlName(const std::string& name) {
  static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const bool is_word = std::find(std::begin(kWords), std::end(kWords), LowerCase(name)) != std::end(kWords);
  return is_word ? YamlString(name) : name;
}

std::string YamlElement(const Tensor& tensor, int64_t place) {
  switch (tensor.dtype()) {
    case DType::kString:
      return YamlString(tensor.string(place));
    case DType::kBool:
      return static_cast<const uint8_t*>(tensor.data())[place] != 0 ? "true" : "false";
    default:
      return YamlNumber(ElementText(tensor, place));
  }
}

std::string YamlTensor(const Tensor& tensor) {
  int64_t place = 0;
  return YamlList(tensor, 0, place);
}

std::optional<std::string> YamlAttr(const spec::AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::optional<std::string> element = YamlAttrElement(value, i);
    if (!element) return std::nullopt;
    text += (i > 0 ? ", " : "") + *element;
  }
  return value.type.list ? "[" + text + "]" : text;
}

}  // namespace opsrun::host

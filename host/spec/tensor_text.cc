// host/spec/tensor_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/tensor_text.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

template <typename T>
std::vector<std::string> NumberTexts(const std::string& bytes) {
  std::vector<std::string> texts;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + at, sizeof(T));
    texts.push_back(fmt::format("{}", number));
  }
  return texts;
}

// None for types that are rarely written down.
std::vector<std::string> ElementTexts(const TensorValue& tensor) {
  switch (tensor.dtype) {
    case DType::kInt32:
      return NumberTexts<int32_t>(tensor.bytes);
    case DType::kInt64:
      return NumberTexts<int64_t>(tensor.bytes);
    case DType::kUInt8:
      return NumberTexts<uint8_t>(tensor.bytes);
    case DType::kFloat32:
      return NumberTexts<float>(tensor.bytes);
    case DType::kFloat64:
      return NumberTexts<double>(tensor.bytes);
    default:
      return {};
  }
}

}  // namespace

std::string TensorText(const TensorValue& tensor) {
  constexpr size_t kMost = 8;
  const std::string type = TypeText(tensor.dtype);
  if (tensor.shape.size() <= 1) {
    const std::vector<std::string> texts = ElementTexts(tensor);
    if (tensor.shape.empty() && texts.size() == 1) return type + " " + texts[0];
    if (!tensor.shape.empty() && !texts.empty() && texts.size() <= kMost) {
      return fmt::format("{} [{}]", type, fmt::join(texts, ", "));
    }
  }
  return fmt::format("{} of shape [{}]", type, fmt::join(tensor.shape, ", "));
}

}  // namespace opsrun::host::spec

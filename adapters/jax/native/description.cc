// adapters/jax/native/description.cc: reads descriptions.
// SPDX-License-Identifier: Apache-2.0
#include "description.h"

#include <charconv>
#include <cstdlib>

#include "adapters/common/failure.h"
#include "types.h"

namespace opsrun_jax {
namespace {

using opsrun_adapter::Failure;
using opsrun_adapter::Str;

// Nobody writes such a text by hand: it comes from this adapter, or from a file in which XLA stored a program.
[[noreturn]] void Refuse(std::string_view part) {
  throw Failure(OPSRUN_INVALID_ARGUMENT, "the description of an op in a program of XLA is damaged at '" +
                                             std::string(part) + "'; compile the program again");
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t end = 0;
  while ((end = text.find(separator)) != std::string_view::npos) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

int64_t Int(std::string_view word) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) Refuse(word);
  return value;
}

double Float(std::string_view word) {
  const std::string text(word);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') Refuse(word);
  return value;
}

char Byte(std::string_view two) {
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(two.data(), two.data() + two.size(), value, 16);
  if (problem != std::errc() || two.size() != 2 || end != two.data() + 2) Refuse(two);
  return static_cast<char>(value);
}

std::string Unquoted(std::string_view word) {
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    text += Byte(word.substr(i + 1, 2));
    i += 2;
  }
  return text;
}

// What follows the mark of a text.
std::string_view AfterMark(std::string_view word) {
  if (word.empty() || word[0] != '\'') Refuse(word);
  return word.substr(1);
}

std::vector<int64_t> Sizes(std::string_view word) {
  if (word.size() < 2 || word.front() != '[' || word.back() != ']') Refuse(word);
  std::vector<int64_t> sizes;
  if (word.size() == 2) return sizes;
  for (const std::string_view size : Split(word.substr(1, word.size() - 2), ',')) sizes.push_back(Int(size));
  return sizes;
}

}  // namespace

Description::Description(std::string_view text) {
  const std::vector<std::string_view> lines = Split(text, '\n');
  op_ = Unquoted(lines[0]);
  for (size_t i = 1; i < lines.size(); ++i) {
    const Words words = Split(lines[i], ' ');
    if (words[0] == "in" && words.size() == 4) {
      TakeInput(words);
    } else if (words[0] == "attr" && words.size() >= 3) {
      TakeAttr(words);
    } else {
      Refuse(lines[i]);
    }
  }
}

void Description::TakeInput(const Words& words) {
  inputs_.push_back({Keep(Unquoted(words[1])), static_cast<int32_t>(Int(words[2])), 0, nullptr,
                     static_cast<uint32_t>(Int(words[3])), 0});
}

void Description::TakeAttr(const Words& words) {
  opsrun_attr attr{};
  attr.name = Keep(Unquoted(words[1]));
  attr.kind = static_cast<uint32_t>(Int(words[2]));
  attr.count = words.size() - 3;
  const bool list = (attr.kind & OPSRUN_ATTR_LIST) != 0;
  if (!list && attr.count != 1) Refuse(words[1]);
  const Words values(words.begin() + 3, words.end());
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_FLOAT: {
      std::vector<double>& floats = floats_.emplace_back();
      for (const std::string_view value : values) floats.push_back(Float(value));
      list ? void(attr.v.floats = floats.data()) : void(attr.v.f = floats[0]);
      break;
    }
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC: {
      std::vector<opsrun_str>& strs = strs_.emplace_back();
      for (const std::string_view value : values) strs.push_back(Keep(Unquoted(AfterMark(value))));
      list ? void(attr.v.strs = strs.data()) : void(attr.v.s = strs[0]);
      break;
    }
    case OPSRUN_ATTR_SHAPE: {
      std::vector<opsrun_partial>& shapes = shapes_.emplace_back();
      for (const std::string_view value : values) shapes.push_back(KeepShape(value));
      attr.v.shapes = shapes.data();
      break;
    }
    case OPSRUN_ATTR_TENSOR: {
      std::vector<const opsrun_tensor*>& tensors = tensor_lists_.emplace_back();
      for (const std::string_view value : values) tensors.push_back(KeepTensor(value));
      attr.v.tensors = tensors.data();
      break;
    }
    default: {
      std::vector<int64_t>& ints = ints_.emplace_back();
      for (const std::string_view value : values) ints.push_back(Int(value));
      list ? void(attr.v.ints = ints.data()) : void(attr.v.i = ints[0]);
    }
  }
  attrs_.push_back(attr);
}

opsrun_str Description::Keep(std::string text) {
  return Str(texts_.emplace_back(std::move(text)));
}

opsrun_partial Description::KeepShape(std::string_view word) {
  if (word == "[?]") return {-1, 0, nullptr};
  const std::vector<int64_t>& sizes = ints_.emplace_back(Sizes(word));
  return {static_cast<int32_t>(sizes.size()), 0, sizes.data()};
}

const opsrun_tensor* Description::KeepTensor(std::string_view word) {
  const size_t shape = word.find('['), bytes = word.find('\'');
  if (shape == std::string_view::npos || bytes == std::string_view::npos || bytes < shape) Refuse(word);
  const TypeNumbers* const type = FindType(static_cast<int32_t>(Int(word.substr(0, shape))));
  Tensor& tensor = tensors_.emplace_back();
  tensor.shape = Sizes(word.substr(shape, bytes - shape));
  size_t n = type == nullptr ? 0 : type->bytes();
  tensor.strides.resize(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    tensor.strides[i] = type == nullptr ? 0 : static_cast<int64_t>(n / type->bytes());
    n *= static_cast<size_t>(tensor.shape[i]);
  }
  for (size_t i = bytes + 1; i < word.size(); i += 2) tensor.bytes += Byte(word.substr(i, 2));
  if (type == nullptr || tensor.bytes.size() != n) Refuse(word);
  tensor.view.data = tensor.bytes.data();
  tensor.view.device = {OPSRUN_DEVICE_CPU, 0};
  tensor.view.rank = static_cast<int32_t>(tensor.shape.size());
  tensor.view.dl = type->dl;
  tensor.view.shape = tensor.shape.empty() ? nullptr : tensor.shape.data();
  tensor.view.strides = tensor.shape.empty() ? nullptr : tensor.strides.data();
  tensor.view.flags = OPSRUN_TENSOR_HOST | OPSRUN_TENSOR_CONST;
  tensor.view.dtype = type->opsrun;
  return &tensor.view;
}

}  // namespace opsrun_jax

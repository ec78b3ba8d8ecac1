// adapters/jax/native/description.cc: reads descriptions.
// SPDX-License-Identifier: Apache-2.0
#include "description.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>

#include "adapters/common/failure.h"
#include "types.h"

namespace opsrun_jax {
namespace {

using opsrun_adapter::Failure;

// The text is never written by hand: it comes from this adapter, or from a file in which XLA stored a program.
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

// The word without the mark of a text.
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
  inputs_.push_back({attrs_.Keep(Unquoted(words[1])), static_cast<int32_t>(Int(words[2])), 0, nullptr,
                     static_cast<uint32_t>(Int(words[3])), 0});
}

void Description::TakeAttr(const Words& words) {
  const auto kind = static_cast<uint32_t>(Int(words[2]));
  if ((kind & OPSRUN_ATTR_LIST) == 0 && words.size() != 4) Refuse(words[1]);
  attrs_.Begin(Unquoted(words[1]), kind);
  for (size_t i = 3; i < words.size(); ++i) TakeValue(kind & ~OPSRUN_ATTR_LIST, words[i]);
}

void Description::TakeValue(uint32_t kind, std::string_view word) {
  switch (kind) {
    case OPSRUN_ATTR_FLOAT:
      return attrs_.AddFloat(Float(word));
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return attrs_.AddText(Unquoted(AfterMark(word)));
    case OPSRUN_ATTR_SHAPE:
      return word == "[?]" ? attrs_.AddUnknownShape() : attrs_.AddShape(Sizes(word));
    case OPSRUN_ATTR_TENSOR:
      return attrs_.AddTensor(KeepTensor(word));
    default:
      return attrs_.AddInt(Int(word));
  }
}

const opsrun_tensor* Description::KeepTensor(std::string_view word) {
  const size_t shape = word.find('['), mark = word.find('\'');
  if (shape == std::string_view::npos || mark == std::string_view::npos || mark < shape) Refuse(word);
  const TypeNumbers* const type = FindType(static_cast<int32_t>(Int(word.substr(0, shape))));
  const std::vector<int64_t> sizes = Sizes(word.substr(shape, mark - shape));
  std::string bytes;
  for (size_t i = mark + 1; i < word.size(); i += 2) bytes += Byte(word.substr(i, 2));
  if (sizes.size() > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 32 dimensions");
  }
  const auto rank = static_cast<int32_t>(sizes.size());
  size_t n = 0;
  if (type == nullptr || !CountBytes(*type, rank, sizes.data(), n) || bytes.size() != n) Refuse(word);
  Owner& tensor = tensors_.emplace_back(nullptr, *type, rank, sizes.data(), n);
  if (tensor.data == nullptr) throw std::bad_alloc();
  std::memcpy(tensor.data, bytes.data(), n);
  tensor.flags |= OPSRUN_TENSOR_CONST;
  return &tensor;
}

}  // namespace opsrun_jax

// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "host/base/text.h"
#include "host/spec/op_def.h"

namespace opsrun::host::spec {
namespace {

// True for a capital letter after a small one, or before a small one.
bool BeginsWord(std::string_view camel, size_t i) {
  if (!IsUpper(camel[i]) || i == 0 || camel[i - 1] == '>') return false;
  return IsLower(camel[i - 1]) || (i + 1 < camel.size() && IsLower(camel[i + 1]));
}

}  // namespace

std::string SnakeCase(std::string_view camel) {
  std::string snake;
  for (size_t i = 0; i < camel.size(); ++i) {
    if (BeginsWord(camel, i)) snake += '_';
    snake += camel[i] == '>' ? '_' : Lower(camel[i]);
  }
  return snake;
}

std::string SetterName(std::string_view attr, std::string_view op_class) {
  std::string name;
  bool raise = true;
  for (char c : attr) {
    if (c != '_') name += raise ? Upper(c) : c;
    raise = c == '_';
  }
  if (name == op_class || name == "Attrs") name += '_';
  return name;
}

bool IsPythonKeyword(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "for",      "finally",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return words.contains(word);
}

namespace {

constexpr std::string_view kRefSuffix = "_ref";

DType WithoutRef(DType dtype) {
  return DTypeFromNumber(int64_t{DTypeNumber(dtype)} - kRefOffset);
}

}  // namespace

bool IsRefType(DType dtype) {
  return IsDType(WithoutRef(dtype));
}

DType RefType(DType dtype) {
  return DTypeFromNumber(DTypeNumber(dtype) + kRefOffset);
}

DType BaseType(DType dtype) {
  return IsRefType(dtype) ? WithoutRef(dtype) : dtype;
}

std::string TypeText(DType dtype) {
  return IsRefType(dtype) ? DTypeName(BaseType(dtype)) + std::string(kRefSuffix) : DTypeName(dtype);
}

std::optional<DType> TypeFromWord(std::string_view word) {
  if (word.starts_with("DT_")) return std::nullopt;
  const bool is_ref = word.ends_with(kRefSuffix);
  if (is_ref) word.remove_suffix(kRefSuffix.size());
  std::optional<DType> dtype = DTypeFromName(word);
  return dtype && is_ref ? RefType(*dtype) : dtype;
}

std::optional<DType> TypeFromEnumWord(std::string_view word) {
  if (!word.starts_with("DT_")) return std::nullopt;
  if (word == "DT_INVALID") return DType::kInvalid;
  const bool is_ref = word.ends_with("_REF");
  if (is_ref) word.remove_suffix(4);
  std::optional<DType> dtype = DTypeFromName(word);
  return dtype && is_ref ? RefType(*dtype) : dtype;
}

std::string EnumWord(DType dtype) {
  return std::string(DTypeEnumWord(BaseType(dtype))) + (IsRefType(dtype) ? "_REF" : "");
}

const std::vector<DType>* TypeSetFromWord(std::string_view word) {
  static const std::vector<DType> number_types = TypesIn(TypeSet::kNumber), real_types = TypesIn(TypeSet::kReal),
                                  quantized_types = TypesIn(TypeSet::kQuantized);
  if (word == "numbertype" || word == "numerictype") return &number_types;
  if (word == "realnumbertype" || word == "realnumerictype") return &real_types;
  return word == "quantizedtype" ? &quantized_types : nullptr;
}

std::string_view TypeSetWord(const std::vector<DType>& types) {
  for (std::string_view word : {"numbertype", "realnumbertype", "quantizedtype"}) {
    if (types == *TypeSetFromWord(word)) return word;
  }
  return {};
}

const std::vector<std::string>& AllTypeWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = {"numbertype", "realnumbertype", "quantizedtype"};
    for (const DType dtype : kAllDTypes) {
      if (IsSmallerThanAByte(dtype)) continue;  // there are no such tensors
      all.emplace_back(DTypeGuideName(dtype));
      if (DTypeName(dtype) != DTypeGuideName(dtype)) all.push_back(DTypeName(dtype));
    }
    return all;
  }();
  return words;
}

}  // namespace opsrun::host::spec

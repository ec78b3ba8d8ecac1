// host/spec/type_words.cc: see type_words.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/type_words.h"

namespace opsrun::host::spec {
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
  static const std::vector<DType> number_types = {
      DType::kFloat32,   DType::kFloat64,    DType::kInt32,   DType::kUInt8,  DType::kInt16,  DType::kInt8,
      DType::kComplex64, DType::kInt64,      DType::kQInt8,   DType::kQUInt8, DType::kQInt32, DType::kBFloat16,
      DType::kUInt16,    DType::kComplex128, DType::kFloat16, DType::kUInt32, DType::kUInt64};
  static const std::vector<DType> real_types = {DType::kFloat32, DType::kFloat64, DType::kInt32,  DType::kUInt8,
                                                DType::kInt16,   DType::kInt8,    DType::kInt64,  DType::kBFloat16,
                                                DType::kUInt16,  DType::kFloat16, DType::kUInt32, DType::kUInt64};
  static const std::vector<DType> quantized_types = {DType::kQInt8, DType::kQUInt8, DType::kQInt32, DType::kQInt16,
                                                     DType::kQUInt16};
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
  static const std::vector<std::string> words = {"float",          "double",          "int32",
                                                 "uint8",          "int16",           "int8",
                                                 "string",         "complex64",       "int64",
                                                 "bool",           "qint8",           "quint8",
                                                 "qint32",         "bfloat16",        "qint16",
                                                 "quint16",        "uint16",          "complex128",
                                                 "half",           "resource",        "variant",
                                                 "uint32",         "uint64",          "float16",
                                                 "float32",        "float64",         "numbertype",
                                                 "realnumbertype", "quantizedtype",   "float8_e5m2",
                                                 "float8_e4m3fn",  "float8_e4m3fnuz", "float8_e4m3b11fnuz",
                                                 "float8_e5m2fnuz"};
  return words;
}

}  // namespace opsrun::host::spec

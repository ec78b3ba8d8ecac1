// host/spec/type_words.cc: see type_words.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/type_words.h"

#include <cctype>

namespace opsrun::host::spec {
namespace {

constexpr std::string_view kRefSuffix = "_ref";

const std::vector<DType>& NumberTypes() {
  static const std::vector<DType> types = {
      OPSRUN_DT_FLOAT,  OPSRUN_DT_DOUBLE,    OPSRUN_DT_INT32,  OPSRUN_DT_UINT8,      OPSRUN_DT_INT16,
      OPSRUN_DT_INT8,   OPSRUN_DT_COMPLEX64, OPSRUN_DT_INT64,  OPSRUN_DT_QINT8,      OPSRUN_DT_QUINT8,
      OPSRUN_DT_QINT32, OPSRUN_DT_BFLOAT16,  OPSRUN_DT_UINT16, OPSRUN_DT_COMPLEX128, OPSRUN_DT_HALF,
      OPSRUN_DT_UINT32, OPSRUN_DT_UINT64};
  return types;
}

const std::vector<DType>& RealNumberTypes() {
  static const std::vector<DType> types = {OPSRUN_DT_FLOAT,  OPSRUN_DT_DOUBLE, OPSRUN_DT_INT32,  OPSRUN_DT_UINT8,
                                           OPSRUN_DT_INT16,  OPSRUN_DT_INT8,   OPSRUN_DT_INT64,  OPSRUN_DT_BFLOAT16,
                                           OPSRUN_DT_UINT16, OPSRUN_DT_HALF,   OPSRUN_DT_UINT32, OPSRUN_DT_UINT64};
  return types;
}

const std::vector<DType>& QuantizedTypes() {
  static const std::vector<DType> types = {OPSRUN_DT_QINT8, OPSRUN_DT_QUINT8, OPSRUN_DT_QINT32, OPSRUN_DT_QINT16,
                                           OPSRUN_DT_QUINT16};
  return types;
}

}  // namespace

bool IsRefType(DType dtype) {
  return dtype > kRefOffset && IsDType(dtype - kRefOffset);
}

DType BaseType(DType dtype) {
  return IsRefType(dtype) ? dtype - kRefOffset : dtype;
}

std::string TypeText(DType dtype) {
  return IsRefType(dtype) ? DTypeName(BaseType(dtype)) + std::string(kRefSuffix) : DTypeName(dtype);
}

std::optional<DType> TypeFromWord(std::string_view word) {
  if (word.starts_with("DT_")) return std::nullopt;
  const bool is_ref = word.ends_with(kRefSuffix);
  if (is_ref) word.remove_suffix(kRefSuffix.size());
  std::optional<DType> dtype = DTypeFromName(word);
  if (dtype && is_ref) *dtype += kRefOffset;
  return dtype;
}

std::optional<DType> TypeFromEnumWord(std::string_view word) {
  if (!word.starts_with("DT_")) return std::nullopt;
  if (word == "DT_INVALID") return OPSRUN_DT_INVALID;
  const bool is_ref = word.ends_with("_REF");
  if (is_ref) word.remove_suffix(4);
  std::optional<DType> dtype = DTypeFromName(word);
  if (dtype && is_ref) *dtype += kRefOffset;
  return dtype;
}

std::string EnumWord(DType dtype) {
  const DType base = BaseType(dtype);
  std::string word = base == OPSRUN_DT_FLOAT    ? "float"
                     : base == OPSRUN_DT_DOUBLE ? "double"
                     : base == OPSRUN_DT_HALF   ? "half"
                                                : DTypeName(base);
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "DT_" + word + (IsRefType(dtype) ? "_REF" : "");
}

const std::vector<DType>* TypeSetFromWord(std::string_view word) {
  if (word == "numbertype" || word == "numerictype") return &NumberTypes();
  if (word == "realnumbertype" || word == "realnumerictype") return &RealNumberTypes();
  if (word == "quantizedtype") return &QuantizedTypes();
  return nullptr;
}

std::string_view TypeSetWord(const std::vector<DType>& types) {
  for (std::string_view word : {"numbertype", "realnumbertype", "quantizedtype"}) {
    if (types == *TypeSetFromWord(word)) return word;
  }
  return {};
}

const std::vector<std::string>& AllTypeWords() {
  static const std::vector<std::string> words = {
      "float",   "double",     "int32",      "uint8",          "int16",        "int8",     "string", "complex64",
      "int64",   "bool",       "qint8",      "quint8",         "qint32",       "bfloat16", "qint16", "quint16",
      "uint16",  "complex128", "half",       "resource",       "variant",      "uint32",   "uint64", "float16",
      "float32", "float64",    "numbertype", "realnumbertype", "quantizedtype"};
  return words;
}

}  // namespace opsrun::host::spec

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
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

namespace {

const std::unordered_set<std::string_view>& Keywords() {
  static const std::unordered_set<std::string_view> words = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "for",      "finally",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return words;
}

const std::unordered_set<std::string_view>& Reserved() {
  static const std::unordered_set<std::string_view> words = {
      // Keywords of Python 2.
      "exec", "print",
      // Builtins.
      "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BlockingIOError", "BrokenPipeError",
      "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError", "ConnectionError",
      "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis",
      "EnvironmentError", "Exception", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError",
      "FutureWarning", "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
      "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
      "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented", "NotImplementedError",
      "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
      "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StandardError",
      "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError",
      "TimeoutError", "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError",
      "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError", "Warning",
      "ZeroDivisionError", "__debug__", "__doc__", "__import__", "__name__", "__package__"};
  return words;
}

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value < 0 ? "float('-inf')" : "float('inf')";
  return fmt::format("{:g}", value);
}

std::string StringText(std::string_view value) {
  std::string text;
  for (char c : value) {
    const size_t special = std::string_view("\n\r\t\"'\\").find(c);
    if (special != std::string_view::npos) {
      text += '\\';
      text += "nrt\"'\\"[special];
    } else if (c < 0x20 || c == 0x7F) {
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return '"' + text + '"';
}

// TensorFlow's Python name if it has one, else that of specs: float32, half.
std::string TypeName(DType dtype) {
  return dtype == DType::kFloat16 ? "half" : TypeText(dtype);
}

std::string PythonElement(const AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return std::to_string(value.ints[i]);
    case OPSRUN_ATTR_FLOAT:
      return PythonFloat(value.floats[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "True" : "False";
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return StringText(value.strings[i]);
    case OPSRUN_ATTR_TYPE:
      return TypeName(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known ? fmt::format("[{}]", fmt::join(value.shapes[i].dims, ", ")) : "None";
    default:
      return "...";
  }
}

// A literal: 3, 1e-06, float('inf'), True, "it\'s", float32, [2, -1], [1, 2]. "..." for a tensor.
std::string PythonText(const AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + PythonElement(value, i);
  return value.type.list ? "[" + text + "]" : text;
}

std::string ParameterName(const std::string& name) {
  return Keywords().contains(name) || Reserved().contains(name) ? name + "_" : name;
}

std::vector<std::string> Parameters(const OpDef& op) {
  std::vector<std::string> parameters;
  for (const ArgDef& input : op.inputs) parameters.push_back(ParameterName(input.name));
  for (const AttrDef& attr : op.attrs) {
    if (!attr.default_value && !InferredFrom(op, attr.name)) parameters.push_back(ParameterName(attr.name));
  }
  for (const AttrDef& attr : op.attrs) {
    if (!attr.default_value || InferredFrom(op, attr.name)) continue;
    parameters.push_back(ParameterName(attr.name) + "=" + PythonText(*attr.default_value));
  }
  return parameters;
}

}  // namespace

bool IsPythonKeyword(std::string_view word) {
  return Keywords().contains(word);
}

std::string PythonSignature(const OpDef& op) {
  std::string text = SnakeCase(op.name) + "(";
  for (const std::string& parameter : Parameters(op)) text += parameter + ", ";
  return text + "name=None)";
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

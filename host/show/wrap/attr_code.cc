// host/show/wrap/attr_code.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/wrap/attr_code.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_set>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

struct CppKind {
  std::string_view type, function, functions;
};

const CppKind& KindOf(uint32_t kind) {
  static constexpr CppKind kKinds[] = {
      {"int64_t", "Int", "Ints"},
      {"float", "Float", "Floats"},
      {"bool", "Bool", "Bools"},
      {"std::string", "String", "Strings"},
      {"int32_t", "Type", "Types"},
      {"embed::PartialShape", "Shape", "Shapes"},
      {"embed::View", "Tensor", "Tensors"},
      {"std::string", "Func", "Funcs"},
  };
  static_assert(OPSRUN_ATTR_INT == 1 && std::size(kKinds) == OPSRUN_ATTR_FUNC);
  return kKinds[kind - OPSRUN_ATTR_INT];
}

std::string CppInt(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? "std::numeric_limits<int64_t>::min()" : std::to_string(value);
}

std::string CppFloat(double value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value))
    return value < 0 ? "-std::numeric_limits<float>::infinity()" : "std::numeric_limits<float>::infinity()";
  const std::string text = fmt::format("{}", static_cast<float>(value));  // a spec stores floats
  return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

std::string CppDType(DType dtype) {
  if (!IsDType(dtype)) return std::to_string(DTypeNumber(dtype));
  return fmt::format("OPSRUN_{}", DTypeEnumWord(dtype));
}

std::string CppElement(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return CppInt(value.ints[i]);
    case OPSRUN_ATTR_FLOAT:
      return CppFloat(value.floats[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "true" : "false";
    case OPSRUN_ATTR_TYPE:
      return CppDType(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known
                 ? fmt::format("embed::PartialShape{{{}}}", fmt::join(value.shapes[i].dims, ", "))
                 : "embed::PartialShape::UnknownRank()";
    default:
      return CppString(value.strings[i]);
  }
}

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string PythonBytes(std::string_view bytes) {
  std::string quoted = "b\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string PythonElement(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return std::to_string(value.ints[i]);
    case OPSRUN_ATTR_FLOAT:
      return PythonFloat(value.floats[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "True" : "False";
    case OPSRUN_ATTR_TYPE:
      return PythonQuote(DTypeName(DTypeFromNumber(value.ints[i])));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known ? fmt::format("[{}]", fmt::join(value.shapes[i].dims, ", ")) : "None";
    case OPSRUN_ATTR_TENSOR:
      return "...";
    default:
      return IsUtf8(value.strings[i]) ? PythonQuote(value.strings[i]) : PythonBytes(value.strings[i]);
  }
}

}  // namespace

std::string CppString(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {  // "??" could begin a trigraph
      literal += '\\';
      literal += c;
    } else if (byte < 0x20 || byte >= 0x7F) {  // three octal digits: cannot run into the next character
      literal += fmt::format("\\{:03o}", byte);
    } else {
      literal += c;
    }
  }
  literal += '"';
  if (text.find('\0') == std::string_view::npos) return literal;
  return fmt::format("std::string({}, {})", literal, text.size());
}

std::string CppType(spec::AttrType type) {
  const std::string_view one = KindOf(type.kind).type;
  return type.list ? fmt::format("std::vector<{}>", one) : std::string(one);
}

bool IsCppNumber(spec::AttrType type) {
  return !type.list && (type.kind <= OPSRUN_ATTR_BOOL || type.kind == OPSRUN_ATTR_TYPE);
}

std::string CppInitializer(const spec::AttrValue& value) {
  if (value.type.kind == OPSRUN_ATTR_TENSOR) return {};
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + CppElement(value, i);
  return value.type.list ? "{" + text + "}" : text;
}

std::string CppAttrFunction(spec::AttrType type) {
  const CppKind& kind = KindOf(type.kind);
  return std::string(type.list ? kind.functions : kind.function);
}

bool IsCppReserved(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      // Keywords, also those of C++20.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros without arguments.
      "BUFSIZ", "DOMAIN", "EOF", "FE_INVALID", "HUGE_VAL", "INFINITY", "I", "NAN", "NULL", "OVERFLOW", "RAND_MAX",
      "SING", "UNDERFLOW", "errno", "i386", "linux", "stderr", "stdin", "stdout", "unix",
      // Namespaces.
      "opsrun", "posix", "std"};
  return words.count(word) > 0;
}

std::string PythonQuote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    if (c.size == 0) {
      quoted += kReplacementCharacter;
    } else if (c.code < 0x20 || c.code == 0x7F) {
      quoted += fmt::format("\\x{:02x}", c.code);
    } else {
      if (c.code == '"' || c.code == '\\') quoted += '\\';
      quoted += text.substr(0, c.size);
    }
    text.remove_prefix(c.size == 0 ? 1 : c.size);
  }
  return quoted + '"';
}

std::string PythonLiteral(const spec::AttrValue& value) {
  if (value.type.kind == OPSRUN_ATTR_TENSOR) return "...";
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + PythonElement(value, i);
  return value.type.list ? "[" + text + "]" : text;
}

}  // namespace opsrun::host

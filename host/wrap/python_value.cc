// host/wrap/python_value.cc: see python_value.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/wrap/python_value.h"

#include <fmt/format.h>

#include <cmath>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

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

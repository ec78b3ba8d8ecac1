// tests/vectors/python_signature.cc: the signature that TensorFlow's generator of Python wrappers writes for an op.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "host/spec/op_def.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

// Names that TensorFlow's generator of Python wrappers keeps for Python, besides keywords.
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
std::string TypeName(host::DType dtype) {
  return dtype == host::DType::kFloat16 ? "half" : spec::TypeText(dtype);
}

std::string PythonElement(const spec::AttrValue& value, size_t i) {
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
      return TypeName(host::DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known ? fmt::format("[{}]", fmt::join(value.shapes[i].dims, ", ")) : "None";
    default:
      return "...";
  }
}

// A literal: 3, 1e-06, float('inf'), True, "it\'s", float32, [2, -1], [1, 2]. "..." for a tensor.
std::string PythonText(const spec::AttrValue& value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + PythonElement(value, i);
  return value.type.list ? "[" + text + "]" : text;
}

std::string ParameterName(const std::string& name) {
  return spec::IsPythonKeyword(name) || Reserved().contains(name) ? name + "_" : name;
}

std::vector<std::string> Parameters(const spec::OpDef& op) {
  std::vector<std::string> parameters;
  for (const spec::ArgDef& input : op.inputs) parameters.push_back(ParameterName(input.name));
  for (const spec::AttrDef& attr : op.attrs) {
    if (!attr.default_value && !spec::InferredFrom(op, attr.name)) parameters.push_back(ParameterName(attr.name));
  }
  for (const spec::AttrDef& attr : op.attrs) {
    if (!attr.default_value || spec::InferredFrom(op, attr.name)) continue;
    parameters.push_back(ParameterName(attr.name) + "=" + PythonText(*attr.default_value));
  }
  return parameters;
}

}  // namespace

std::string PythonSignature(const spec::OpDef& op) {
  std::string text = spec::SnakeCase(op.name) + "(";
  for (const std::string& parameter : Parameters(op)) text += parameter + ", ";
  return text + "name=None)";
}

}  // namespace opsrun::vectors

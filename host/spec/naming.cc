// host/spec/naming.cc: see naming.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/naming.h"

#include <vector>

#include "host/spec/attr_text.h"
#include "host/spec/python_words.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {
namespace {

// A capital letter that ends a run of small ones, or begins a word after other capitals.
bool BeginsWord(std::string_view camel, size_t i) {
  if (!IsUpper(camel[i]) || i == 0 || camel[i - 1] == '>') return false;
  return IsLower(camel[i - 1]) || (i + 1 < camel.size() && IsLower(camel[i + 1]));
}

std::string ParameterName(const std::string& name) {
  return IsPythonReserved(name) ? name + "_" : name;
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

std::string PythonSignature(const OpDef& op) {
  std::string text = SnakeCase(op.name) + "(";
  for (const std::string& parameter : Parameters(op)) text += parameter + ", ";
  return text + "name=None)";
}

}  // namespace opsrun::host::spec

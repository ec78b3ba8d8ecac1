// host/show/wrap/python_stub.cc: the functions in Python, as python/opsrun/_op_def.py shows them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "host/base/text.h"
#include "host/show/wrap/wrap.h"

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

// A literal: 3, 1e-06, float("inf"), True, "text"; "float32" for a type, [2, -1] for a shape, None for a shape of
// unknown rank, ... for a tensor.
std::string PythonLiteral(const spec::AttrValue& value) {
  if (value.type.kind == OPSRUN_ATTR_TENSOR) return "...";
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + PythonElement(value, i);
  return value.type.list ? "[" + text + "]" : text;
}

using spec::ArgDef;
using spec::AttrDef;
using spec::OpDef;

// An op with its Python names, which are unique in their scopes.
struct PythonOp {
  PythonOp(const OpDef& def, std::string function_name) : op(def), function(std::move(function_name)) {
    UniqueNames names(spec::IsPythonKeyword, {"name"});
    for (const ArgDef& input : op.inputs) inputs.push_back(names.Take(input.name));
    for (const AttrDef& attr : op.attrs) {
      if (spec::InferredFrom(op, attr.name) == nullptr) attrs.emplace_back(&attr, names.Take(attr.name));
    }
    UniqueNames fields(spec::IsPythonKeyword);
    for (const ArgDef& output : op.outputs) outputs.push_back(fields.Take(output.name));
  }

  const OpDef& op;
  std::string function;
  std::string result;  // the name of its NamedTuple; may be empty
  std::vector<std::string> inputs, outputs;
  std::vector<std::pair<const AttrDef*, std::string>> attrs;  // that the caller sets
};

// The names used in annotations. A function may have the name of a Python type and then hides it.
class Annotations {
 public:
  explicit Annotations(std::set<std::string> functions) : functions_(std::move(functions)) {}

  std::string Builtin(const std::string& word) const { return functions_.count(word) > 0 ? "_builtins." + word : word; }

  std::string OfAttr(spec::AttrType type) const {
    const std::string one = OfElement(type.kind);
    return type.list ? "Sequence[" + one + "]" : one;
  }
  std::string OfInput(const ArgDef& arg) const {
    const std::string one = OfObject(arg.dtype, "Value");
    return arg.is_list() ? "Sequence[" + one + "]" : one;
  }
  std::string OfOutput(const ArgDef& arg) const {
    const std::string one = OfObject(arg.dtype, "Array");
    return arg.is_list() ? Builtin("list") + "[" + one + "]" : one;
  }

 private:
  static std::string OfObject(DType dtype, const char* otherwise) {
    return dtype == DType::kResource ? "Handle" : dtype == DType::kVariant ? "Variant" : otherwise;
  }
  std::string OfElement(uint32_t kind) const {
    switch (kind) {
      case OPSRUN_ATTR_INT:
        return Builtin("int");
      case OPSRUN_ATTR_FLOAT:
        return Builtin("float");
      case OPSRUN_ATTR_BOOL:
        return Builtin("bool");
      case OPSRUN_ATTR_TYPE:
        return "DType";
      case OPSRUN_ATTR_SHAPE:
        return "Shape";
      case OPSRUN_ATTR_TENSOR:
        return "Value";
      default:
        return Builtin("str") + " | " + Builtin("bytes");
    }
  }

  std::set<std::string> functions_;
};

std::string PythonItem(std::string_view name, std::string_view words, std::string_view doc) {
  return Fill(Item(name, words, doc), {100, 4, 8}) + "\n";
}

std::string DefaultText(const AttrDef& attr) {
  return attr.default_value ? PythonLiteral(*attr.default_value) : "";
}

std::string ReturnsText(const PythonOp& made) {
  const OpDef& op = made.op;
  if (op.outputs.empty()) return "    None.\n";
  std::string text;
  if (op.outputs.size() > 1) text = fmt::format("    A named tuple ({}):\n", fmt::join(made.outputs, ", "));
  for (const ArgDef& output : op.outputs) text += PythonItem(output.name, ArgWords(op, output), output.doc);
  return text;
}

// The documentation of the function up to its last attr, and from there on.
std::pair<std::string, std::string> Documentation(const PythonOp& made, const std::string& plugin) {
  const OpDef& op = made.op;
  std::string text = op.summary.empty() ? fmt::format("{} of plugin {}.", op.name, plugin) : op.summary;
  text += "\n\n";
  if (!op.description.empty()) text += op.description + "\n\n";
  text += "Args:\n";
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    text += PythonItem(made.inputs[i], ArgWords(op, op.inputs[i]), op.inputs[i].doc);
  }
  for (const auto& [attr, name] : made.attrs) {
    text += PythonItem(name, AttrWords(*attr, DefaultText(*attr), PythonQuote), attr->doc);
  }
  std::string rest = "\nReturns:\n" + ReturnsText(made);
  if (op.deprecated_version > 0 && !op.deprecated_text.empty()) rest += "\nDeprecated: " + op.deprecated_text + "\n";
  return {text, rest + fmt::format("\nOp {}.{}: {}", plugin, op.name, spec::SignatureText(op))};
}

// A triple-quoted literal; lines after the first are indented.
std::string Docstring(std::string_view text) {
  std::string literal = "    \"\"\"";
  while (!text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    const std::string_view here = text.substr(0, c.size == 0 ? 1 : c.size);
    text.remove_prefix(here.size());
    if (c.size == 0) {
      literal += kReplacementCharacter;
    } else if (here == "\n") {
      literal += text.empty() || text[0] == '\n' ? "\n" : "\n    ";
    } else if (here == "\\" || (here == "\"" && (text.empty() || text[0] == '"'))) {
      literal.append("\\").append(here);
    } else if (c.code < 0x20) {
      literal += fmt::format("\\x{:02x}", c.code);
    } else {
      literal += here;
    }
  }
  return literal + "\"\"\"\n";
}

std::vector<std::string> Parameters(const PythonOp& made, const Annotations& words) {
  std::vector<std::string> parameters;
  for (size_t i = 0; i < made.inputs.size(); ++i) {
    parameters.push_back(fmt::format("{}: {}", made.inputs[i], words.OfInput(made.op.inputs[i])));
  }
  parameters.emplace_back("*");
  for (const bool with_default : {false, true}) {
    for (const auto& [attr, name] : made.attrs) {
      if (attr->default_value.has_value() != with_default) continue;
      const std::string value = with_default ? " = " + DefaultText(*attr) : "";
      parameters.push_back(fmt::format("{}: {}{}", name, words.OfAttr(attr->type), value));
    }
  }
  parameters.push_back(fmt::format("name: {} | None = None", words.Builtin("str")));
  return parameters;
}

std::string ReturnType(const PythonOp& made, const Annotations& words) {
  if (made.op.outputs.empty()) return "None";
  return made.result.empty() ? words.OfOutput(made.op.outputs[0]) : made.result;
}

// Uses the functional syntax: in a class, a field named "list" would be taken for the type.
std::string ResultText(const PythonOp& made, const Annotations& words) {
  if (made.result.empty()) return {};
  std::vector<std::string> fields;
  for (size_t i = 0; i < made.outputs.size(); ++i) {
    fields.push_back(fmt::format("(\"{}\", {})", made.outputs[i], words.OfOutput(made.op.outputs[i])));
  }
  return fmt::format("{0} = NamedTuple(\"{0}\", [{1}])\n", made.result, fmt::join(fields, ", "));
}

std::string FunctionText(const PythonOp& made, const std::string& plugin, const Annotations& words) {
  const std::vector<std::string> parameters = Parameters(made, words);
  const std::string type = ReturnType(made, words);
  std::string head = fmt::format("def {}({}) -> {}:\n", made.function, fmt::join(parameters, ", "), type);
  if (head.size() > 120) {
    head = fmt::format("def {}(\n        {}) -> {}:\n", made.function, fmt::join(parameters, ",\n        "), type);
  }
  const auto [begin, rest] = Documentation(made, plugin);
  const std::string name = PythonItem("name", "a name for the node, if a function is traced", "");
  return ResultText(made, words) + head + Docstring(begin + name + rest);
}

}  // namespace

Json PythonJson(const spec::OpDef& op, const std::string& plugin) {
  const PythonOp made(op, spec::SnakeCase(op.name));
  const auto [begin, rest] = Documentation(made, plugin);
  Json attrs = Json::object();
  for (const auto& [attr, name] : made.attrs) {
    attrs[attr->name] = {{"name", name}, {"annotation", Annotations({}).OfAttr(attr->type)}};
  }
  return {{"function", made.function},
          {"inputs", made.inputs},
          {"outputs", made.outputs},
          {"attrs", attrs},
          {"help", {begin, rest}}};
}

std::string PythonStub(const WrappedPlugin& plugin) {
  UniqueNames functions(spec::IsPythonKeyword), results([](std::string_view) { return false; });
  std::vector<PythonOp> ops;
  std::set<std::string> names;
  for (const OpDef* op : plugin.ops) {
    PythonOp& made = ops.emplace_back(*op, functions.Take(spec::SnakeCase(op->name)));
    names.insert(made.function);
    if (op->outputs.size() > 1) made.result = results.Take("_" + Identifier(op->name));
  }
  const Annotations words(std::move(names));
  std::string text = fmt::format(
      "# Written by {}. Write it again rather than edit it.\n\n"
      "import builtins as _builtins\n"
      "from collections.abc import Sequence\n"
      "from typing import NamedTuple\n\n"
      "from opsrun.typing import Array, DType, Handle, Shape, Value, Variant\n\n"
      "OP_LIST: {}[{}, ...]\nLIB_PATH: {}\n",
      MadeBy({plugin}), words.Builtin("tuple"), words.Builtin("str"), words.Builtin("str"));
  for (const PythonOp& op : ops) text += "\n" + FunctionText(op, plugin.name, words);
  return text;
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

}  // namespace opsrun::host

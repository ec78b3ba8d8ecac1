// host/show/wrap/cpp_header.cc: the header in C++.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/wrap/wrap.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::AttrDef;
using spec::OpDef;

// "// text" on lines of up to 120 columns, indented. Keeps the line breaks of the text; continuation lines of a long
// line are indented by `hanging` more.
std::string CppComment(std::string_view text, size_t indent, size_t hanging = 0) {
  const std::string begin = std::string(indent, ' ') + "//";
  std::string comment;
  const size_t width = 120 - begin.size() - 1;
  const std::string printable = Printable(text);
  for (const std::string_view line : LinesOf(printable)) {
    const size_t own = std::min(line.find_first_not_of(' '), line.size());
    // Lines that fit keep their layout.
    const std::string filled = line.size() <= width ? std::string(line) : Fill(line, {width, own, own + hanging});
    if (filled.empty()) comment += begin + "\n";
    for (std::string_view words : LinesOf(filled)) {
      words = words.substr(0, words.find_last_not_of(' ') + 1);
      // A backslash at the end, or its trigraph, would continue the comment into the next line, which may be code.
      const bool goes_on = words.ends_with('\\') || words.ends_with("?\?/");
      comment += fmt::format("{}{}{}{}\n", begin, words.empty() ? "" : " ", words, goes_on ? " ." : "");
    }
  }
  return comment;
}

// An attr that the caller sets. Its names are in the scope of the struct Attrs.
struct CppAttr {
  const AttrDef* def;
  std::string field, setter, parameter;

  bool required() const { return !def->default_value; }
  // True if it is passed only when set, because C++ code cannot express the default, which stays in the plugin.
  bool optional() const {
    if (required()) return false;
    const std::vector<spec::PartialShape>& shapes = def->default_value->shapes;
    const std::vector<std::string>& texts = def->default_value->strings;
    return def->type.kind == OPSRUN_ATTR_TENSOR || !std::all_of(texts.begin(), texts.end(), IsUtf8) ||
           std::any_of(shapes.begin(), shapes.end(), [](const auto& shape) { return !shape.rank_known; });
  }
  std::string type() const { return optional() ? "std::optional<" + CppType(def->type) + ">" : CppType(def->type); }
  // embed::Attr::Int("k", value)
  std::string Made(const std::string& value) const {
    // Lists of these types have a different element type in the C interface.
    const bool other = def->type.list && (def->type.kind == OPSRUN_ATTR_TYPE || def->type.kind == OPSRUN_ATTR_FLOAT);
    return fmt::format("embed::Attr::{}({}, {})", CppAttrFunction(def->type), CppString(def->name),
                       other ? fmt::format("{{{0}.begin(), {0}.end()}}", value) : value);
  }
  std::string Moved(const std::string& name) const { return IsCppNumber(def->type) ? name : "std::move(" + name + ")"; }
};

std::vector<CppAttr> AttrsOf(const OpDef& op) {
  UniqueNames names(IsCppReserved, {"Attrs"});
  std::vector<CppAttr> attrs;
  for (const AttrDef& attr : op.attrs) {
    if (spec::InferredFrom(op, attr.name) != nullptr) continue;
    attrs.push_back({&attr, names.Take(attr.name + "_"), {}, {}});
  }
  for (CppAttr& attr : attrs) {
    (attr.required() ? attr.parameter : attr.setter) =
        names.Take(attr.required() ? attr.def->name : spec::SetterName(attr.def->name));
  }
  return attrs;
}

std::vector<std::string> NamesOf(const std::vector<ArgDef>& args, std::set<std::string> taken) {
  UniqueNames names(IsCppReserved, std::move(taken));
  std::vector<std::string> all;
  for (const ArgDef& arg : args) all.push_back(names.Take(arg.name));
  return all;
}

std::string OfOutput(const ArgDef& arg) {
  return arg.is_list() ? "std::vector<embed::Tensor>" : "embed::Tensor";
}

std::string Taken(const ArgDef& arg) {
  return arg.is_list() ? fmt::format("TakeList({})", CppString(arg.name)) : "Take()";
}

// begin + the parts separated by commas + end, on lines of up to 120 columns if possible.
std::string Lines(const std::string& begin, const std::vector<std::string>& parts, std::string_view end) {
  std::string text = begin;
  size_t column = begin.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t length = parts[i].size() + (i + 1 < parts.size() ? 1 : end.size());
    if (i > 0 && column + 1 + length > 120) {
      text += "\n          ";
      column = 10;
    } else if (i > 0) {
      text += ' ';
      ++column;
    }
    text += parts[i] + (i + 1 < parts.size() ? "," : "");
    column += length;
  }
  return text.append(end);
}

// One op as a C++ class on top of opsrun/embed_op.hpp, with its comment, in a scope where `embed` is opsrun::embed:
//
//   class ZeroOut {
//    public:
//     struct Attrs { Attrs& PreserveIndex(int64_t value); ... };  // without attrs that inputs determine
//     ZeroOut(const embed::Engine& engine, const Attrs& attrs);
//     embed::Tensor operator()(const embed::View& to_zero, const embed::Stop* stop = nullptr) const;
//   };
class CppClass {
 public:
  CppClass(const OpDef& op, const std::string& plugin, const std::string& name)
      : op_(op), plugin_(plugin), name_(name), attrs_(AttrsOf(op)) {
    inputs_ = NamesOf(op.inputs, {"stop", "op_", "results"});
    outputs_ = NamesOf(op.outputs, {"embed"});
  }

  std::string Text() const {
    return fmt::format("{}class {} {{\n public:\n{}{}{}{}\n private:\n  embed::Op op_;\n}};\n", Comment(), name_,
                       Attrs(), Result(), Constructors(), Call());
  }

 private:
  std::string Comment() const {
    std::string text = op_.summary.empty() ? fmt::format("{} of plugin {}.", op_.name, plugin_) : op_.summary;
    if (!op_.description.empty()) text += "\n\n" + op_.description;
    std::string comment = CppComment(text, 0);
    comment += "//\n" + CppComment(fmt::format("Op {}.{}: {}", plugin_, op_.name, spec::SignatureText(op_)), 0);
    if (op_.deprecated_version > 0) comment += "//\n" + CppComment("Deprecated: " + op_.deprecated_text, 0);
    return comment;
  }

  std::string Attrs() const {
    if (attrs_.empty()) return {};
    return fmt::format("  struct Attrs {{\n{}{}{}  }};\n\n", AttrsConstructor(), Setters(), Fields());
  }

  std::string AttrsConstructor() const {
    std::vector<std::string> parameters, initializers;
    std::string comment;
    for (const CppAttr& attr : attrs_) {
      if (!attr.required()) continue;
      comment += CppComment(Item(attr.parameter, AttrWords(*attr.def, "", CppString), attr.def->doc), 4, 4);
      parameters.push_back(attr.type() + " " + attr.parameter);
      initializers.push_back(fmt::format("{}({})", attr.field, attr.Moved(attr.parameter)));
    }
    if (parameters.empty()) return {};
    return fmt::format("{}    {}Attrs({})\n        : {} {{}}\n", comment, parameters.size() == 1 ? "explicit " : "",
                       fmt::join(parameters, ", "), fmt::join(initializers, ", "));
  }

  std::string Setters() const {
    std::string text;
    for (const CppAttr& attr : attrs_) {
      if (attr.required()) continue;
      const std::string value = CppInitializer(*attr.def->default_value);
      text += CppComment(Item(attr.def->name, AttrWords(*attr.def, value, CppString), attr.def->doc), 4, 4);
      text += fmt::format("    Attrs& {}({} value) {{\n      {} = {};\n      return *this;\n    }}\n", attr.setter,
                          CppType(attr.def->type), attr.field, attr.Moved("value"));
    }
    return text;
  }

  std::string Fields() const {
    std::string text = "\n";
    for (const CppAttr& attr : attrs_) {
      const std::string value =
          attr.required() || attr.optional() ? "" : " = " + CppInitializer(*attr.def->default_value);
      text += fmt::format("    {} {}{};\n", attr.type(), attr.field, value);
    }
    return text;
  }

  std::string Result() const {
    if (op_.outputs.size() < 2) return {};
    std::string text = "  struct Result {\n";
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const ArgDef& output = op_.outputs[i];
      text += CppComment(Item(outputs_[i], ArgWords(op_, output), output.doc), 4, 4);
      text += fmt::format("    {} {};\n", OfOutput(output), outputs_[i]);
    }
    return text + "  };\n\n";
  }

  std::string Constructors() const {
    const std::string op = CppString(fmt::format("{}.{}", plugin_, op_.name));
    if (attrs_.empty()) {
      return fmt::format("  explicit {}(const embed::Engine& engine) : op_(engine, {}) {{}}\n", name_, op);
    }
    bool required = false;
    std::vector<std::string> values;
    std::string given_alone;
    for (const CppAttr& attr : attrs_) {
      required = required || attr.required();
      if (attr.optional()) {
        given_alone += fmt::format("    if (attrs.{0}) op_.Add({1});\n", attr.field, attr.Made("*attrs." + attr.field));
      } else {
        values.push_back(attr.Made("attrs." + attr.field));
      }
    }
    std::string text;
    if (!required) {
      text = fmt::format("  explicit {0}(const embed::Engine& engine) : {0}(engine, Attrs()) {{}}\n", name_);
    }
    text += fmt::format("  {}(const embed::Engine& engine, const Attrs& attrs)\n", name_);
    text += Lines(fmt::format("      : op_(engine, {}, {{", op), values, "}) {");
    return text + (given_alone.empty() ? "}\n" : "\n" + given_alone + "  }\n");
  }

  std::string Call() const {
    std::vector<std::string> parameters, args;
    std::string comment;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const ArgDef& input = op_.inputs[i];
      const char* const type = input.is_list() ? "std::vector<embed::View>" : "embed::View";
      comment += CppComment(Item(inputs_[i], ArgWords(op_, input), input.doc), 2, 4);
      parameters.push_back(fmt::format("const {}& {}", type, inputs_[i]));
      args.push_back(fmt::format("{{{}, {}}}", CppString(input.name), inputs_[i]));
    }
    parameters.emplace_back("const embed::Stop* stop = nullptr");
    if (op_.outputs.size() == 1) {
      comment += CppComment("Returns " + Item(outputs_[0], ArgWords(op_, op_.outputs[0]), op_.outputs[0].doc), 2, 4);
    }
    return "\n" + comment + Lines(fmt::format("  {} operator()(", ResultType()), parameters, ") const {\n") +
           Body(args) + "  }\n";
  }

  std::string ResultType() const {
    if (op_.outputs.empty()) return "void";
    return op_.outputs.size() == 1 ? OfOutput(op_.outputs[0]) : "Result";
  }

  std::string Body(const std::vector<std::string>& args) const {
    const auto call = [&](const char* begin, const std::string& end) {
      return Lines(fmt::format("    {}op_.Call({{", begin), args, "}, stop)" + end + ";\n");
    };
    if (op_.outputs.empty()) return call("", "");
    if (op_.outputs.size() == 1) return call("return ", "." + Taken(op_.outputs[0]));
    std::vector<std::string> taken;
    for (const ArgDef& output : op_.outputs) taken.push_back("results." + Taken(output));
    return call("embed::OpResults results = ", "") + Lines("    return {", taken, "};\n");
  }

  const OpDef& op_;
  const std::string& plugin_;
  const std::string& name_;
  const std::vector<CppAttr> attrs_;
  std::vector<std::string> inputs_, outputs_;
};

// Reserves the names that each generated class uses itself.
UniqueNames ClassNames() {
  return UniqueNames(IsCppReserved, {"Attrs", "Result"});
}

std::string InNamespace(const std::string& name, const std::string& text) {
  return fmt::format("\nnamespace {0} {{\n\nnamespace embed = ::opsrun::embed;\n{1}\n}}  // namespace {0}\n", name,
                     text);
}

std::string Classes(const WrappedPlugin& plugin, UniqueNames& names) {
  std::string text;
  for (const spec::OpDef* op : plugin.ops) {
    text += "\n" + CppClass(*op, plugin.name, names.Take(Identifier(op->name))).Text();
  }
  return text;
}

}  // namespace

std::string CppHeader(const std::vector<WrappedPlugin>& plugins, const std::string& name_space) {
  std::string text = CppComment(fmt::format("Written by {}. Write it again rather than edit it.", MadeBy(plugins)), 0);
  text +=
      "#pragma once\n\n#include <cstdint>\n#include <limits>\n#include <optional>\n#include <string>\n#include "
      "<utility>\n"
      "#include <vector>\n\n#include \"opsrun/embed_op.hpp\"\n";
  UniqueNames spaces(IsCppReserved);
  UniqueNames classes = ClassNames();
  std::string all;
  for (const WrappedPlugin& plugin : plugins) {
    if (name_space.empty()) {
      UniqueNames own = ClassNames();
      text += InNamespace(spaces.Take(Identifier(plugin.name)), Classes(plugin, own));
    } else {
      all += Classes(plugin, classes);
    }
  }
  return name_space.empty() ? text : text + InNamespace(name_space, all);
}

bool IsCppNamespace(std::string_view text) {
  while (true) {
    const size_t colons = text.find("::");
    const std::string_view part = text.substr(0, colons);
    if (part.empty() || Identifier(part) != part || IsCppReserved(part)) return false;
    if (colons == std::string_view::npos) return true;
    text.remove_prefix(colons + 2);
  }
}

}  // namespace opsrun::host

// tests/vectors/ops.cc: what the strings of ops mean, which attrs and types a node has, how ops differ, and their names
// in wrappers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/spec/infer_attrs.h"
#include "tests/host/spec/make_op.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

std::string ErrorText(const Tree* fails, const spec::SpecError& error) {
  return FoundFailure(fails, {{"stage", error.stage}, {"kind", error.kind}});
}

std::string Quoted(const std::string& text) {
  return AttrValueText(spec::AttrValue::String(text));
}

std::string AttrText(const spec::AttrDef& attr) {
  std::string text = fmt::format("{}: {}", attr.name, AttrTypeName(attr.type));
  if (attr.minimum) text += fmt::format(" >= {}", *attr.minimum);
  for (host::DType dtype : attr.allowed_types) text += " | " + spec::TypeText(dtype);
  for (const std::string& allowed : attr.allowed_strings) text += " | " + Quoted(allowed);
  if (attr.default_value) text += " = " + FullText(*attr.default_value);
  return text;
}

// "@number" stands for the list of that name under type_sets.
void AppendTypes(const std::string& word, const Tree& file, std::vector<host::DType>* types) {
  if (!word.starts_with('@')) return types->push_back(TypeOf(word));
  for (const std::string& member : TextsOf(At(file, "type_sets"), word.substr(1))) types->push_back(TypeOf(member));
}

// Without a name it is the first word of the spec.
spec::AttrDef AttrOf(const Tree& means, const std::string& text, const Tree& file) {
  CheckFields(means, {"name", "type", "minimum", "allowed_types", "allowed_strings", "default"});
  spec::AttrDef attr;
  attr.name = means.Find("name") != nullptr ? TextOf(means, "name") : text.substr(0, text.find_first_of(" \t\r\n:"));
  attr.type = AttrTypeOf(TextOf(means, "type"));
  if (const Tree* minimum = means.Find("minimum")) attr.minimum = IntOf(*minimum);
  for (const std::string& word : TextsOf(means, "allowed_types")) AppendTypes(word, file, &attr.allowed_types);
  attr.allowed_strings = TextsOf(means, "allowed_strings");
  if (const Tree* value = means.Find("default")) attr.default_value = AttrValueOf(*value, attr.type);
  return attr;
}

}  // namespace

Verdict RunAttrSpec(const Tree& entry, const Tree& file) {
  CheckFields(entry, {"id", "quirk", "spec", "means", "fails"});
  spec::OpStrings strings;
  strings.name = "Op";
  strings.attrs = {TextOf(entry, "spec")};
  spec::OpDef op;
  const std::vector<spec::SpecError> errors = ParseOp(strings, &op);
  const Tree* fails = entry.Find("fails");
  return {
      fails != nullptr ? ExpectedFailure(*fails) : AttrText(AttrOf(At(entry, "means"), TextOf(entry, "spec"), file)),
      errors.empty() ? AttrText(op.attrs[0]) : ErrorText(fails, errors[0]),
      {}};
}

namespace {

std::string ArgText(const spec::ArgDef& arg) {
  std::string text = " " + arg.name + ":";
  if (arg.is_ref) text += " ref";
  if (!arg.number_attr.empty()) text += " count " + arg.number_attr;
  if (arg.dtype != host::DType::kInvalid) text += " type " + spec::TypeText(arg.dtype);
  if (!arg.type_attr.empty()) text += " type_attr " + arg.type_attr;
  if (!arg.type_list_attr.empty()) text += " type_list_attr " + arg.type_list_attr;
  return text;
}

spec::ArgDef ArgOf(const Tree& tree) {
  CheckFields(tree, {"name", "ref", "count", "type", "type_attr", "type_list_attr"});
  spec::ArgDef arg;
  arg.name = TextOf(tree, "name");
  if (const Tree* ref = tree.Find("ref")) arg.is_ref = BoolOf(*ref);
  if (const Tree* type = tree.Find("type")) arg.dtype = TypeOf(TextOf(*type));
  arg.number_attr = TextOf(tree, "count");
  arg.type_attr = TextOf(tree, "type_attr");
  arg.type_list_attr = TextOf(tree, "type_list_attr");
  return arg;
}

std::string ArgsText(const Tree& args) {
  std::string text;
  for (const Tree& arg : ListOf(args)) text += ArgText(ArgOf(arg));
  return text;
}

std::string ArgsText(const std::vector<spec::ArgDef>& args) {
  std::string text;
  for (const spec::ArgDef& arg : args) text += ArgText(arg);
  return text;
}

// Of the attrs that the case names.
std::string MinimumsText(const Tree* minimums, const spec::OpDef* op) {
  std::string text;
  if (minimums == nullptr) return text;
  for (const auto& [name, span, value] : minimums->entries) {
    std::optional<int64_t> minimum;
    if (op != nullptr && op->FindAttr(name) != nullptr) minimum = op->FindAttr(name)->minimum;
    if (op == nullptr && value.kind != Tree::Kind::kNull) minimum = IntOf(value);
    text += fmt::format(" {} >= {}", name, minimum ? std::to_string(*minimum) : "none");
  }
  return text;
}

std::string Whole(const std::string& inputs, const std::string& outputs, const std::string& minimums, bool stateful) {
  return fmt::format("inputs{}; outputs{}; minimums{}{}", inputs, outputs, minimums, stateful ? "; stateful" : "");
}

std::string MeaningText(const Tree& means) {
  CheckFields(means, {"inputs", "outputs", "minimums", "stateful"});
  const Tree* stateful = means.Find("stateful");
  return Whole(ArgsText(At(means, "inputs")), ArgsText(At(means, "outputs")),
               MinimumsText(means.Find("minimums"), nullptr), stateful != nullptr && BoolOf(*stateful));
}

}  // namespace

Verdict RunIoSpec(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "means", "fails"});
  spec::OpDef op;
  const std::vector<spec::SpecError> errors = ParseOp(OpStringsOf(At(entry, "op")), &op);
  const Tree* fails = entry.Find("fails");
  const Tree* minimums = fails == nullptr ? At(entry, "means").Find("minimums") : nullptr;
  return {fails != nullptr ? ExpectedFailure(*fails) : MeaningText(At(entry, "means")),
          errors.empty() ? Whole(ArgsText(op.inputs), ArgsText(op.outputs), MinimumsText(minimums, &op), op.stateful())
                         : ErrorText(fails, errors[0]),
          {}};
}

namespace {

std::vector<host::DType> TypesOf(const Tree& list) {
  std::vector<host::DType> types;
  for (const Tree& item : ListOf(list)) types.push_back(TypeOf(TextOf(item)));
  return types;
}

std::vector<std::optional<spec::InputTypes>> InputsOf(const Tree& inputs) {
  std::vector<std::optional<spec::InputTypes>> types;
  for (const Tree& input : ListOf(inputs)) {
    const bool list = input.kind == Tree::Kind::kList;
    types.push_back(list ? spec::InputTypes{true, TypesOf(input)} : spec::InputTypes{false, {TypeOf(TextOf(input))}});
  }
  return types;
}

std::map<std::string, spec::AttrValue> GivenOf(const Tree* attrs, const spec::OpDef& op) {
  std::map<std::string, spec::AttrValue> given;
  if (attrs == nullptr) return given;
  for (const auto& [name, span, value] : attrs->entries) {
    const spec::AttrDef* attr = op.FindAttr(name);
    given[name] = GivenValueOf(value, attr == nullptr ? spec::AttrType{OPSRUN_ATTR_INT, false} : attr->type);
  }
  return given;
}

std::string Text(const std::map<std::string, std::string>& attrs, const std::vector<host::DType>& in,
                 const std::vector<host::DType>& out) {
  std::string text = "attrs";
  for (const auto& [name, value] : attrs) text += fmt::format(" {}: {},", name, value);
  text += " in";
  for (host::DType dtype : in) text += " " + spec::TypeText(dtype);
  text += ", out";
  for (host::DType dtype : out) text += " " + spec::TypeText(dtype);
  return text;
}

std::string GivesText(const Tree& gives, const spec::OpDef& op) {
  CheckFields(gives, {"attrs", "in", "out"});
  std::map<std::string, std::string> attrs;
  for (const auto& [name, span, value] : At(gives, "attrs").entries) {
    const spec::AttrDef* attr = op.FindAttr(name);
    if (attr == nullptr) throw std::runtime_error("the op has no attr '" + name + "'");
    attrs[name] = FullText(AttrValueOf(value, attr->type));
  }
  return Text(attrs, TypesOf(At(gives, "in")), TypesOf(At(gives, "out")));
}

std::string FoundText(const spec::Inference& inference, const spec::OpDef& op) {
  std::map<std::string, std::string> attrs;
  const spec::Signature& signature = inference.signature;
  for (size_t i = 0; i < op.attrs.size(); ++i) attrs[op.attrs[i].name] = FullText(signature.attrs[i]);
  return Text(attrs, signature.in_types, signature.out_types);
}

}  // namespace

Verdict RunAttrInference(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "inputs", "attrs", "gives", "fails"});
  const spec::OpDef op = OpOf(At(entry, "op"));
  const spec::Inference inference = InferAttrs(op, InputsOf(At(entry, "inputs")), GivenOf(entry.Find("attrs"), op));
  const Tree* fails = entry.Find("fails");
  return {fails != nullptr ? ExpectedFailure(*fails) : GivesText(At(entry, "gives"), op),
          inference.ok() ? FoundText(inference, op) : FoundFailure(fails, {{"kind", Word(inference.errors[0].kind)}}),
          {}};
}

namespace {

const char* YesNo(bool yes) {
  return yes ? "true" : "false";
}

bool AllSafe(const std::vector<spec::OpChange>& changes) {
  return std::ranges::all_of(changes, &spec::OpChange::safe);
}

// The first reason, which the rules put first.
std::string WhyText(const Tree& entry, const std::vector<spec::OpChange>& changes) {
  if (entry.Find("why") == nullptr || AllSafe(changes)) return "";
  return " why " + changes[0].rule;
}

std::string Expected(const Tree& entry) {
  std::string text;
  for (const char* answer : {"compatible", "defaults_unchanged", "added_defaults_unchanged"}) {
    if (const Tree* given = entry.Find(answer)) text += std::string(answer) + " " + YesNo(BoolOf(*given)) + " ";
  }
  if (entry.Find("why") != nullptr) text += " why " + TextOf(entry, "why");
  return text;
}

}  // namespace

Verdict RunCompat(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "old", "mid", "new", "compatible", "why", "defaults_unchanged",
                      "added_defaults_unchanged"});
  const spec::OpDef before = OpOf(At(entry, "old"));
  const spec::OpDef now = OpOf(At(entry, "new"));
  const std::vector<spec::OpChange> changes = CompareOps(before, now);
  std::string found;
  if (entry.Find("compatible") != nullptr) found += std::string("compatible ") + YesNo(AllSafe(changes)) + " ";
  if (entry.Find("defaults_unchanged") != nullptr) {
    found += std::string("defaults_unchanged ") + YesNo(AllSafe(CompareDefaults(before, now))) + " ";
  }
  if (entry.Find("added_defaults_unchanged") != nullptr) {
    const spec::OpDef mid = OpOf(At(entry, "mid"));
    found += std::string("added_defaults_unchanged ") + YesNo(AllSafe(CompareAddedDefaults(before, mid, now))) + " ";
  }
  if (found.empty()) throw std::runtime_error("the case asks for no answer");
  return {Expected(entry), found + WhyText(entry, changes), {}};
}

Verdict RunNaming(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "camel", "snake", "op", "python", "snake_attr", "setter"});
  if (entry.Find("camel") != nullptr)
    return {TextOf(At(entry, "snake")), host::spec::SnakeCase(TextOf(entry, "camel")), {}};
  if (entry.Find("op") != nullptr) {
    return {TextOf(At(entry, "python")), PythonSignature(OpOf(At(entry, "op"))), {}};
  }
  return {TextOf(At(entry, "setter")), host::spec::SetterName(TextOf(At(entry, "snake_attr"))), {}};
}

}  // namespace opsrun::vectors

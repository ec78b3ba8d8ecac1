// tests/vectors/attr_inference.cc: from the types of a node's inputs to its attrs, and to all types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "host/spec/infer_attrs.h"
#include "host/spec/parse_arg.h"
#include "tests/host/spec/kind_words.h"
#include "tests/vectors/attr_text.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

std::vector<host::DType> TypesOf(const Tree& list) {
  std::vector<host::DType> types;
  for (const Tree& item : list.AsList()) types.push_back(TypeOf(item.AsText()));
  return types;
}

std::vector<std::optional<spec::InputTypes>> InputsOf(const Tree& inputs) {
  std::vector<std::optional<spec::InputTypes>> types;
  for (const Tree& input : inputs.AsList()) {
    const bool list = input.kind == Tree::Kind::kList;
    types.push_back(list ? spec::InputTypes{true, TypesOf(input)} : spec::InputTypes{false, {TypeOf(input.AsText())}});
  }
  return types;
}

std::map<std::string, spec::AttrValue> GivenOf(const Tree* attrs, const spec::OpDef& op) {
  std::map<std::string, spec::AttrValue> given;
  if (attrs == nullptr) return given;
  for (const auto& [name, value] : attrs->fields) {
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
  for (const auto& [name, value] : gives["attrs"].fields) {
    const spec::AttrDef* attr = op.FindAttr(name);
    if (attr == nullptr) throw std::runtime_error("the op has no attr '" + name + "'");
    attrs[name] = FullText(AttrValueOf(value, attr->type));
  }
  return Text(attrs, TypesOf(gives["in"]), TypesOf(gives["out"]));
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
  const spec::OpDef op = OpOf(entry["op"]);
  const spec::Inference inference = InferAttrs(op, InputsOf(entry["inputs"]), GivenOf(entry.Find("attrs"), op));
  const Tree* fails = entry.Find("fails");
  Verdict verdict;
  verdict.expected = fails != nullptr ? ExpectedFailure(*fails) : GivesText(entry["gives"], op);
  if (inference.ok()) {
    verdict.found = FoundText(inference, op);
  } else if (fails != nullptr) {
    verdict.found = FailureText(*fails, "", Word(inference.errors[0].kind));
  } else {
    verdict.found = "fails: " + Word(inference.errors[0].kind);
  }
  return verdict;
}

}  // namespace opsrun::vectors

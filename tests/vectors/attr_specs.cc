// tests/vectors/attr_specs.cc: one attr: what it means, or why it is refused.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/spec/parse_arg.h"
#include "tests/host/spec/kind_words.h"
#include "tests/vectors/attr_text.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

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
  for (const std::string& member : file["type_sets"].Texts(word.substr(1))) types->push_back(TypeOf(member));
}

spec::AttrDef AttrOf(const Tree& means, const Tree& file) {
  CheckFields(means, {"name", "type", "minimum", "allowed_types", "allowed_strings", "default"});
  spec::AttrDef attr;
  attr.name = means.Text("name");
  attr.type = AttrTypeOf(means.Text("type"));
  if (const Tree* minimum = means.Find("minimum")) attr.minimum = minimum->AsInt();
  for (const std::string& word : means.Texts("allowed_types")) AppendTypes(word, file, &attr.allowed_types);
  attr.allowed_strings = means.Texts("allowed_strings");
  if (const Tree* value = means.Find("default")) attr.default_value = AttrValueOf(*value, attr.type);
  return attr;
}

}  // namespace

Verdict RunAttrSpec(const Tree& entry, const Tree& file) {
  CheckFields(entry, {"id", "quirk", "spec", "means", "fails"});
  spec::OpStrings strings;
  strings.name = "Op";
  strings.attrs = {entry.Text("spec")};
  spec::OpDef op;
  const std::vector<spec::SpecError> errors = ParseOp(strings, &op);
  const Tree* fails = entry.Find("fails");
  Verdict verdict;
  verdict.expected = fails != nullptr ? ExpectedFailure(*fails) : AttrText(AttrOf(entry["means"], file));
  if (errors.empty()) {
    verdict.found = AttrText(op.attrs[0]);
  } else if (fails != nullptr) {
    verdict.found = FailureText(*fails, Word(errors[0].stage), Word(errors[0].kind));
  } else {
    verdict.found = fmt::format("fails at {}: {}", Word(errors[0].stage), Word(errors[0].kind));
  }
  return verdict;
}

}  // namespace opsrun::vectors

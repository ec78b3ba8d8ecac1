// tests/vectors/io_specs.cc: a whole op: what its inputs and outputs mean, or why it is refused.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/spec/parse_arg.h"
#include "tests/host/spec/kind_words.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

namespace spec = host::spec;

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
  arg.name = tree.Text("name");
  if (const Tree* ref = tree.Find("ref")) arg.is_ref = ref->AsBool();
  if (const Tree* type = tree.Find("type")) arg.dtype = TypeOf(type->AsText());
  arg.number_attr = tree.Text("count");
  arg.type_attr = tree.Text("type_attr");
  arg.type_list_attr = tree.Text("type_list_attr");
  return arg;
}

std::string ArgsText(const Tree& args) {
  std::string text;
  for (const Tree& arg : args.AsList()) text += ArgText(ArgOf(arg));
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
  for (const auto& [name, value] : minimums->fields) {
    std::optional<int64_t> minimum;
    if (op != nullptr && op->FindAttr(name) != nullptr) minimum = op->FindAttr(name)->minimum;
    if (op == nullptr && value.kind != Tree::Kind::kNull) minimum = value.AsInt();
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
  return Whole(ArgsText(means["inputs"]), ArgsText(means["outputs"]), MinimumsText(means.Find("minimums"), nullptr),
               stateful != nullptr && stateful->AsBool());
}

}  // namespace

Verdict RunIoSpec(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "means", "fails"});
  spec::OpDef op;
  const std::vector<spec::SpecError> errors = ParseOp(OpStringsOf(entry["op"]), &op);
  const Tree* fails = entry.Find("fails");
  const Tree* minimums = fails == nullptr ? entry["means"].Find("minimums") : nullptr;
  Verdict verdict;
  verdict.expected = fails != nullptr ? ExpectedFailure(*fails) : MeaningText(entry["means"]);
  if (errors.empty()) {
    verdict.found = Whole(ArgsText(op.inputs), ArgsText(op.outputs), MinimumsText(minimums, &op), op.stateful());
  } else if (fails != nullptr) {
    verdict.found = FailureText(*fails, Word(errors[0].stage), Word(errors[0].kind));
  } else {
    verdict.found = fmt::format("fails at {}: {}", Word(errors[0].stage), Word(errors[0].kind));
  }
  return verdict;
}

}  // namespace opsrun::vectors

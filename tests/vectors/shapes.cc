// tests/vectors/shapes.cc: single operations of shape inference, whole shape functions, and programs of operations:
// which of their results are one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "tests/vectors/section.h"
#include "tests/vectors/shape_call.h"
#include "tests/vectors/shape_machine.h"
#include "tests/vectors/values.h"

namespace opsrun::vectors {

using shape_inference::InferenceContext;
using Texts = std::vector<std::string>;

namespace {

Texts Split(const std::string& text, char separator) {
  Texts parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return text.empty() ? Texts() : parts;
}

std::string Join(const Texts& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

// A number and its dtype; the shape is the input's, if that is known.
host::Tensor ValueOf(const Tree& tree, const std::string& shape_text) {
  const host::spec::PartialShape shape = PartialShapeOf(shape_text);
  const bool whole = shape.rank_known && std::count(shape.dims.begin(), shape.dims.end(), -1) == 0;
  const Tree& value = At(tree, "value");
  return TensorOf(value, TypeOf(TextOf(tree, "dtype")), whole ? shape.dims : ShapeOf(value));
}

// "in0"; "[d0_1,3,?]"; "?".
std::string OutputText(const std::vector<ShapeInput>& inputs, const opsrun_shape* output) {
  if (output == nullptr) return "?";
  std::map<const opsrun_dim*, std::string> dims;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].shape == output) return fmt::format("in{}", i);
    for (int32_t k = 0; k < inputs[i].shape->rank; ++k) dims[inputs[i].shape->dims[k]] = fmt::format("d{}_{}", i, k);
  }
  if (output->rank < 0) return "?";
  Texts items;
  for (int32_t k = 0; k < output->rank; ++k) {
    const opsrun_dim* dim = output->dims[k];
    const auto found = dims.find(dim);
    items.push_back(found != dims.end() ? found->second : dim->value < 0 ? "?" : std::to_string(dim->value));
  }
  return "[" + Join(items) + "]";
}

// Of alternatives, "d0_0|d1_0", the one that was found, if it is among them.
std::string Chosen(const std::string& alternatives, const std::string& found) {
  const Texts all = Split(alternatives, '|');
  return std::find(all.begin(), all.end(), found) != all.end() ? found : alternatives;
}

std::string ExpectedOutput(const std::string& expected, const std::string& found) {
  if (!expected.starts_with('[') || !found.starts_with('[')) return Chosen(expected, found);
  Texts items = Split(expected.substr(1, expected.size() - 2), ',');
  const Texts found_items = Split(found.substr(1, found.size() - 2), ',');
  for (size_t i = 0; i < std::min(items.size(), found_items.size()); ++i) items[i] = Chosen(items[i], found_items[i]);
  return "[" + Join(items) + "]";
}

std::string FailText(const Tree* fails, const std::string& message) {
  return FoundFailure(fails, {{"kind", ShapeErrorKind(message)}});
}

Verdict RunFunction(const Tree& entry) {
  CheckFields(entry, {"id", "quirk", "fn", "inputs", "const", "gives", "fails"});
  host::spec::ShapeEngine engine(false);
  std::vector<ShapeInput> inputs;
  std::deque<host::Tensor> values;
  const Texts shapes = Split(TextOf(entry, "inputs"), ';');
  for (const std::string& text : shapes) inputs.push_back({EngineShape(engine, text), nullptr});
  if (const Tree* constants = entry.Find("const")) {
    for (const auto& [index, span, constant] : constants->entries) {
      const size_t i = std::stoul(index);
      inputs.at(i).value = &values.emplace_back(ValueOf(constant, shapes.at(i)));
    }
  }
  const std::string name = TextOf(entry, "fn");
  ShapeAnswer answer;
  if (name == "pad" || name == "padv2") {
    answer = CallPadShape(name == "pad" ? "Pad" : "PadV2", engine, inputs);
  } else if (const ShapeFunction function = NamedShapeFunction(name)) {
    answer = CallShapeFunction(function, engine, inputs);
  } else {
    return {{}, {}, "no shape function is called '" + name + "'"};
  }
  const Tree* fails = entry.Find("fails");
  const std::string found =
      answer.status.ok() ? OutputText(inputs, answer.output) : FailText(fails, answer.status.message());
  return {fails != nullptr ? ExpectedFailure(*fails) : ExpectedOutput(TextOf(At(entry, "gives")), found), found, {}};
}

std::string ResultsText(const std::vector<ShapeValue>& results, const ShapeMachine& machine, const Tree* same_as) {
  Texts texts;
  for (const ShapeValue& result : results) texts.push_back(result.Text());
  std::string text = Join(texts);
  if (same_as == nullptr) return text;
  const auto given = machine.given().find(static_cast<size_t>(IntOf(*same_as)));
  const bool same = given != machine.given().end() && given->second.Handle() == results[0].Handle();
  return text + (same ? ", the same as " : ", not the same as ") + TextOf(*same_as);
}

std::string GivesText(const Tree& entry) {
  const Tree *gives = entry.Find("gives"), *same_as = entry.Find("same_as");
  const std::string text =
      gives != nullptr && gives->kind == Tree::Kind::kList ? Join(TextsOf(entry, "gives")) : TextOf(At(entry, "gives"));
  return same_as == nullptr ? text : text + ", the same as " + TextOf(*same_as);
}

Verdict RunOperation(const Tree& entry) {
  CheckFields(entry, {"id", "quirk", "do", "args", "gives", "same_as", "fails"});
  host::spec::ShapeEngine engine(false);
  const std::vector<Tree>& arguments = ListOf(At(entry, "args"));
  std::vector<ShapeInput> inputs;
  std::optional<host::Tensor> value;
  if (TextOf(entry, "do") == "shape_from_tensor") {  // of an input, {shape, dtype, value}
    CheckFields(arguments.at(0), {"shape", "dtype", "value"});
    const std::string shape = TextOf(arguments[0], "shape");
    if (arguments[0].Find("value") != nullptr) value = ValueOf(arguments[0], shape);
    inputs = {{EngineShape(engine, shape), value ? &*value : nullptr}};
  }
  std::string found;
  const ShapeAnswer answer = CallShapeFunction(
      [&](InferenceContext* c) {
        ShapeMachine machine(*c);
        std::vector<ShapeValue> results;
        TF_RETURN_IF_ERROR(machine.Do(TextOf(entry, "do"), arguments, &results));
        found = ResultsText(results, machine, entry.Find("same_as"));
        return Status::OK();
      },
      engine, inputs);
  const Tree* fails = entry.Find("fails");
  if (!answer.status.ok()) found = FailText(fails, answer.status.message());
  return {fails != nullptr ? ExpectedFailure(*fails) : GivesText(entry), found, {}};
}

}  // namespace

Verdict RunShapeFn(const Tree& entry, const Tree&) {
  return entry.Find("fn") != nullptr ? RunFunction(entry) : RunOperation(entry);
}

namespace {

using Group = std::set<std::string>;

struct Named {
  std::string name;
  ShapeValue value;
};

// By handle: the names of results, and of the dimensions of shapes, unless the shape is an earlier one's handle.
std::map<size_t, Group> Handles(const std::vector<Named>& results) {
  std::map<size_t, Group> groups;
  for (const auto& [name, value] : results) {
    const bool known = !groups[value.Handle()].empty();
    groups[value.Handle()].insert(name);
    if (!value.is_shape || known) continue;
    for (int32_t i = 0; i < InferenceContext::Rank(value.shape); ++i) {
      groups[InferenceContext::DimKnownRank(value.shape, i).Handle()].insert(fmt::format("{}.{}", name, i));
    }
  }
  return groups;
}

std::string GroupsText(std::set<Group> groups) {
  std::string text;
  for (const Group& group : groups) {
    if (group.size() > 1) text += fmt::format("; same {}", fmt::join(group, " "));
  }
  return text;
}

std::string SameText(const Tree& same) {
  std::set<Group> groups;
  for (const Tree& names : ListOf(same)) {
    Group group;
    for (const Tree& name : ListOf(names)) group.insert(TextOf(name));
    groups.insert(group);
  }
  return GroupsText(groups);
}

std::string ExpectedText(const Tree& entry) {
  if (const Tree* fails = entry.Find("fails")) return ExpectedFailure(*fails);
  std::string text;
  for (const auto& [name, span, value] : At(entry, "gives").entries) text += fmt::format(" {} {}", name, TextOf(value));
  return entry.Find("same") == nullptr ? text : text + SameText(At(entry, "same"));
}

std::string FoundText(const Tree& entry, const std::vector<Named>& results) {
  std::string text;
  for (const auto& [name, span, expected] : At(entry, "gives").entries) {
    const auto found = std::find_if(results.begin(), results.end(), [&](const Named& n) { return n.name == name; });
    text += fmt::format(" {} {}", name, found == results.end() ? "never made" : found->value.Text());
  }
  if (entry.Find("same") == nullptr) return text;
  std::set<Group> groups;
  for (const auto& [handle, group] : Handles(results)) groups.insert(group);
  return text + GroupsText(groups);
}

// Runs the steps up to the one that fails; *step is its number.
Status RunSteps(InferenceContext* c, const std::vector<Tree>& steps, size_t* step, std::vector<Named>* results) {
  ShapeMachine machine(*c);
  for (*step = 0; *step < steps.size(); ++*step) {
    const std::vector<Tree>& words = ListOf(steps[*step]);
    if (words.size() < 2) throw std::runtime_error("a step is [result, operation, arguments ..]");
    std::vector<ShapeValue> made;
    TF_RETURN_IF_ERROR(machine.Do(TextOf(words[1]), {words.begin() + 2, words.end()}, &made));
    machine.Keep(TextOf(words[0]), made[0]);
    results->push_back({TextOf(words[0]), made[0]});
  }
  return Status::OK();
}

}  // namespace

Verdict RunShapeSequence(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "steps", "gives", "same", "fails"});
  host::spec::ShapeEngine engine(false);  // TensorFlow does not find out which results of arithmetic are equal
  size_t step = 0;
  std::string found;
  const Tree* fails = entry.Find("fails");
  const ShapeAnswer answer = CallShapeFunction(
      [&](InferenceContext* c) {
        std::vector<Named> results;
        TF_RETURN_IF_ERROR(RunSteps(c, ListOf(At(entry, "steps")), &step, &results));
        found = fails != nullptr ? "does not fail" : FoundText(entry, results);
        return Status::OK();
      },
      engine, {});
  if (!answer.status.ok()) {
    found = FoundFailure(fails, {{"step", std::to_string(step)}, {"kind", ShapeErrorKind(answer.status.message())}});
  }
  return {ExpectedText(entry), found, {}};
}

}  // namespace opsrun::vectors

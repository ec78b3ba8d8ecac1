// tests/vectors/shapes.cc: single operations of shape inference, whole shape functions, and programs of operations:
// which of their results are one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <stdexcept>

#include "host/testing/shape_answer.h"
#include "tests/vectors/shape_machine.h"

namespace opsrun::vectors {

using shape_inference::InferenceContext;
using Texts = std::vector<std::string>;

namespace {

std::string Join(const Texts& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

// A number and its dtype; the shape is the input's, if that is known.
host::Tensor ValueOf(const Tree& tree, const host::spec::PartialShape& shape) {
  const bool whole = shape.rank_known && std::count(shape.dims.begin(), shape.dims.end(), -1) == 0;
  const Tree& value = At(tree, "value");
  return TensorOf(value, TypeOf(TextOf(tree, "dtype")), whole ? shape.dims : ShapeOf(value));
}

std::string FailText(const Tree* fails, const std::string& message) {
  return FoundFailure(fails, {{"kind", ShapeErrorKind(message)}});
}

Verdict RunFunction(const Tree& entry) {
  CheckFields(entry, {"id", "quirk", "fn", "inputs", "const", "gives", "fails"});
  host::spec::ShapeEngine engine(false);
  std::vector<ShapeInput> inputs;
  std::deque<host::Tensor> values;
  const host::Result<std::vector<host::spec::PartialShape>> shapes = host::ReadInputShapes(TextOf(entry, "inputs"));
  if (!shapes.ok()) throw std::runtime_error(shapes.status().message());
  for (const host::spec::PartialShape& shape : *shapes) inputs.push_back({EngineShape(engine, shape), nullptr});
  if (const Tree* constants = entry.Find("const")) {
    for (const auto& [index, span, constant] : constants->entries) {
      const size_t i = std::stoul(index);
      inputs.at(i).value = &values.emplace_back(ValueOf(constant, shapes->at(i)));
    }
  }
  const std::string name = TextOf(entry, "fn");
  ShapeResult result;
  if (name == "pad" || name == "padv2") {
    result = CallPadShape(name == "pad" ? "Pad" : "PadV2", engine, inputs);
  } else if (const ShapeFunction function = NamedShapeFunction(name)) {
    result = CallShapeFunction(function, engine, inputs);
  } else {
    return {{}, {}, "no shape function is called '" + name + "'"};
  }
  const Tree* fails = entry.Find("fails");
  std::vector<const opsrun_shape*> given;
  for (const ShapeInput& input : inputs) given.push_back(input.shape);
  const host::ShapeAnswer answer(std::move(given), {result.output});
  const std::string found = result.status.ok() ? answer.Text() : FailText(fails, result.status.message());
  if (fails != nullptr) return {ExpectedFailure(*fails), found, {}};
  const std::string gives = TextOf(At(entry, "gives"));
  const host::Result<host::ShapeWords> words = host::ReadExpectedShapes(gives);
  if (!words.ok()) throw std::runtime_error(words.status().message());
  return {result.status.ok() && answer.WhyNot(words->outputs).empty() ? found : gives, found, {}};
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
    const host::spec::PartialShape shape = PartialShapeOf(TextOf(arguments[0], "shape"));
    if (arguments[0].Find("value") != nullptr) value = ValueOf(arguments[0], shape);
    inputs = {{EngineShape(engine, shape), value ? &*value : nullptr}};
  }
  std::string found;
  const ShapeResult answer = CallShapeFunction(
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
  const ShapeResult answer = CallShapeFunction(
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

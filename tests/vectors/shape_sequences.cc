// tests/vectors/shape_sequences.cc: programs of operations of shape inference, and which of their results are one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/vectors/section.h"
#include "tests/vectors/shape_call.h"
#include "tests/vectors/shape_machine.h"

namespace opsrun::vectors {

using shape_inference::InferenceContext;

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
  for (const Tree& names : same.AsList()) {
    Group group;
    for (const Tree& name : names.AsList()) group.insert(name.AsText());
    groups.insert(group);
  }
  return GroupsText(groups);
}

std::string FailText(const Tree& fails, size_t step, const std::string& kind) {
  CheckFields(fails, {"step", "kind"});
  std::string text = "fails";
  if (fails.Find("step") != nullptr) text += fmt::format(" at step {}", step);
  if (fails.Find("kind") != nullptr) text += ": " + kind;
  return text;
}

std::string ExpectedText(const Tree& entry) {
  if (const Tree* fails = entry.Find("fails")) {
    const Tree* step = fails->Find("step");
    return FailText(*fails, step == nullptr ? 0 : static_cast<size_t>(step->AsInt()), fails->Text("kind"));
  }
  std::string text;
  for (const auto& [name, value] : entry["gives"].fields) text += fmt::format(" {} {}", name, value.AsText());
  return entry.Find("same") == nullptr ? text : text + SameText(entry["same"]);
}

std::string FoundText(const Tree& entry, const std::vector<Named>& results) {
  std::string text;
  for (const auto& [name, expected] : entry["gives"].fields) {
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
    const std::vector<Tree>& words = steps[*step].AsList();
    if (words.size() < 2) throw std::runtime_error("a step is [result, operation, arguments ..]");
    std::vector<ShapeValue> made;
    TF_RETURN_IF_ERROR(machine.Do(words[1].AsText(), {words.begin() + 2, words.end()}, &made));
    machine.Keep(words[0].AsText(), made[0]);
    results->push_back({words[0].AsText(), made[0]});
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
        TF_RETURN_IF_ERROR(RunSteps(c, entry["steps"].AsList(), &step, &results));
        found = fails != nullptr ? "does not fail" : FoundText(entry, results);
        return Status::OK();
      },
      engine, {});
  if (!answer.status.ok()) {
    found = fails == nullptr ? fmt::format("fails at step {}: {}", step, answer.status.message())
                             : FailText(*fails, step, ShapeErrorKind(answer.status.message()));
  }
  return {ExpectedText(entry), found, {}};
}

}  // namespace opsrun::vectors

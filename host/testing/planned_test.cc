// host/testing/planned_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/planned_test.h"

#include <fmt/format.h>

#include "host/testing/test_values.h"

namespace opsrun::host {
namespace {

// "node 'b': " if there are several nodes.
std::string NodeText(const MadeGraph& made, const std::string& name) {
  return made.outputs.size() > 1 ? fmt::format("node '{}': ", name) : "";
}

// "G217: input:x: message", then help and notes, one per line.
std::string DiagnosticText(const MadeGraph& made, const Diagnostic& d, const test::GraphParts& parts) {
  std::string text = std::string(d.code.text()) + ": ";
  if (const GraphPlace* const place = made.PlaceOf(d.where)) {
    text += NodeText(made, parts.nodes[place->node].name);
    if (!place->subject.empty()) text += place->subject + ": ";
  }
  text += d.message;
  for (const std::string& help : d.help) text += "\n  help: " + help;
  for (const std::string& note : d.notes) text += "\n  note: " + note;
  return text;
}

std::string ErrorsText(const MadeGraph& made, const Diagnostics& diagnostics, const test::GraphParts& parts) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    text += (text.empty() ? "" : "\n") + DiagnosticText(made, d, parts);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<PlannedTest>> PlannedTest::Make(const test::GraphParts& parts, const PluginSet& plugins) {
  Result<MadeGraph> made = MakeGraph(parts, plugins);
  if (!made.ok()) return made.status();
  std::unique_ptr<PlannedTest> planned(new PlannedTest);
  planned->made_ = *std::move(made);
  const std::shared_ptr<LoadedGraph> loaded = plugins.engine->LoadGraph(planned->made_.graph);
  planned->plan_ = loaded->Plan();
  if (planned->plan_ == nullptr) return InvalidArgument(ErrorsText(planned->made_, loaded->diagnostics(), parts));
  Result<std::unique_ptr<Lane>> lane = Lane::Create(planned->plan_->plan(), planned->plan_->Context(nullptr));
  if (!lane.ok()) return lane.status();
  planned->lane_ = *std::move(lane);
  return planned;
}

Status PlannedTest::Feed(const test::GraphParts& parts) {
  for (const FedArray& fed : made_.fed) {
    const Result<Tensor> tensor = ToTensor(parts.nodes[fed.node].inputs[fed.input].arrays[fed.element]);
    if (!tensor.ok()) return tensor.status();
    if (const Status set = lane_->SetFeed(fed.feed, *tensor); !set.ok()) return set;
  }
  return OkStatus();
}

std::string PlannedTest::FailureText(const RunFailure& failure) const {
  const Status& status = failure.status;
  const std::string subject = status.subject().empty() ? "" : status.subject() + ": ";
  const std::string node = NodeText(made_, plan_->plan().NodeOf(plan_->plan().steps[failure.step]).name.value);
  return CodeName(status.code()) + ": " + node + subject + status.message();
}

std::string PlannedTest::Run(const test::GraphParts& parts) {
  if (const Status fed = Feed(parts); !fed.ok()) return fed.message();
  const std::optional<RunFailure> failure = lane_->Run();
  return failure ? FailureText(*failure) : "";
}

}  // namespace opsrun::host

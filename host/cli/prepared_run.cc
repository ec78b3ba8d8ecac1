// host/cli/prepared_run.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/prepared_run.h"

#include <fmt/format.h>

#include "host/base/exit_status.h"
#include "host/cli/feed_files.h"
#include "host/cli/open_engine.h"

namespace opsrun::host {

PreparedRun::PreparedRun(const GraphOptions& options, const CommonOptions& common, int callers, Console& console)
    : options_(options), common_(common), callers_(callers), console_(console) {}

bool PreparedRun::MakePlan(Resolution* resolution) {
  Stopwatch watch;
  engine_ = OpenEngine(common_, options_, callers_, console_);
  plugins_ms_ = watch.Lap();
  if (engine_ == nullptr) return false;
  graph_ = engine_->LoadFile(options_.graph, {options_.strict});
  if (graph_->graph() == nullptr) return false;
  watch.Lap();
  feeds_ = ReadFeedFiles(options_.feeds, *graph_->graph(), diagnostics());
  std::vector<std::string> given;
  for (const FeedArgument& feed : options_.feeds) given.push_back(feed.name);
  graph_->CheckFeeds(given, resolution == nullptr);
  ExplainMissingFeeds(*graph_->graph(), diagnostics());
  feeds_ms_ = watch.Lap();
  PlanOptions options;
  options.resolution = resolution;
  for (const auto& [name, tensor] : feeds_) options.feeds[name] = {tensor.dtype(), tensor.shape()};
  planned_ = graph_->Plan(options);
  if (planned_ != nullptr && resolution != nullptr) TellWarnings();
  return planned_ != nullptr;
}

bool PreparedRun::MakeLanes() {
  lanes_ = planned_->MakeLanes(static_cast<size_t>(callers_), &stop_, diagnostics());
  if (lanes_ == nullptr) return false;
  for (const std::unique_ptr<Lane>& lane : lanes_->lanes()) {
    for (const auto& [name, tensor] : feeds_) {
      const Status status = lane->SetFeed(name, tensor);
      if (!status.ok()) diagnostics().Error("F305", status.message());
    }
    if (diagnostics().has_errors()) return false;
  }
  TellWarnings();
  return true;
}

void PreparedRun::TellWarnings() {
  if (!diagnostics().all().empty()) console_.Report(diagnostics(), graph_->source());
  diagnostics().all().clear();
}

int PreparedRun::Report() {
  if (engine_ == nullptr) return kExitPlugins;
  console_.Report(diagnostics(), graph_->source());
  return ExitCode(diagnostics());
}

StartTimes PreparedRun::times() const {
  const LoadTimes& times = graph_->times();
  return {plugins_ms_, times.read + feeds_ms_ + times.plan, times.open};
}

}  // namespace opsrun::host

// host/cli/graph_session.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/graph_session.h"

#include <fmt/format.h>

#include "host/base/diagnostic.h"
#include "host/cli/named_files.h"
#include "host/cli/open_engine.h"
#include "host/engine/check_graph.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

const Feed* FindDeclared(const Graph& graph, const std::string& name) {
  for (const Feed& feed : graph.feeds) {
    if (feed.name.value == name && feed.source == Feed::Source::kDeclared) return &feed;
  }
  return nullptr;
}

// The array; nothing after an error.
std::optional<Tensor> ReadArray(const Feed& feed, const FeedArgument& argument, Diagnostics& diagnostics) {
  const std::optional<DType> as = feed.dtype ? std::optional<DType>(feed.dtype->value) : std::nullopt;
  Result<Tensor> tensor = argument.key.empty() ? ReadNpy(argument.path, as) : ReadNpz(argument.path, argument.key, as);
  if (tensor.ok()) return *std::move(tensor);
  Diagnostic& d = diagnostics.Error("F302", fmt::format("--feed {}: {}", argument.name, tensor.status().message()));
  if (tensor.status().subject() != "key") d.help = {"use a file written by numpy.save or numpy.savez"};
  return std::nullopt;
}

// Reads the file of each argument that names a declared feed; the engine reports other names. F302: the file cannot be
// read.
std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics) {
  std::map<std::string, Tensor> arrays;
  for (const FeedArgument& argument : arguments) {
    const Feed* const feed = FindDeclared(graph, argument.name);
    if (feed == nullptr) continue;
    if (std::optional<Tensor> array = ReadArray(*feed, argument, diagnostics)) {
      arrays.emplace(argument.name, *std::move(array));
    }
  }
  return arrays;
}

// Adds to each F304 (a declared feed without an array) how to provide one on the command line.
void ExplainMissingFeeds(const Graph& graph, Diagnostics& diagnostics) {
  for (Diagnostic& d : diagnostics.all()) {
    if (d.code != "F304") continue;
    for (const Feed& feed : graph.feeds) {
      if (feed.name.span.begin != d.where.begin) continue;
      d.help = {fmt::format("pass an array: --feed {}=FILE.npy", feed.name.value)};
    }
  }
}

}  // namespace

GraphSession::GraphSession(const GraphOptions& options, const CommonOptions& common, int callers, Console& console)
    : options_(options), common_(common), callers_(callers), console_(console), watchdog_(options.timeout_ms) {
  if (!watchdog_.watches()) Note("--timeout is ignored: no thread could be started that keeps the time");
}

bool GraphSession::MakePlan(Resolution* resolution) {
  Stopwatch watch;
  engine_ = OpenEngine(common_, console_, options_, callers_);
  plugins_ms_ = watch.Lap();
  if (engine_ == nullptr) return false;
  graph_ = engine_->LoadFile(options_.graph, {options_.strict});
  if (graph_->graph() == nullptr) return false;
  watch.Lap();
  feeds_ = ReadFeedFiles(options_.feeds, *graph_->graph(), diagnostics());
  std::vector<std::string> given;
  for (const FeedArgument& feed : options_.feeds) given.push_back(feed.name);
  CheckFeeds(*graph_->graph(), given, resolution == nullptr, diagnostics());
  ExplainMissingFeeds(*graph_->graph(), diagnostics());
  std::vector<GraphFile> written;
  if (!options_.feeds.empty()) written = FilesWritten(*graph_->graph());
  for (const FeedArgument& feed : options_.feeds) {
    std::optional<Diagnostic> refused = RefuseFileInUse("--feed " + feed.name, feed.path, written);
    if (refused) diagnostics().all().push_back(*std::move(refused));
  }
  feeds_ms_ = watch.Lap();
  PlanOptions options;
  options.resolution = resolution;
  for (const auto& [name, tensor] : feeds_) options.feeds[name] = {tensor.dtype(), tensor.shape()};
  planned_ = graph_->Plan(options);
  RestoreProcess();
  if (planned_ != nullptr && resolution != nullptr) TellWarnings();
  return planned_ != nullptr;
}

bool GraphSession::MakeLanes() {
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

void GraphSession::RestoreProcess() {
  const std::string changed = process_.Restore();
  if (!changed.empty()) Note(fmt::format("a plugin changed {}; opsrun set it back", changed));
}

void GraphSession::TellWarnings() {
  if (!diagnostics().all().empty()) console_.Report(diagnostics(), graph_->source());
  diagnostics().all().clear();
}

int GraphSession::Report() {
  if (engine_ == nullptr) return kExitPlugins;
  return console_.Report(diagnostics(), graph_->source());
}

StartTimes GraphSession::times() const {
  const LoadTimes& times = graph_->times();
  return {plugins_ms_, times.read + feeds_ms_ + times.plan, times.open};
}

}  // namespace opsrun::host

// host/cli/session.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/exit_code.h"
#include "host/cli/feed_files.h"
#include "host/device/limited_device.h"
#include "host/run/host_table.h"
#include "host/threads/available_cpus.h"

namespace opsrun::host {
namespace {

// Where to look first when memory is short.
void NameLargestNode(const Plan& plan, Diagnostic& d) {
  size_t most = 0;
  const PlanValue* largest = nullptr;
  for (const PlanValue& value : plan.values) {
    if (value.memory != PlanValue::Memory::kArena) continue;
    const size_t bytes = *NumElements(value.shape) * DTypeSize(value.dtype);
    if (bytes >= most) largest = &value;
    most = std::max(most, bytes);
  }
  if (largest == nullptr) return;
  const Node& node = plan.NodeOf(plan.steps[largest->producer]);
  d.file = plan.graph().source->path;
  d.where = node.name.span;
  d.label = fmt::format("makes the largest output: {} {} is {} bytes", DTypeName(largest->dtype),
                        ShapeText(largest->shape), most);
}

}  // namespace

Session::Session(const GraphOptions& options, const CommonOptions& common, Console& console)
    : options_(options),
      common_(common),
      console_(console),
      threads_(options.threads == 0 ? AvailableCpus() : static_cast<int>(options.threads)),
      device_(OpenCpuDevice()) {
  if (options.memory_limit != 0) device_ = LimitMemory(std::move(device_), options.memory_limit);
  host_ = options.memory_limit == 0 ? HostTable() : NewHostTable(*device_);
}

bool Session::Fail(int exit_code) {
  exit_code_ = exit_code;
  return false;
}

int Session::Report() {
  console_.Report(file_.diagnostics, file_.source.get());
  exit_code_ = ExitCode(file_.diagnostics);
  return exit_code_;
}

void Session::ExplainLimit(Diagnostic& d) const {
  if (options_.memory_limit == 0) return;
  d.help.push_back(fmt::format("--memory-limit allows {} bytes for all runs together", options_.memory_limit));
}

bool Session::Prepare(size_t lanes) {
  if (MakePlan() && MakeLanes(lanes)) {
    TellWarnings();
    return true;
  }
  ReportFailure();
  return false;
}

int Session::ReportFailure() {
  return exit_code_ == kExitOk ? Report() : exit_code_;
}

void Session::TellWarnings() {
  if (!diagnostics().all().empty()) console_.Report(diagnostics(), file_.source.get());
  diagnostics().all().clear();
}

bool Session::MakePlan(Resolution* resolution) {
  catalog_ = FindPlugins(common_, console_);
  if (!catalog_) return Fail(kExitPlugins);
  times_.plugins = watch_.Lap();

  file_ = ReadGraphFile(options_.graph, threads_, options_.strict);
  if (!file_.graph) return false;
  CheckRequirements(file_, *catalog_);
  feeds_ = ReadFeedFiles(options_.feeds, *file_.graph, file_.diagnostics);
  if (resolution == nullptr) RequireFeeds(options_.feeds, *file_.graph, file_.diagnostics);
  times_.check = watch_.Lap();
  loaded_ = OpenPlugins(*catalog_, OpsToOpen(file_), host_, common_, console_);
  times_.load = watch_.Lap();
  plan_ = PlanGraph(file_, {&*catalog_, &loaded_, host_, &resources_, threads_, resolution}, feeds_);
  times_.check += watch_.Lap();
  return plan_ != nullptr;
}

// The callers of runs count as threads too, so that --threads is what the program uses.
bool Session::MakeLanes(size_t count) {
  pool_ = std::make_unique<ThreadPool>(std::max(1, threads_ - static_cast<int>(count) + 1));
  Result<std::unique_ptr<LanePool>> lanes =
      LanePool::Create(*plan_, {device_.get(), host_, pool_.get(), &stop_, &resources_}, count);
  if (!lanes.ok()) {
    Diagnostic& error = diagnostics().Error("D101", lanes.status().message());
    ExplainLimit(error);
    NameLargestNode(*plan_, error);
    return false;
  }
  lanes_ = *std::move(lanes);
  for (const std::unique_ptr<Lane>& lane : lanes_->lanes()) {
    for (const auto& [name, tensor] : feeds_) {
      const Status status = lane->SetFeed(name, tensor);
      if (!status.ok()) diagnostics().Error("F305", status.message());
    }
    if (diagnostics().has_errors()) return false;
  }
  return true;
}

}  // namespace opsrun::host

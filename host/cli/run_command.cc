// host/cli/run_command.cc: opsrun run. Read, plan, run, show.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/feed_files.h"
#include "host/cli/graph_file.h"
#include "host/cli/installed_plugins.h"
#include "host/cli/results.h"
#include "host/device/device.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"

namespace opsrun::host {
namespace {

// Milliseconds since it was last asked.
class Stopwatch {
 public:
  double Lap() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

struct Times {
  double plugins = 0;  // looking at all plugin files
  double check = 0;    // reading the graph and its arrays, planning
  double load = 0;     // opening the plugins that are needed
  double run = 0;      // all runs together
};

std::string OkText(const Plan& plan, uint32_t repeat, const Times& times) {
  const size_t nodes = plan.steps.size();
  std::string text = fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
  if (repeat > 1) text += fmt::format(", {} runs", repeat);
  const int digits = times.run < 0.1 ? 4 : 2;
  return fmt::format("{} in {:.{}f} ms (plugins {:.1f}, check {:.1f}, load {:.1f})", text, times.run, digits,
                     times.plugins, times.check, times.load);
}

// A lane with the feeds in it, or null after an error.
std::unique_ptr<Lane> MakeLane(const Plan& plan, Device& device, const std::map<std::string, Tensor>& feeds,
                               Diagnostics& diagnostics) {
  Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {&device, HostTable()});
  if (!lane.ok()) {
    diagnostics.Error("D101", lane.status().message());
    return nullptr;
  }
  for (const auto& [name, tensor] : feeds) {
    const Status status = (*lane)->SetFeed(name, tensor);
    if (!status.ok()) diagnostics.Error("F305", status.message());
  }
  return diagnostics.has_errors() ? nullptr : *std::move(lane);
}

// Runs the plan and takes its results, or answers none after an error.
std::vector<Tensor> RunPlan(const Plan& plan, Lane& lane, uint32_t repeat, Times& times, Diagnostics& diagnostics) {
  Stopwatch watch;
  for (uint32_t i = 0; i < repeat; ++i) {
    if (std::optional<RunFailure> failure = lane.Run()) {
      diagnostics.all().push_back(DescribeFailure(plan, *failure));
      return {};
    }
  }
  times.run = watch.Lap();
  return TakeResults(plan, lane, diagnostics);
}

void RunAndShow(const Plan& plan, const std::map<std::string, Tensor>& feeds, uint32_t repeat, Times& times,
                Diagnostics& diagnostics, Console& console) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  const std::unique_ptr<Lane> lane = MakeLane(plan, *device, feeds, diagnostics);
  if (!lane) return;
  const std::vector<Tensor> results = RunPlan(plan, *lane, repeat, times, diagnostics);
  if (diagnostics.has_errors()) return;
  PrintResults(plan, results, console);
  WriteResults(plan, results, console, diagnostics);
  if (!diagnostics.has_errors()) console.Ok(OkText(plan, repeat, times));
}

}  // namespace

int Execute(const RunCommand& command, const CommonOptions& common, Console& console) {
  Times times;
  Stopwatch watch;
  const std::optional<Catalog> catalog = FindPlugins(common, console);
  if (!catalog) return kExitPlugins;
  times.plugins = watch.Lap();

  GraphFile file = ReadGraphFile(command.graph);
  if (!file.graph) {
    console.Report(file.diagnostics, file.source.get());
    return ExitCode(file.diagnostics);
  }
  const std::map<std::string, Tensor> feeds = ReadFeedFiles(command.feeds, *file.graph, file.diagnostics);
  times.check = watch.Lap();
  const LoadResult loaded = OpenPlugins(*catalog, OpNames(*file.graph), console);
  times.load = watch.Lap();
  const std::unique_ptr<const Plan> plan = PlanGraph(file, *catalog, loaded, feeds);
  times.check += watch.Lap();

  if (plan) RunAndShow(*plan, feeds, command.repeat, times, file.diagnostics, console);
  console.Report(file.diagnostics, file.source.get());
  return ExitCode(file.diagnostics);
}

}  // namespace opsrun::host

// host/cli/run_record.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_record.h"

#include <fmt/format.h>

#include "host/base/number_text.h"
#include "host/cli/measure/sampling.h"
#include "host/cli/named_files.h"

namespace opsrun::host {
namespace {

void AddError(const Status& status, Diagnostics& diagnostics) {
  diagnostics.Error("R503", status.message()).help = {
      "name a file that can be written with --trace; one that was there before is unchanged"};
}

std::string HowMuch(const TraceLog& log) {
  size_t begun = 0;
  for (const TracedRun& run : log.runs()) begun += run.begin != 0 ? 1 : 0;
  if (log.runs().size() == log.all()) return Several(begun, "run");
  return fmt::format("the first {} of {}; the others are left out", begun, Several(log.all(), "run"));
}

}  // namespace

RunRecord::RunRecord(const PreparedRun& prepared, const RunSettings& settings)
    : prepared_(prepared), settings_(settings) {
  if (!settings.trace.empty()) trace_.emplace(prepared.plan().steps.size(), settings.repeat);
}

OneRun RunRecord::run_once() {
  if (!trace_ && !settings_.profile) return [](Lane& lane, uint32_t, uint32_t) { return lane.Run(); };
  callers_.resize(std::min(settings_.concurrency, settings_.repeat));
  return [this](Lane& lane, uint32_t run, uint32_t caller) { return RunTimed(lane, run, caller); };
}

// Copies the times outside the measured interval.
std::optional<RunFailure> RunRecord::RunTimed(Lane& lane, uint32_t run, uint32_t caller) {
  auto& [times, sums] = callers_[caller];
  times.wants_parts = trace_ && trace_->Keeps(run);
  const int64_t begin = NowNs();
  std::optional<RunFailure> failure = lane.RunTimed(times);
  const int64_t end = NowNs();
  if (settings_.profile && !failure) sums.Add(times.steps, end - begin);
  if (times.wants_parts) trace_->At(run) = {begin, end, caller, failure.has_value(), times};
  return failure;
}

void RunRecord::OpenTrace(Diagnostics& diagnostics) {
  if (!trace_) return;
  const GraphOptions& options = prepared_.options();
  const std::vector<GraphFile> in_use = FilesInUse(&prepared_.plan().graph(), options.feeds);
  if (std::optional<Diagnostic> refused = RefuseFileInUse("--trace", settings_.trace, in_use)) {
    return diagnostics.all().push_back(*std::move(refused));
  }
  Result<AtomicFile> file = AtomicFile::Create(settings_.trace);
  if (!file.ok()) return AddError(file.status(), diagnostics);
  trace_file_.emplace(*std::move(file));
}

void RunRecord::WriteTrace(Console& console, Diagnostics& diagnostics) {
  if (!trace_file_) return;
  Status status = host::WriteTrace(*trace_, FactsOf(prepared_.plan()), prepared_.options().graph,
                                   [&](std::string_view text) { return trace_file_->Write(text.data(), text.size()); });
  if (status.ok()) status = trace_file_->Commit();
  if (!status.ok()) return AddError(status, diagnostics);
  console.Note(fmt::format("the trace is in {}: {}; look at it with ui.perfetto.dev or chrome://tracing",
                           settings_.trace, HowMuch(*trace_)));
}

void RunRecord::ShowProfile(Console& console) const {
  if (!settings_.profile) return;
  ProfileSums all;
  for (const Caller& caller : callers_) all.Merge(caller.sums);
  console.Show("profile", ProfileText(all, FactsOf(prepared_.plan()), ClockCost()));
}

}  // namespace opsrun::host

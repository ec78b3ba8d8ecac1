// host/cli/watched.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/watched.h"

#include <unistd.h>

#include "host/base/exit_status.h"
#include "host/cli/stopped.h"

namespace opsrun::host {
namespace {

int ReportFailure(PreparedRun& run, const RunFailure& failure) {
  Diagnostic d = DescribeFailure(run.plan(), failure);
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) run.engine().ExplainLimit(d);
  run.diagnostics().all().push_back(std::move(d));
  return run.Report();
}

}  // namespace

int RunWatched(PreparedRun& run, const Watched& watched) {
  const auto clear = [&] {
    if (watched.clear) watched.clear();
  };
  StopWatcher::Hooks hooks;
  hooks.give_up = [&](const StopCause& cause) {
    clear();
    run.Tell(DescribeStuck(run, cause));
    _exit(StopExitCode(cause));
  };
  hooks.tick = watched.tick;
  StopWatcher watcher(run.stop(), run.options().timeout_ms, std::move(hooks));

  const std::optional<RunFailure> failure = watched.runs();
  clear();
  if (!failure) return kExitOk;
  const std::optional<StopCause> cause = watcher.cause();
  if (!cause) return ReportFailure(run, *failure);
  run.Tell(DescribeStop(run, *cause, *failure));
  return StopExitCode(*cause);
}

}  // namespace opsrun::host

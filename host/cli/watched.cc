// host/cli/watched.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/watched.h"

#include <unistd.h>

#include "host/cli/exit_code.h"
#include "host/cli/stopped.h"

namespace opsrun::host {
namespace {

int ReportFailure(Session& session, const RunFailure& failure) {
  Diagnostic d = DescribeFailure(session.plan(), failure);
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) session.ExplainLimit(d);
  session.diagnostics().all().push_back(std::move(d));
  return session.Report();
}

}  // namespace

int RunWatched(Session& session, const GraphOptions& options, const Watched& watched) {
  const auto clear = [&] {
    if (watched.clear) watched.clear();
  };
  StopWatcher::Hooks hooks;
  hooks.give_up = [&](const StopCause& cause) {
    clear();
    session.Tell(DescribeStuck(session, cause, options));
    _exit(StopExitCode(cause));
  };
  hooks.tick = watched.tick;
  StopWatcher watcher(session.stop(), options.timeout_ms, std::move(hooks));

  const std::optional<RunFailure> failure = watched.runs();
  clear();
  if (!failure) return kExitOk;
  const std::optional<StopCause> cause = watcher.cause();
  if (!cause) return ReportFailure(session, *failure);
  session.Tell(DescribeStop(session, *cause, options, *failure));
  return StopExitCode(*cause);
}

}  // namespace opsrun::host

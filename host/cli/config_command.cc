// host/cli/config_command.cc: opsrun config and opsrun plan. They read and plan a graph, and tell what was decided.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/show/config_text.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {

int Execute(const ConfigCommand& command, const CommonOptions& common, Console& console) {
  Session session(command.options, common, console);
  Resolution resolution;
  if (!session.MakePlan(&resolution)) return session.ReportFailure();
  session.TellWarnings();
  console.Print(ConfigText(session.plan(), resolution));
  return session.exit_code();
}

int Execute(const PlanCommand& command, const CommonOptions& common, Console& console) {
  Session session(command.options, common, console);
  Resolution resolution;
  if (!session.MakePlan(&resolution)) return session.ReportFailure();
  session.TellWarnings();
  const PlanFacts facts{session.plan(), resolution, session.registry()};
  console.Print(command.json ? PlanJson(facts) : PlanText(facts));
  return session.exit_code();
}

}  // namespace opsrun::host

// host/cli/config_command.cc: opsrun config and opsrun plan. They read and plan a graph, and tell what was decided.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/commands.h"
#include "host/cli/exit_code.h"
#include "host/cli/prepared_run.h"
#include "host/show/config_text.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {

int Execute(const ConfigCommand& command, const CommonOptions& common, Console& console) {
  PreparedRun prepared(command.options, common, 1, console);
  Resolution resolution;
  if (!prepared.MakePlan(&resolution)) return prepared.Report();
  console.Print(ConfigText(prepared.plan(), resolution));
  return kExitOk;
}

int Execute(const PlanCommand& command, const CommonOptions& common, Console& console) {
  PreparedRun prepared(command.options, common, 1, console);
  Resolution resolution;
  if (!prepared.MakePlan(&resolution)) return prepared.Report();
  const PlanFacts facts{prepared.plan(), resolution, prepared.registry()};
  console.Print(command.json ? PlanJson(facts) : PlanText(facts));
  return kExitOk;
}

}  // namespace opsrun::host

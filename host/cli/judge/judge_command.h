// host/cli/judge/judge_command.h: the part of `opsrun test` that compares a plugin with a reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/cli/judge/judge.h"
#include "host/cli/session.h"

namespace opsrun::host {

// --against, --shape, --dtype, --attr, --flops, --seconds, --threads, --sandbox, --warm, --accuracy.
void AddJudgeOptions(Options& options, JudgeOptions& judge);

struct JudgeRequest {
  std::string file;              // the candidate
  std::vector<std::string> ops;  // empty: all that the reference has too
  std::string cases;             // a graph; may be empty
  bool json = false;
};

// Prints the report and errors. Returns an exit status.
int Judge(const JudgeRequest& request, JudgeOptions options, const CommonOptions& common, Console& console);

}  // namespace opsrun::host

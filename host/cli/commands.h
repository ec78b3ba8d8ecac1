// host/cli/commands.h: one function a command. Each prints what it finds and answers the exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cli/command_line.h"
#include "host/cli/console.h"

namespace opsrun::host {

int Execute(const RunCommand& command, const CommonOptions& common, Console& console);
int Execute(const BenchCommand& command, const CommonOptions& common, Console& console);
int Execute(const CheckCommand& command, const CommonOptions& common, Console& console);
int Execute(const ConfigCommand& command, const CommonOptions& common, Console& console);
int Execute(const PlanCommand& command, const CommonOptions& common, Console& console);
int Execute(const OpsCommand& command, const CommonOptions& common, Console& console);
int Execute(const ExplainCommand& command, const CommonOptions& common, Console& console);
int Execute(const PluginsCommand& command, const CommonOptions& common, Console& console);
int Execute(const InspectCommand& command, const CommonOptions& common, Console& console);
int Execute(const CompatCommand& command, const CommonOptions& common, Console& console);
int Execute(const SchemaCommand& command, const CommonOptions& common, Console& console);
int Execute(const GraphCommand& command, const CommonOptions& common, Console& console);
int Execute(const SdkCommand& command, const CommonOptions& common, Console& console);

}  // namespace opsrun::host

// host/cli/commands.h: all commands of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/command.h"

namespace opsrun::host {

extern const CommandType kRunCommand, kBenchCommand, kCheckCommand, kConfigCommand, kPlanCommand, kOpsCommand,
    kExplainCommand, kPluginsCommand, kInspectCommand, kCompatCommand, kSchemaCommand, kGraphCommand, kSdkCommand;

// In the order of the help.
std::span<const CommandType* const> AllCommands();

// Null if there is none.
const CommandType* FindCommand(std::string_view name);

std::vector<std::string> CommandNames();

}  // namespace opsrun::host

// host/cli/commands.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/commands.h"

namespace opsrun::host {
namespace {

constexpr const CommandType* kCommands[] = {&kRunCommand,     &kBenchCommand,  &kCheckCommand,   &kConfigCommand,
                                            &kPlanCommand,    &kOpsCommand,    &kExplainCommand, &kPluginsCommand,
                                            &kInspectCommand, &kCompatCommand, &kSchemaCommand,  &kGraphCommand,
                                            &kSdkCommand};

}  // namespace

std::span<const CommandType* const> AllCommands() {
  return kCommands;
}

const CommandType* FindCommand(std::string_view name) {
  for (const CommandType* type : kCommands) {
    if (type->name == name) return type;
  }
  return nullptr;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const CommandType* type : kCommands) names.emplace_back(type->name);
  return names;
}

}  // namespace opsrun::host

// adapters/common/plugins.h: an adapter's engine, as far as it is the same in all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

struct Plugin {
  std::string name, path;
  std::vector<std::string> ops;
};

// Throws a Failure. directories: to search for plugins, before those of the engine. It is for the whole process, like
// what a framework registers, and never destroyed.
opsrun_engine* MakeEngine(const std::vector<std::string>& directories);

// Opens a plugin file. Throws a Failure if it is refused.
void AddPlugin(opsrun_engine* engine, const std::string& path);

// All that are in use.
std::vector<Plugin> ListPlugins(const opsrun_engine* engine);

// What `opsrun explain --json` prints. op: "plugin.Op". Throws a Failure if there is none.
std::string DescribeOp(opsrun_engine* engine, const std::string& op);

}  // namespace opsrun_adapter

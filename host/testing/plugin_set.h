// host/testing/plugin_set.h: the plugin files of a test, opened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plugin/catalog.h"
#include "host/plugin/load.h"
#include "host/plugin/open_plugin.h"

namespace opsrun::host {

// Each test has its own, as each run of the program has: nothing of a plugin but its library outlives it.
struct PluginSet {
  Catalog catalog;
  LoadResult loaded;
  std::string trouble;  // why the files cannot be used, or empty

  const RegisteredOp* FindOp(const std::string& op) const { return loaded.registry.FindOp(op); }
  // Why there is no such op.
  std::string WhyNoOp(const std::string& op) const;
};

// Looks at the files, opens them and checks them as the program does. Ops of earlier files hide those of later ones.
// own: ops of this library's, which come last and which nobody is told of.
PluginSet OpenPluginFiles(const std::vector<std::string>& files, OpenedPlugin own = {});

}  // namespace opsrun::host

// host/testing/plugin_set.h: an engine with the plugin files of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"

namespace opsrun::host {

// Each test has its own, as each run of the program has: nothing of a plugin but its library outlives it.
struct PluginSet {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::string trouble;  // why the files cannot be used, or empty

  const RegisteredOp* FindOp(const std::string& op) const { return loaded.registry.FindOp(op); }
  // Why there is no such op.
  std::string WhyNoOp(const std::string& op) const;
};

// What differs from the engine of the program.
struct PluginSetOptions {
  int threads = 1;
  // Loops run in a few odd parts: what a kernel gives may not depend on how they are cut; here it cannot be lucky.
  bool cut_loops = false;
  std::shared_ptr<const Plugin> own;  // ops of this library's, which come last and which nobody is told of
};

// Opens and checks the files as the program does. Ops of earlier files hide those of later ones.
PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options = {});

}  // namespace opsrun::host

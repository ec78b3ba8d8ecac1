// host/testing/plugin_set.h: an engine with the plugin files of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"
#include "host/testing/built_in_ops.h"

namespace opsrun::host {

// Each test has its own, like each run of the program: only the library of a plugin outlives it.
struct PluginSet {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::string trouble;  // why the files cannot be used, or empty

  const RegisteredOp* FindOp(const std::string& op) const { return loaded.registry.FindOp(op); }
  // Why the op does not exist.
  std::string WhyNoOp(const std::string& op) const;
};

// The differences from the engine of the program.
struct PluginSetOptions {
  int threads = 1;
  // Loops run in a few odd parts, so that a kernel whose result depends on the partition is detected.
  bool cut_loops = false;
  std::string device = kCpuName;  // where nodes run whose op has a kernel for it
  MemorySeen* seen = nullptr;     // if set, the ops of this library are there, and note what they see
};

// Opens and checks the files as the program does. Ops of earlier files hide those of later ones.
PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options = {});

}  // namespace opsrun::host

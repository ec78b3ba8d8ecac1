// host/testing/plugin_set.h: an engine with the plugin files of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/engine/engine.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// The addresses of tensors in the last run, by the name of the Late or Reader that saw them.
using MemorySeen = std::map<std::string, const void*>;

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

// Ops of this library, which surround the nodes of a test.

// Copies its input to memory of its own; the shape is known only in the run.
inline constexpr char kLateOp[] = "OpsrunTesting>Late";
// Reads its input.
inline constexpr char kReaderOp[] = "OpsrunTesting>Reader";
// Returns a resource handle: of no object or, with the attr 'type', of one of that type.
inline constexpr char kHandleOp[] = "OpsrunTesting>Handle";

// seen: nodes write to it when they run; it must outlive the plugin. on_double: as Plugin::emulated.
std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen, bool on_double);

}  // namespace opsrun::host

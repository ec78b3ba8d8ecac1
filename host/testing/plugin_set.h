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

// The addresses of tensors in the last run, by the name of the Late or Reader node that recorded them.
using MemorySeen = std::map<std::string, const void*>;

// Each test has its own, like each run of the program; only the libraries of plugins stay loaded after it.
struct PluginSet {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::string trouble;  // why the files cannot be used; may be empty

  const RegisteredOp* FindOp(const std::string& op) const { return loaded.registry.FindOp(op); }
  // A message that the op does not exist.
  std::string WhyNoOp(const std::string& op) const;
};

// How the engine differs from that of the program.
struct PluginSetOptions {
  int threads = 1;
  // Splits loops into a few uneven parts, to detect kernels whose result depends on the split.
  bool cut_loops = false;
  std::string device = kCpuName;  // default device for nodes whose op has a kernel for it
  MemorySeen* seen = nullptr;     // if set, the ops below are available and record addresses here
};

// Opens and checks the files as the program does. Ops of earlier files hide those of later ones.
PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options = {});

// Ops of this library that are placed around the nodes of a test.

// Copies its input to new memory; the shape is known only during the run.
inline constexpr char kLateOp[] = "OpsrunTesting>Late";
// Reads its input.
inline constexpr char kReaderOp[] = "OpsrunTesting>Reader";
// Returns a resource handle: a null handle or, with the attr 'type', one to an object of that type.
inline constexpr char kHandleOp[] = "OpsrunTesting>Handle";

// seen: nodes write to it during runs; must outlive the plugin.
std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen);

}  // namespace opsrun::host

// host/plugin/plugin.h: a plugin file that is open, with all that it brings: made by OpenPlugin, then only read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/spec/kernel_choice.h"
#include "host/spec/op_def.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct Plugin;

struct RegisteredOp {
  spec::OpDef def;
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
  const Plugin* plugin = nullptr;
};

struct RegisteredKernel {
  spec::KernelDef def;
  int32_t (*create)(void*, opsrun_create*, void**) = nullptr;
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* ctx = nullptr;
  uint32_t flags = 0;             // OPSRUN_KERNEL_*
  std::vector<uint32_t> aliases;  // triples
  const Plugin* plugin = nullptr;
};

// The library stays open as long as the process lives; this object is what one host has of it. Its address tells
// plugins apart, and its ops and kernels point back at it, so it is neither copied nor moved.
struct Plugin {
  Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin();  // calls shutdown: plans and resources that use the plugin are gone

  // What a report says of its code that runs.
  PluginCodeFacts Facts(PluginPhase phase) const;
  bool HasOp(std::string_view op) const;
  // A kernel for an op of that name.
  bool HasKernel(std::string_view op) const;

  std::string path;
  std::string name;
  std::string version;
  std::vector<RegisteredOp> ops;
  std::vector<RegisteredKernel> kernels;
  std::vector<std::string> dropped_ops;
  std::vector<std::string> messages;  // what was left out, a line each, without the path
  void (*shutdown)(const opsrun_host*) = nullptr;
  const opsrun_host* host = nullptr;  // that the entry was called with
};

}  // namespace opsrun::host

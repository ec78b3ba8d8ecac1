// host/plugin/plugin.h: an opened plugin file and its contents. Created by OpenPlugin; read-only after that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  std::string gradient;        // a graph as text; empty: not declared
  uint32_t gradient_line = 0;  // line in the plugin's source; 0: unknown
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
  const Plugin* plugin = nullptr;
};

// An output that may use the memory of an input. Neither is a list.
struct KernelAlias {
  std::string output;
  std::string input;
};

struct RegisteredKernel {
  spec::KernelDef def;
  int32_t (*create)(void*, opsrun_create*, void**) = nullptr;
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* ctx = nullptr;
  uint32_t flags = 0;  // OPSRUN_KERNEL_*
  std::vector<KernelAlias> aliases;
#if OPSRUN_LEVEL >= 2
  uint64_t optional_outputs = 0;  // as in opsrun_kernel
#endif
  const Plugin* plugin = nullptr;
};

// One host's view of a library, which stays open as long as the process lives. Its address identifies the plugin, and
// its ops and kernels refer to it, so it cannot be copied or moved.
struct Plugin {
  Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin();  // calls shutdown; plans and resources that use the plugin must be gone

  // What a crash report says about its code.
  PluginCodeFacts Facts(PluginPhase phase) const;
  bool HasOp(std::string_view op) const;
  // True if there is a kernel for an op of that name.
  bool HasKernel(std::string_view op) const;

  std::string path;
  std::string name;
  std::string version;
  std::vector<RegisteredOp> ops;
  std::vector<RegisteredKernel> kernels;
  std::vector<std::string> dropped_ops;
  std::vector<std::string> messages;  // what was dropped, one line each, without the path
  std::string restored;               // what it changed on the thread while it was loaded: "the signal mask"
  void (*shutdown)(const opsrun_host*) = nullptr;
  const opsrun_host* host = nullptr;  // passed to the entry
};

// The memory ranges of an open library.
struct FileSegments {
  struct Range {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    bool executable = false;
  };
  std::vector<Range> ranges;
  std::vector<Range> notes;  // note segments, which are within `ranges`

  // True if all n bytes are in one of the ranges.
  bool Holds(const void* address, size_t n) const;
  // True if the address is in an executable range.
  bool HoldsCode(uintptr_t address) const;
};

// The segments of the library or program that contains `address`; empty if none does.
FileSegments SegmentsAround(const void* address);

}  // namespace opsrun::host

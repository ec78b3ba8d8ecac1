// host/plugin/plugin.h: an opened plugin file and its contents, created by OpenPlugin, and the registry that finds ops
// in several of them. Read-only after that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/examine/catalog.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class Child;
struct Plugin;
struct SourceFile;
struct Value;
class ShapeRule;

// What the file beside a plugin (ops_file.h) gives one of its ops. A line is 0 for what it does not give.
struct OpsFilePart {
  std::shared_ptr<const SourceFile> file;  // null: it has nothing about the op
  std::shared_ptr<const Value> gradient;   // null if it is only said that none is needed
  std::shared_ptr<const ShapeRule> shape;
  uint32_t gradient_line = 0, shape_line = 0, doc_line = 0, batch_line = 0;
};

struct RegisteredOp {
  spec::OpDef def;
  std::string gradient;        // a graph as text; empty: not declared
  uint32_t gradient_line = 0;  // line in the plugin's source, or in the file beside it; 0: unknown
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
  OpsFilePart beside;
  const Plugin* plugin = nullptr;
};

// How an output may depend on an input: OPSRUN_ALIAS_*. Neither is a list.
struct KernelAlias {
  std::string output;
  std::string input;
  uint32_t kind = OPSRUN_ALIAS_IN_PLACE;
};

struct RegisteredKernel {
  spec::KernelDef def;
  int32_t (*create)(void*, opsrun_create*, void**) = nullptr;
  int32_t (*compute)(void*, opsrun_call*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* ctx = nullptr;
  uint32_t flags = 0;  // OPSRUN_KERNEL_*
  std::vector<KernelAlias> aliases;
  int32_t (*workspace)(void*, uint32_t, const opsrun_partial*, uint64_t*) = nullptr;  // may be null
#if OPSRUN_LEVEL >= 2
  uint64_t most_threads = 0;
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

  // Tells plugins apart: the table that the entry returned, or an address of this object if there is none.
  const void* identity() const { return table != nullptr ? static_cast<const void*>(table) : this; }
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
  std::vector<std::string> messages;     // what was dropped, one line each, without the path
  std::string restored;                  // what it changed on the thread while it was loaded: "the signal mask"
  const opsrun_plugin* table = nullptr;  // as its entry returned it; not to be read, and null for a built-in plugin
  void (*shutdown)(const opsrun_host*) = nullptr;
  const void* (*query)(opsrun_str) = nullptr;  // may be null
  const opsrun_host* host = nullptr;           // passed to the entry
  std::shared_ptr<Child> child = nullptr;      // of an isolated plugin: the process that runs its code
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

// Finds the ops of a graph and their kernels in the plugins that it needs. Read-only. Registries can share plugins.
class Registry {
 public:
  Registry() = default;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&& other) noexcept;
  ~Registry();  // releases the plugins in reverse order of opening

  // Finds an op as a graph names it: "ZeroOut", "Ns>Name", or "plugin.Name"; null if there is none.
  const RegisteredOp* FindOp(std::string_view name) const;

  // The kernels for `op`, which must belong to this registry. First those for its mere name, of its own plugin and,
  // unless another op of the same name hides it, of plugins without an op of that name; then those for "plugin.Op". In
  // the order of the files.
  const std::vector<const RegisteredKernel*>& KernelsFor(const RegisteredOp& op) const;

  const std::vector<std::shared_ptr<const Plugin>>& plugins() const { return plugins_; }
  std::vector<const RegisteredOp*> Ops() const;  // sorted by name

 private:
  friend class RegistryBuilder;
  std::vector<std::shared_ptr<const Plugin>> plugins_;                 // in the order of opening
  std::map<std::string, const RegisteredOp*, std::less<>> visible_;    // by op name
  std::map<std::string, const RegisteredOp*, std::less<>> qualified_;  // by plugin.op
  std::map<const RegisteredOp*, std::vector<const RegisteredKernel*>> kernels_for_;
};

// Combines opened files into a Registry, and decides which ops hide others. catalog must outlive this object.
class RegistryBuilder {
 public:
  explicit RegistryBuilder(const Catalog& catalog) : catalog_(catalog) {}

  // plugin: the file of entry `entry`. Call in the order in which files were opened, because plugins are shut down in
  // reverse.
  void Add(size_t entry, std::shared_ptr<const Plugin> plugin);

  Registry Finish();

  // Messages about kernels that Finish dropped, one line each.
  std::vector<std::string> TakeMessages() { return std::move(messages_); }

 private:
  struct File {
    size_t entry = 0;
    const Plugin* plugin = nullptr;
  };
  bool HasOp(const File& file, const std::string& op) const;
  bool Hidden(const File& file, const std::string& op) const;
  void CollectKernels(const File& file, const RegisteredOp* op);

  const Catalog& catalog_;
  std::vector<File> files_;
  std::unordered_map<std::string_view, std::vector<std::pair<const File*, const RegisteredKernel*>>>
      kernels_of_;  // by op
  Registry registry_;
  std::vector<std::string> messages_;
};

}  // namespace opsrun::host

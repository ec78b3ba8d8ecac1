// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>

namespace opsrun::host {

Plugin::~Plugin() {
  if (shutdown == nullptr) return;
  CallAtEnd(SingleCall(Facts(PluginPhase::kShutdown)), host, [this] { shutdown(host); });
}

PluginCodeFacts Plugin::Facts(PluginPhase phase) const {
  return {.phase = phase, .path = path, .name = name, .version = version, .host = host};
}

bool Plugin::HasOp(std::string_view op) const {
  return std::any_of(ops.begin(), ops.end(), [&](const RegisteredOp& each) { return each.def.name == op; });
}

bool Plugin::HasKernel(std::string_view op) const {
  return std::any_of(kernels.begin(), kernels.end(), [&](const RegisteredKernel& each) { return each.def.op == op; });
}

namespace {

struct Search {
  const void* address = nullptr;
  FileSegments found;
};

// Called for each open library; a nonzero result ends the walk.
int TakeIfAround(dl_phdr_info* info, size_t, void* context) {
  Search* search = static_cast<Search*>(context);
  FileSegments segments;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const Elf64_Phdr& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD && segment.p_type != PT_NOTE) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    auto& ranges = segment.p_type == PT_LOAD ? segments.ranges : segments.notes;
    ranges.push_back({begin, begin + segment.p_memsz, (segment.p_flags & PF_X) != 0});
  }
  if (!segments.Holds(search->address, 1)) return 0;
  search->found = std::move(segments);
  return 1;
}

}  // namespace

bool FileSegments::Holds(const void* address, size_t n) const {
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  for (const Range& range : ranges) {
    if (at >= range.begin && at < range.end && n <= range.end - at) return true;
  }
  return false;
}

bool FileSegments::HoldsCode(uintptr_t address) const {
  for (const Range& range : ranges) {
    if (range.executable && address >= range.begin && address < range.end) return true;
  }
  return false;
}

FileSegments SegmentsAround(const void* address) {
  Search search;
  search.address = address;
  dl_iterate_phdr(TakeIfAround, &search);
  return std::move(search.found);
}

Registry::~Registry() {
  while (!plugins_.empty()) plugins_.pop_back();
}

// `other` takes over the old contents, and its destructor releases them.
Registry& Registry::operator=(Registry&& other) noexcept {
  std::swap(plugins_, other.plugins_);
  std::swap(visible_, other.visible_);
  std::swap(qualified_, other.qualified_);
  std::swap(kernels_for_, other.kernels_for_);
  return *this;
}

const RegisteredOp* Registry::FindOp(std::string_view name) const {
  const auto& ops = name.find('.') == std::string_view::npos ? visible_ : qualified_;
  auto found = ops.find(name);
  return found == ops.end() ? nullptr : found->second;
}

const std::vector<const RegisteredKernel*>& Registry::KernelsFor(const RegisteredOp& op) const {
  static const std::vector<const RegisteredKernel*> kNone;
  auto found = kernels_for_.find(&op);
  return found == kernels_for_.end() ? kNone : found->second;
}

std::vector<const RegisteredOp*> Registry::Ops() const {
  std::vector<const RegisteredOp*> ops;
  for (const auto& plugin : plugins_) {
    for (const RegisteredOp& op : plugin->ops) ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->def.name < b->def.name; });
  return ops;
}

// Visibility of ops, and their kernels.

namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// As a graph names an op of one plugin.
std::string QualifiedName(const Plugin& plugin, const std::string& op) {
  return plugin.name + '.' + op;
}

bool IsOneTensor(const std::vector<spec::ArgDef>& args, const std::string& name) {
  const spec::ArgDef* arg = spec::FindNamed(args, name);
  return arg != nullptr && !arg->is_list();
}

// For a kernel that may be in another file than the op: names arguments that the op lacks; empty if all exist.
std::string WhyUnfit(const RegisteredKernel& kernel, const spec::OpDef& op) {
  for (const std::string& name : kernel.def.host_memory) {
    if (spec::FindNamed(op.inputs, name) == nullptr && spec::FindNamed(op.outputs, name) == nullptr)
      return fmt::format("host memory argument '{}' is neither an input nor an output of the op", name);
  }
  for (const KernelAlias& alias : kernel.aliases) {
    if (!IsOneTensor(op.outputs, alias.output) || !IsOneTensor(op.inputs, alias.input)) {
      return fmt::format("its alias of output '{}' and input '{}' does not name single tensors of the op", alias.output,
                         alias.input);
    }
  }
  return "";
}

}  // namespace

void RegistryBuilder::Add(size_t entry, std::shared_ptr<const Plugin> plugin) {
  files_.push_back({entry, plugin.get()});
  registry_.plugins_.push_back(std::move(plugin));
}

bool RegistryBuilder::HasOp(const File& file, const std::string& op) const {
  return catalog_.entries[file.entry].Claims(op) || Contains(file.plugin->dropped_ops, op) || file.plugin->HasOp(op);
}

// Hidden by another file whose notes claim the op or, if no notes do, by a file of an earlier entry.
bool RegistryBuilder::Hidden(const File& file, const std::string& op) const {
  std::vector<size_t> claimants = catalog_.ClaimantsOf(op);
  if (!claimants.empty()) return !Contains(claimants, file.entry);
  return std::any_of(files_.begin(), files_.end(),
                     [&](const File& other) { return other.entry < file.entry && HasOp(other, op); });
}

void RegistryBuilder::CollectKernels(const File& file, const RegisteredOp* op) {
  const std::string& name = op->def.name;
  const bool hidden = Hidden(file, name);
  std::vector<const RegisteredKernel*>& serving = registry_.kernels_for_[op];
  const auto take = [&](const File& other, const RegisteredKernel* kernel) {
    const std::string unfit = WhyUnfit(*kernel, op->def);
    if (unfit.empty()) {
      serving.push_back(kernel);
    } else {
      messages_.push_back(fmt::format("{}: a {} kernel of op '{}' is left out: {}; correct its registration",
                                      other.plugin->path, kernel->def.device, kernel->def.op, unfit));
    }
  };
  if (const auto kernels = kernels_of_.find(name); kernels != kernels_of_.end()) {
    for (const auto& [other, kernel] : kernels->second) {
      if (other == &file || (!hidden && !HasOp(*other, name))) take(*other, kernel);
    }
  }
  if (const auto kernels = kernels_of_.find(QualifiedName(*file.plugin, name)); kernels != kernels_of_.end()) {
    for (const auto& [other, kernel] : kernels->second) take(*other, kernel);
  }
}

Registry RegistryBuilder::Finish() {
  std::stable_sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.entry < b.entry; });
  for (const File& file : files_) {
    for (const RegisteredKernel& kernel : file.plugin->kernels) {
      kernels_of_[kernel.def.op].emplace_back(&file, &kernel);
    }
  }
  for (const File& file : files_) {
    for (const RegisteredOp& op : file.plugin->ops) {
      CollectKernels(file, &op);
      // If two files in one directory claim the op, neither has the bare name. The loader reports this when it is
      // requested.
      bool alone = catalog_.ClaimantsOf(op.def.name).size() < 2;
      if (alone && !Hidden(file, op.def.name)) registry_.visible_.emplace(op.def.name, &op);
      registry_.qualified_.emplace(QualifiedName(*file.plugin, op.def.name), &op);
    }
  }
  return std::move(registry_);
}

}  // namespace opsrun::host

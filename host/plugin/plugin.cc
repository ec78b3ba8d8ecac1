// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin.h"

#include <link.h>

#include <algorithm>
#include <utility>

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

}  // namespace opsrun::host

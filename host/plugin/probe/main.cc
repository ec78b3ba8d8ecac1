// host/plugin/probe/main.cc: opsrun-probe FILE.so LEVEL: opens a plugin as a host of that level, reports the result,
// and exits.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "host/base/guarded_table.h"
#include "host/examine/prober.h"
#include "host/examine/read_notes.h"
#include "host/plugin/load.h"
#include "host/plugin/open_plugin.h"
#include "host/plugin/probe/process_snapshot.h"

namespace {

using opsrun::host::FileLook;
using opsrun::host::Plugin;
using opsrun::host::PluginPhase;
using opsrun::host::ProbeRecord;
using opsrun::host::ProcessSnapshot;
using opsrun::host::Refusal;

template <typename Slot>
struct Unsupported {
  static constexpr Slot value = 0;  // a number: size and level
};

template <typename Answer, typename... Arguments>
struct Unsupported<Answer (*)(Arguments...)> {
  static Answer Call(Arguments...) {
    if constexpr (std::is_same_v<Answer, int32_t>) {
      return OPSRUN_UNIMPLEMENTED;
    } else {
      return Answer();
    }
  }
  static constexpr auto value = &Call;
};

int32_t Fail(void*, int32_t code, opsrun_str text, opsrun_str) {
  return opsrun::host::FailEntry(code, text);
}

// The slots of a host for plugins that are only opened: all report that this host does not support them.
opsrun_host UnsupportedSlots() {
#define OPSRUN_SLOT(T, slot, n) .slot = Unsupported<decltype(T::slot)>::value,
#define OPSRUN_NOTHING(T, field)
  opsrun_host table = {
    OPSRUN_FIELDS_HOST(OPSRUN_SLOT, OPSRUN_NOTHING)
#if OPSRUN_LEVEL >= 2
        OPSRUN_FIELDS_HOST_2(OPSRUN_SLOT, OPSRUN_NOTHING)
#endif
  };
#undef OPSRUN_SLOT
#undef OPSRUN_NOTHING
  table.fail = Fail;
  return table;
}

// Replaces NULs, which would end the text early.
void Tell(ProbeRecord record, const std::string& text) {
  std::string bytes(1, record);
  for (const char c : text) bytes += c == '\0' ? ' ' : c;
  bytes += '\0';
  size_t told = 0;
  while (told < bytes.size()) {
    const ssize_t n = write(opsrun::host::kProbeDescriptor, bytes.data() + told, bytes.size() - told);
    if (n <= 0) return;
    told += static_cast<size_t>(n);
  }
}

void TellPhase(PluginPhase phase) {
  switch (phase) {
    case PluginPhase::kLoad:
      return Tell(opsrun::host::kProbePhase, "while it was being loaded");
    case PluginPhase::kEntry:
      return Tell(opsrun::host::kProbePhase, "in its entry");
    default:
      return Tell(opsrun::host::kProbePhase, "in its shutdown function");
  }
}

int TellLibrary(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') Tell(opsrun::host::kProbeLibrary, info->dlpi_name);
  return 0;
}

// 0 if this program does not support the level.
uint32_t LevelOf(const std::string& word) {
  for (uint32_t level = 1; level <= OPSRUN_LEVEL; ++level) {
    if (word == std::to_string(level)) return level;
  }
  return 0;
}

// Disables core dumps, and ends this process with its parent.
void LimitThisProcess() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  fcntl(opsrun::host::kProbeDescriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t level = argc == 3 ? LevelOf(argv[2]) : 0;
  if (level == 0 || fcntl(opsrun::host::kProbeDescriptor, F_GETFD) < 0) {
    std::fputs("opsrun-probe is started by opsrun, to open a plugin in a process of its own\n", stderr);
    return 2;
  }
  LimitThisProcess();
  const FileLook look = opsrun::host::LookAtFile(argv[1], level);
  const opsrun::host::GuardedTable host(UnsupportedSlots(), level, nullptr);
  const ProcessSnapshot before;
  std::shared_ptr<const Plugin> plugin;
  const std::optional<Refusal> refusal =
      look.kind == FileLook::Kind::kPlugin
          ? opsrun::host::OpenPlugin(argv[1], look.note, host.get(), &plugin, TellPhase)
          : look.refusal;
  if (plugin != nullptr) {
    if (!plugin->restored.empty()) Tell(opsrun::host::kProbeChange, plugin->restored);
    TellPhase(PluginPhase::kShutdown);
    plugin.reset();
  }
  for (const std::string& changed : before.Changes()) Tell(opsrun::host::kProbeChange, changed);
  dl_iterate_phdr(TellLibrary, nullptr);
  if (refusal) {
    Tell(opsrun::host::kProbeReason, refusal->reason);
    Tell(opsrun::host::kProbeRemedy, refusal->remedy);
    if (refusal->out_of_memory) Tell(opsrun::host::kProbeMemory, "");
  }
  Tell(opsrun::host::kProbePhase, "in its static destructors");
  Tell(opsrun::host::kProbeOpened, "");
  return 0;
}

// host/plugin/probe/main.cc: opsrun-probe FILE.so LEVEL: opens a plugin as a host of that level, reports the result,
// and exits.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <type_traits>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"
#include "host/examine/prober.h"
#include "host/plugin/load.h"

namespace {

using namespace opsrun::host;

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

int32_t Fail(const opsrun_host*, void*, int32_t code, opsrun_str text, opsrun_str) {
  return FailEntry(code, text);
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
    const ssize_t n = write(kProbeDescriptor, bytes.data() + told, bytes.size() - told);
    if (n <= 0) return;
    told += static_cast<size_t>(n);
  }
}

void TellPhase(PluginPhase phase) {
  switch (phase) {
    case PluginPhase::kLoad:
      return Tell(kProbePhase, "while it was being loaded");
    case PluginPhase::kEntry:
      return Tell(kProbePhase, "in its entry");
    default:
      return Tell(kProbePhase, "in its shutdown function");
  }
}

int TellLibrary(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') Tell(kProbeLibrary, info->dlpi_name);
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
  pollfd parent = {kProbeDescriptor, 0, 0};
  if (poll(&parent, 1, 0) == 1) _exit(1);  // it has ended already: nobody can read what is written
  fcntl(kProbeDescriptor, F_SETFD, FD_CLOEXEC);
}

std::string LinkAt(const std::string& path) {
  char target[4096];
  const ssize_t n = readlink(path.c_str(), target, sizeof(target));
  return n < 0 ? "" : std::string(target, static_cast<size_t>(n));
}

std::set<std::string> NamesIn(const char* folder) {
  std::set<std::string> names;
  DIR* stream = opendir(folder);
  if (stream == nullptr) return names;
  const std::string own = std::to_string(dirfd(stream));
  while (const dirent* entry = readdir(stream)) {
    if (entry->d_name[0] != '.' && entry->d_name != own) names.insert(entry->d_name);
  }
  closedir(stream);
  return names;
}

std::vector<struct sigaction> Handlers() {
  std::vector<struct sigaction> handlers(NSIG);
  for (int number = 1; number < NSIG; ++number) sigaction(number, nullptr, &handlers[static_cast<size_t>(number)]);
  return handlers;
}

// The state of this process that plugins must not change.
class ProcessSnapshot {
 public:
  // What has changed: "the locale", "the handler of SIGINT", "2 more threads" ... Restores what ProcessState can
  // restore.
  std::vector<std::string> Changes() const {
    std::vector<std::string> changes;
    if (std::string of_state = state_.Restore(); !of_state.empty()) changes.push_back(std::move(of_state));
    const std::vector<struct sigaction> handlers = Handlers();
    for (size_t i = 1; i < handlers.size(); ++i) {
      if (handlers[i].sa_handler != handlers_[i].sa_handler)
        changes.push_back(fmt::format("the handler of {}", SignalName(static_cast<int>(i))));
    }
    const size_t threads = NamesIn("/proc/self/task").size();
    if (threads > threads_) changes.push_back(Several(threads - threads_, "more thread"));
    for (const std::string& descriptor : NamesIn("/proc/self/fd")) {
      if (descriptors_.count(descriptor) == 0)
        changes.push_back(fmt::format("an open file ({})", LinkAt("/proc/self/fd/" + descriptor)));
    }
    return changes;
  }

 private:
  const ProcessState state_;
  const size_t threads_ = NamesIn("/proc/self/task").size();
  const std::set<std::string> descriptors_ = NamesIn("/proc/self/fd");
  const std::vector<struct sigaction> handlers_ = Handlers();  // by signal
};

}  // namespace

int main(int argc, char** argv) {
  const uint32_t level = argc == 3 ? LevelOf(argv[2]) : 0;
  if (level == 0 || fcntl(kProbeDescriptor, F_GETFD) < 0) {
    std::fputs("opsrun-probe is started by opsrun, to open a plugin in a process of its own\n", stderr);
    return 2;
  }
  LimitThisProcess();
  const FileLook look = LookAtFile(argv[1], {.level = level, .allow_writable = true});  // its parent decides that
  const GuardedTable host(UnsupportedSlots(), level, nullptr);
  const ProcessSnapshot before;
  std::shared_ptr<Plugin> plugin;
  const std::optional<Refusal> refusal = look.kind == FileLook::Kind::kPlugin
                                             ? OpenPlugin(argv[1], look.note, host.get(), &plugin, TellPhase)
                                             : look.refusal;
  if (plugin != nullptr) {
    if (!plugin->restored.empty()) Tell(kProbeChange, plugin->restored);
    TellPhase(PluginPhase::kShutdown);
    plugin.reset();
  }
  for (const std::string& changed : before.Changes()) Tell(kProbeChange, changed);
  dl_iterate_phdr(TellLibrary, nullptr);
  if (refusal) {
    Tell(kProbeReason, refusal->reason);
    Tell(kProbeRemedy, refusal->remedy);
    if (refusal->out_of_memory) Tell(kProbeMemory, "");
  }
  Tell(kProbePhase, "in its static destructors");
  Tell(kProbeOpened, "");
  return 0;
}

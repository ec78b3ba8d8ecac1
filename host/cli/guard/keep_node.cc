// host/cli/guard/keep_node.cc: the folder of --repro-dir, written by a program that is about to end.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "host/base/child.h"
#include "host/cli/guard/guard.h"
#include "host/run/repro.h"

namespace opsrun::host {
namespace {

constexpr unsigned kSecondsToWrite = 60;  // large inputs on a slow disk
constexpr int kLate = 255;                // an exit status that is no errno; 0: the folder is written

// In a child: what the plugin has overwritten may be what is read here, and then only the child crashes.
[[noreturn]] void WriteAndEnd(const RunningNode& kept, const CrashDiagnostic& d) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGALRM}) std::signal(signal, SIG_DFL);
  alarm(kSecondsToWrite);
  const auto tell = [](int file, const void* what) {
    WriteCrash(file, *static_cast<const CrashDiagnostic*>(what), ErrorFormat::kHuman);
  };
  const ReproFolder::Outcome outcome = kept.folder->Write(*kept.record, tell, &d);
  EndProgram(outcome == ReproFolder::Outcome::kFailed ? kept.folder->error()
             : outcome == ReproFolder::Outcome::kLate ? kLate
                                                      : 0);
}

}  // namespace

void KeepNode(const RunningNode& kept, int exit, CrashDiagnostic& d) {
  if (kept.folder == nullptr) return;
  EndSoon(exit, kSecondsToWrite + kSecondsToReport);
  const pid_t child = ForkUntilParentEnds();
  if (child == 0) WriteAndEnd(kept, d);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EndSoon(exit);
  const int error = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
  if (error == kLate) return;
  if (error == 0 && kept.record->gap().empty()) {
    d.help[1] << kReplayHelp << kept.folder->command();
  } else {
    const char* const reason = error == 0 ? kept.record->gap().c_str() : strerrordesc_np(error);
    d.notes[3] << (error == 0 ? kPartlyKept : kNotKept) << kept.folder->path()
               << "': " << (reason == nullptr ? "unknown error" : reason);
  }
}

}  // namespace opsrun::host

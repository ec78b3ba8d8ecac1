// host/probe/probe.cc: starts the process, reads what it tells, and sees how it ends.
// SPDX-License-Identifier: Apache-2.0
#include "host/probe/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "host/base/display_text.h"
#include "host/base/own_file.h"
#include "host/probe/probe_records.h"

extern char** environ;

namespace opsrun::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kReport[] = "report it to the plugin's author";
constexpr size_t kMostTold = 16 << 20;

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    Close(0);
    Close(1);
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void CloseWriter() { Close(1); }

 private:
  void Close(int end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  int ends_[2] = {-1, -1};
};

// A process group of its own, with no signal blocked or ignored, and nothing of this process but the pipe.
pid_t Start(const std::string& program, const std::string& path, int writer) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, writer, kProbeDescriptor);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const char* const arguments[] = {program.c_str(), path.c_str(), nullptr};
  pid_t child = -1;
  if (posix_spawn(&child, program.c_str(), &files, &attributes, const_cast<char**>(arguments), environ) != 0)
    child = -1;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return child;
}

// What is told until the process closes its end, which it does by ending. False if the time is over before.
bool ReadUntil(int reader, Clock::time_point deadline, std::string* told) {
  char bytes[4096];
  while (told->size() < kMostTold) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting = {reader, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t n = read(reader, bytes, sizeof(bytes));
    if (n == 0) return true;
    if (n > 0) told->append(bytes, static_cast<size_t>(n));
  }
  return true;
}

// Its status as waitpid has it; nothing if this process ignores the ends of its children, or the time is over.
std::optional<int> WaitUntil(pid_t child, Clock::time_point deadline) {
  for (useconds_t pause = 100; Clock::now() < deadline; pause = pause < 20'000 ? 2 * pause : pause) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    usleep(pause);
  }
  return std::nullopt;
}

void End(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

struct Told {
  ProbeReport report;
  std::string phase = "while it was being opened";
  bool opened = false;  // nothing but the end of the process was to follow
  Refusal refusal;
};

Told Parse(std::string_view bytes) {
  Told told;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    if (end == std::string_view::npos || end == 0) break;
    std::string text = Printable(bytes.substr(1, end - 1));
    switch (bytes.front()) {
      case kProbePhase:
        told.phase = std::move(text);
        break;
      case kProbeReason:
        told.refusal.reason = std::move(text);
        break;
      case kProbeRemedy:
        told.refusal.remedy = std::move(text);
        break;
      case kProbeChange:
        told.report.changes.push_back(std::move(text));
        break;
      case kProbeLibrary:
        told.report.libraries.push_back(std::move(text));
        break;
      case kProbeOpened:
        told.opened = true;
        break;
      default:
        break;
    }
    bytes.remove_prefix(end + 1);
  }
  return told;
}

// status: nothing if it had to be ended.
std::optional<Refusal> HowItEnded(const Told& told, std::optional<int> status, std::chrono::milliseconds limit) {
  if (!status) {
    return Refusal{fmt::format("it blocked the probe process for {} ms {}", limit.count(), told.phase), kReport};
  }
  if (WIFSIGNALED(*status)) {
    return Refusal{fmt::format("it crashed the probe process with {} {}", SignalName(WTERMSIG(*status)), told.phase),
                   kReport};
  }
  if (!told.opened) {
    return Refusal{fmt::format("it ended the probe process with exit status {} {}", WEXITSTATUS(*status), told.phase),
                   kReport};
  }
  return std::nullopt;
}

}  // namespace

std::string FindProbe() {
  const std::filesystem::path folder = OwnFile().parent_path();
  for (const char* up : {"..", "../.."}) {
    const std::filesystem::path program = folder / up / "libexec/opsrun/opsrun-probe";
    if (access(program.c_str(), X_OK) == 0) return program.lexically_normal().string();
  }
  return "";
}

std::optional<ProbeReport> Probe(const std::string& program, const std::string& path, std::chrono::milliseconds limit) {
  Pipe pipe;
  if (pipe.reader() < 0) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + limit;
  const pid_t child = Start(program, path, pipe.writer());
  if (child < 0) return std::nullopt;
  pipe.CloseWriter();
  std::string bytes;
  std::optional<int> status;
  if (ReadUntil(pipe.reader(), deadline, &bytes)) status = WaitUntil(child, deadline);
  if (!status) End(child);
  kill(-child, SIGKILL);  // what it has started
  Told told = Parse(bytes);
  told.report.refusal = HowItEnded(told, status, limit);
  if (!told.report.refusal && !told.refusal.reason.empty()) {
    told.report.refusal = std::move(told.refusal);
    told.report.by_table = true;
  }
  return std::move(told.report);
}

}  // namespace opsrun::host

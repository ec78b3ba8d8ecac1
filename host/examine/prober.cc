// SPDX-License-Identifier: Apache-2.0
#include "host/examine/prober.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "host/base/child.h"
#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/examine/elf_file.h"
#include "host/examine/signature.h"
#include "host/examine/writers.h"

namespace opsrun::host {
namespace {

using State = Finding::State;

Finding ProbeFinding(const ProbeReport& report) {
  if (report.refusal) return RefusedBy(report.by_table ? "loading" : "probe", *report.refusal);
  if (report.changes.empty())
    return {"probe", State::kOk, "opened in a separate process, whose state it left unchanged", ""};
  return {"probe", State::kWarning, fmt::format("it changed {}", fmt::join(report.changes, ", ")),
          "restore the state of the process: other code depends on it"};
}

}  // namespace

ProbeOptions DefaultProbeOptions(bool probe, const LookOptions& look) {
  return {probe ? FindProbe() : "", VerdictFolder(), kProbeLimit, look};
}

Prober::Prober(ProbeOptions options) : options_(std::move(options)), verdicts_(options_.folder, options_.look.level) {}

// Refusals are not kept: what is missing may be installed later.
std::optional<ProbeReport> Prober::RunProbe(const std::string& path, const PluginNote& note) const {
  if (!probes()) return std::nullopt;
  std::optional<ProbeReport> report = Probe(options_.program, path, options_.look.level, options_.limit);
  if (report && !report->refusal) verdicts_.RememberGood(path, note.build_id, report->libraries);
  return report;
}

// Since the file was found, its mode or its place may have changed.
std::optional<Refusal> Prober::RefuseUntrusted(const std::string& path) const {
  const OpenedBytes file(path);
  if (file.bytes() == nullptr) return RefusedBySystem("it cannot be read", file.error());
  if (!options_.look.accepts_writable()) {
    if (std::optional<Refusal> refusal = RefuseWritablePlugin(file.descriptor(), path)) return refusal;
  }
  if (options_.look.keys.empty()) return std::nullopt;
  return FirstRefusal({JudgeSignature(*file.bytes(), path, options_.look.keys)});
}

std::optional<Refusal> Prober::Admit(const std::string& path, const PluginNote& note) const {
  const std::string real = RealPath(path);
  if (std::optional<Refusal> refusal = RefuseUntrusted(real)) return refusal;
  if (verdicts_.IsKnownGood(real, note.build_id)) return std::nullopt;
  if (std::optional<Refusal> refusal = RefuseToOpen(real)) return refusal;
  const std::optional<ProbeReport> report = RunProbe(real, note);
  return report ? report->refusal : std::nullopt;
}

std::vector<Finding> Prober::Judge(const std::string& path, const FileLook& look, const LibrarySearch& search,
                                   const GpuCards& cards) const {
  std::vector<Finding> findings = JudgePlugin(path, look, search);
  if (FirstRefusal(findings)) return findings;
  const OpenedBytes file(path);
  if (file.bytes() != nullptr) {
    Finding signature = JudgeSignature(*file.bytes(), path, options_.look.keys);
    if (!signature.text.empty()) findings.push_back(std::move(signature));
    if (FirstRefusal(findings)) return findings;
  }
  const GpuCode code = file.bytes() == nullptr ? GpuCode() : ReadGpuCode(*file.bytes());
  if (!code.empty()) findings.push_back(JudgeGpuCode(code, cards()));
  if (const std::optional<ProbeReport> report = RunProbe(RealPath(path), look.note))
    findings.push_back(ProbeFinding(*report));
  return findings;
}

}  // namespace opsrun::host

// Starts the process, reads its records, and determines how it ended.

namespace opsrun::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kReport[] = "report it to the plugin's author";
constexpr size_t kMostTold = 16 << 20;

struct Pipe {
  Descriptor reader, writer;
};

std::optional<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
  return made;
}

// With only the pipe from this process.
pid_t Start(const std::string& program, const std::string& path, const std::string& level, int writer) {
  const GivenFile files[] = {{STDIN_FILENO}, {STDOUT_FILENO}, {STDERR_FILENO}, {kProbeDescriptor, writer}};
  pid_t child = -1;
  StartProgram({program, path, level}, files, &child);
  return child;
}

void Drain(int reader, std::string* told) {
  char bytes[4096];
  ssize_t n = 0;
  while (told->size() < kMostTold && (n = read(reader, bytes, sizeof(bytes))) > 0)
    told->append(bytes, static_cast<size_t>(n));
}

// Reads records until the process ends; its children may keep the pipe open. False if the deadline passes first.
bool ReadUntilItEnds(int process, int reader, Clock::time_point deadline, std::string* told) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting[] = {{process, POLLIN, 0}, {reader, POLLIN, 0}};
    if (poll(waiting, 2, static_cast<int>(left)) <= 0) continue;
    Drain(reader, told);
    if (waiting[0].revents != 0) return true;
    if ((waiting[1].revents & POLLHUP) != 0 || told->size() >= kMostTold) reader = -1;  // wait only for the end
  }
}

// Kills the process and its children; until it is waited for, its group's number is not reused. Returns the status of
// waitpid, or 0 if this program ignores SIGCHLD.
int EndAll(pid_t child) {
  int status = 0;
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

struct ProbeMessages {
  ProbeReport report;
  std::string phase = "while it was being opened";
  bool begun = false;   // it has written a record
  bool opened = false;  // only the end of the process was to follow
  Refusal refusal;
};

ProbeMessages ParseMessages(std::string_view bytes) {
  ProbeMessages told;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    if (end == std::string_view::npos || end == 0) break;
    std::string text = Printable(bytes.substr(1, end - 1));
    told.begun = true;
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
      case kProbeMemory:
        told.refusal.out_of_memory = true;
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

// status: nothing if the process had to be killed.
std::optional<Refusal> HowItEnded(const ProbeMessages& told, std::optional<int> status,
                                  std::chrono::milliseconds limit) {
  if (!status) {
    return Refusal{fmt::format("it blocked the probe process for {} ms {}", limit.count(), told.phase), kReport};
  }
  if (!told.begun && !WIFSIGNALED(*status)) {
    return Refusal{
        fmt::format("the probe process ended with exit status {} before it opened the file", WEXITSTATUS(*status)),
        "raise the limits of memory and open files (ulimit -v, ulimit -n), or install opsrun again"};
  }
  if (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL) {
    return Refusal{
        fmt::format("the probe process was killed {}", told.phase),
        "close other programs if memory is short: the system kills those that take too much; otherwise report it to "
        "the plugin's author"};
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
  return FindOwnProgram("opsrun-probe");
}

std::optional<ProbeReport> Probe(const std::string& program, const std::string& path, uint32_t level,
                                 std::chrono::milliseconds limit) {
  std::optional<Pipe> pipe = MakePipe();
  if (!pipe) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + limit;
  const pid_t child = Start(program, path, std::to_string(level), pipe->writer.get());
  if (child < 0) return std::nullopt;
  pipe->writer = Descriptor();
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));  // Linux 5.3
  std::string bytes;
  const bool ended = process.get() >= 0 && ReadUntilItEnds(process.get(), pipe->reader.get(), deadline, &bytes);
  const int status = EndAll(child);
  if (process.get() < 0) return std::nullopt;
  ProbeMessages told = ParseMessages(bytes);
  told.report.refusal = HowItEnded(told, ended ? std::optional(status) : std::nullopt, limit);
  if (!told.report.refusal && !told.refusal.reason.empty()) {
    told.report.refusal = std::move(told.refusal);
    told.report.by_table = true;
  }
  return std::move(told.report);
}

}  // namespace opsrun::host

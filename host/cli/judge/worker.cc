// SPDX-License-Identifier: Apache-2.0
#include "host/cli/judge/worker.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "host/base/child.h"
#include "host/base/display_text.h"
#include "host/base/futex.h"
#include "host/base/text.h"
#include "host/cli/measure/measure.h"
#include "host/cli/problem/ended_child.h"
#include "host/isolate/child.h"

namespace opsrun::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kLook{50};  // how often a wait looks whether the process has ended
constexpr seconds kLimit{15};      // for an order

// The processes that threads of a process have started and not waited for.
std::vector<pid_t> ChildrenOf(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const std::string tasks = fmt::format("/proc/{}/task", process);
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    const Result<std::string> text = ReadFile((task.path() / "children").string(), size_t{1} << 20);
    std::string_view rest = text.ok() ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
      const auto child = ParseInteger<pid_t>(TakePart(&rest, " \n"));
      if (child) children.push_back(*child);
    }
  }
  return children;
}

// A line of a file of /proc/PID, or of a thread there, behind its name.
std::string LineOf(const std::filesystem::path& file, std::string_view name) {
  const Result<std::string> text = ReadFile(file.string(), size_t{1} << 20);
  std::string_view rest = text.ok() ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = TakePart(&rest, "\n");
    if (line.starts_with(name)) return std::string(line.substr(name.size()));
  }
  return {};
}

// Whether a debugger, or a process that plays one, has a thread: a signal stops that one alone.
bool IsTraced(pid_t process) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
    const std::string tracer = LineOf(task.path() / "status", "TracerPid:\t");  // empty: the thread has just ended
    if (!tracer.empty() && tracer != "0") return true;
  }
  return false;
}

// How often processes that it has started, and waited for, touched new memory: each does at least once.
uint64_t FaultsOfEnded(pid_t process) {
  constexpr int kMinorFaultsOfChildren = 11;
  const Result<std::string> text = ReadFile(fmt::format("/proc/{}/stat", process), size_t{1} << 12);
  if (!text.ok()) return 0;
  const size_t name_end = text->rfind(')');  // the name may have anything in it
  if (name_end == std::string::npos) return 0;
  std::string_view rest = std::string_view(*text).substr(name_end + 2), field;
  for (int i = 3; i <= kMinorFaultsOfChildren; ++i) field = TakePart(&rest, " ");
  return ParseInteger<uint64_t>(field).value_or(0);
}

void KillAll(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    KillAll(ChildrenOf(process));
    kill(process, SIGKILL);
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;  // not of another's child
  }
}

}  // namespace

Worker::Worker(WorkerOrder order, std::shared_ptr<SharedRegion> tensors, bool is_last)
    : order_(std::move(order)), tensors_(std::move(tensors)), is_last_(is_last) {}

Worker::~Worker() {
  if (pid_ <= 0) return;
  KillAll(ChildrenOf(pid_));
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  while (!ended_ && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<WorkerFault> Worker::Start() {
  Result<std::shared_ptr<SharedRegion>> region = SharedRegion::Create("opsrun-judge", kExchangeBytes);
  if (!region.ok()) return WorkerFault{"errors", region.status().message()};
  region_ = *region;
  said_ = Descriptor(memfd_create("opsrun-judge-words", MFD_CLOEXEC));
  order_.address = reinterpret_cast<uintptr_t>(region_->data());
  order_.tensors_address = reinterpret_cast<uintptr_t>(tensors_->data());
  order_.tensors_bytes = tensors_->size();
  const std::string program = FindIsolated();
  if (program.empty()) return WorkerFault{"errors", "opsrun-isolated is not installed, so nothing can be judged"};
  // Processes whose parents have ended become this one's children, so that it sees them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  known_ = ChildrenOf(getpid());
  const GivenFile files[] = {{0, -1},
                             {1, said_.get()},
                             {2, said_.get()},
                             {kExchangeDescriptor, region_->descriptor()},
                             {kJudgedTensorsDescriptor, tensors_->descriptor()}};
  if (const int error = StartProgram({program, kJudgeWord, order_.Text()}, files, &pid_);
      error != 0 || clock_getcpuclockid(pid_, &clock_) != 0)
    return WorkerFault{"errors", fmt::format("its process cannot be started: {}", ErrnoText(error))};
  if (std::optional<WorkerFault> fault = Wait(number_)) return fault;
  if (std::optional<WorkerFault> fault = Stop()) return fault;
  if (std::optional<WorkerFault> fault = Others()) return fault;
  faults_of_ended_ = FaultsOfEnded(pid_);
  const std::string text = Reply();
  if (head().failed.load() != 0) return WorkerFault{"errors", "it cannot be opened: " + text};
  remark_ = text;
  return std::nullopt;
}

std::string Worker::Reply() const {
  constexpr uint64_t kMostOfReply = 2000;
  std::string text(region_->data() + kTextAt, std::min(head().reply_bytes.load(), kMostOfReply));
  return text.substr(0, text.find('\0'));
}

std::optional<WorkerFault> Worker::Prepare(const PlanRequest& request, std::string* failed) {
  const std::string text = request.Text();
  if (text.size() > kMostText) return WorkerFault{"errors", "its graph is too long for the judge"};
  std::memcpy(region_->data() + kTextAt, text.data(), text.size());
  head().text_bytes = text.size();
  head().is_run = 0;
  ++plans_;
  SpanTimes ignored;
  return Carry(ignored, failed);
}

std::optional<WorkerFault> Worker::Run(uint32_t plan, std::span<const uint64_t> places, SpanTimes& times,
                                       std::string* failed) {
  std::memcpy(region_->data() + kPlacesAt, places.data(), places.size_bytes());
  head().plan = plan;
  head().is_run = 1;
  return Carry(times, failed);
}

std::optional<WorkerFault> Worker::Carry(SpanTimes& times, std::string* failed) {
  failed->clear();
  const double cpu_before = CpuNs();
  head().order.store(++number_);
  WakeOne(head().order);
  const int64_t begin = NowNs();
  kill(pid_, SIGCONT);
  if (std::optional<WorkerFault> fault = Wait(number_)) return fault;
  const auto wall = static_cast<double>(NowNs() - begin);
  const double cpu = CpuNs();
  if (std::optional<WorkerFault> fault = Stop()) return fault;
  times = {wall, CpuNs() - cpu_before, CpuNs() - cpu};
  if (std::optional<WorkerFault> fault = Others()) return fault;
  if (head().failed.load() != 0) {
    *failed = Reply();
    if (failed->empty()) *failed = "it failed without a reason";
  }
  return std::nullopt;
}

std::optional<WorkerFault> Worker::LetRun(milliseconds time) {
  kill(pid_, SIGCONT);
  std::this_thread::sleep_for(time);
  return Stop();
}

// What the process writes to `done` is only its word: whoever reads results too early reads wrong ones.
std::optional<WorkerFault> Worker::Wait(uint32_t number) {
  const auto until = std::chrono::steady_clock::now() + kLimit;
  for (;;) {
    const uint32_t done = head().done.load();
    if (done == number) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    SleepOn(head().done, done, std::min(until, now + kLook));
    if (head().done.load() == number) return std::nullopt;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) return Ended(status);
    if (now >= until)
      return WorkerFault{"errors", fmt::format("it hangs: no answer for {} seconds", kLimit.count()), true};
  }
}

std::optional<WorkerFault> Worker::Stop() {
  kill(pid_, SIGSTOP);
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) continue;
  if (!WIFSTOPPED(status)) return Ended(status);
  if (IsTraced(pid_)) return WorkerFault{"processes", "one of its threads is traced, so they do not stop together"};
  return std::nullopt;
}

// Its own, and those whose parents have ended, which are the judge's since then.
std::optional<WorkerFault> Worker::Others() {
  std::vector<pid_t> others = ChildrenOf(pid_);
  for (const pid_t child : ChildrenOf(getpid())) {
    if (is_last_ && child != pid_ && std::ranges::find(known_, child) == known_.end()) others.push_back(child);
  }
  if (others.empty() && FaultsOfEnded(pid_) > faults_of_ended_)
    return WorkerFault{"processes", "it has started another process, and waited until that had ended"};
  if (others.empty()) return std::nullopt;
  KillAll(others);
  return WorkerFault{
      "processes",
      fmt::format("it has started another process, which does not stop with it; it was number {}", others[0])};
}

WorkerFault Worker::Ended(int status) {
  ended_ = true;
  return {"errors", EndText(said_.get(), status), true};
}

double Worker::CpuNs() const {
  timespec time = {};
  clock_gettime(clock_, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace opsrun::host

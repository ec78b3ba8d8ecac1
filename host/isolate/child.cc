// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/child.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/base/child.h"
#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/base/plugin_code.h"
#include "host/base/text.h"
#include "host/isolate/frames.h"
#include "host/isolate/report.h"

namespace opsrun::host {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOpenLimit{10'000};  // as for the probe
constexpr milliseconds kTick{50};           // how often a wait looks at what may end it
constexpr milliseconds kGrace{6'000};       // for a report with a backtrace
constexpr milliseconds kEndLimit{1'000};    // for destructors of kernels and the plugin's shutdown
constexpr size_t kMostReport = size_t{16} << 20;

Status ChildStatus(const ChildEnd& end) {
  return {OPSRUN_ABORTED, end.message};
}

Status NotStarted(std::string_view what,
                  std::string remedy = "raise the limits of memory, file sizes, processes and open files (ulimit)") {
  return {OPSRUN_FAILED_PRECONDITION, fmt::format("the process for isolated plugins cannot be started: {}", what),
          std::move(remedy)};
}

// What was added to the file since.
std::string ReadFrom(int file, size_t offset) {
  struct stat now;
  const size_t size = fstat(file, &now) == 0 ? static_cast<size_t>(now.st_size) : 0;
  std::string bytes(std::min(size - std::min(size, offset), kMostReport), '\0');
  const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

// status: of waitpid.
std::string HowItEnded(int status, bool timed_out, milliseconds limit) {
  if (timed_out) return fmt::format("did not answer for {} ms", limit.count());
  if (WIFSIGNALED(status)) return fmt::format("was ended by {}", SignalName(WTERMSIG(status)));
  return fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

// Calls tell(letter, text, end) for each complete record.
template <typename Tell>
void ForEachRecord(std::string_view bytes, Tell tell) {
  size_t read = 0;
  for (size_t end = bytes.find('\0'); end != std::string_view::npos; end = bytes.find('\0', read)) {
    const size_t begin = std::exchange(read, end + 1);
    if (end > begin) tell(bytes[begin], bytes.substr(begin + 1, end - begin - 1), read);
  }
}

}  // namespace

std::string FindIsolated() {
  return FindOwnProgram("opsrun-isolated");
}

// A running process, and the thread that has started it and waits for its end: the kernel ends the child when that
// thread ends (PR_SET_PDEATHSIG), which therefore lives as long.
struct Child::Process {
  std::shared_ptr<SharedRegion> memory;
  std::shared_ptr<Channel> channel;
  const std::shared_ptr<UnusedTokens> unused = std::make_shared<UnusedTokens>();
  Descriptor report, stack;  // stack: if it is in a sandbox
  size_t report_read = 0;    // bytes
  uint32_t lines_read = 0;   // of ChannelHead::lines
  std::thread watcher;
  std::mutex ending;  // guards the members below
  pid_t pid = -1;     // -1: it has not started, or was waited for
  bool ended = false;
  std::atomic<bool> started{false};
  std::atomic<int> error{0};   // why it could not be started
  std::atomic<int> status{0};  // of waitpid

  ~Process() {
    Kill();
    if (watcher.joinable()) watcher.join();
  }

  void Kill() {
    const std::lock_guard<std::mutex> lock(ending);
    if (pid <= 0) return;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
  }

  bool HasEnded() {
    const std::lock_guard<std::mutex> lock(ending);
    return ended;
  }

  void Watch(const std::string& program, const SharedRegion& tensors);
  pid_t Spawn(const std::string& program, const SharedRegion& tensors);
};

pid_t Child::Process::Spawn(const std::string& program, const SharedRegion& tensors) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  const GivenFile files[] = {{STDIN_FILENO},
                             {kChannelDescriptor, memory->descriptor()},
                             {kTensorsDescriptor, tensors.descriptor()},
                             {kReportDescriptor, report.get()},
                             {kStackDescriptor, stack.get()}};
  pid_t child = -1;
  error.store(StartProgram(
      {program, number(getpid()), number(reinterpret_cast<uintptr_t>(memory->data())), number(memory->size()),
       number(reinterpret_cast<uintptr_t>(tensors.data())), number(tensors.size())},
      files, &child));
  return child;
}

void Child::Process::Watch(const std::string& program, const SharedRegion& tensors) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const pid_t child = Spawn(program, tensors);
  {
    const std::lock_guard<std::mutex> lock(ending);
    pid = child;
    channel->SetChild(child);
  }
  started.store(true);
  started.notify_all();
  if (child > 0) {
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    const std::lock_guard<std::mutex> lock(ending);
    channel->SetChild(0);
    kill(-child, SIGKILL);  // what it has started
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
    status.store(how);
    pid = -1;
  }
  {
    const std::lock_guard<std::mutex> lock(ending);
    ended = true;
  }
  channel->NoteEnd();
}

Child::Child(IsolateOptions options, std::string name, std::string path, Result<std::shared_ptr<SharedRegion>> tensors,
             Log log)
    : options_(std::move(options)),
      name_(std::move(name)),
      path_(std::move(path)),
      tensors_(std::move(tensors)),
      log_(std::move(log)) {}

Child::~Child() {
  if (process_ == nullptr || process_->HasEnded()) return;
  ChannelHead& head = process_->channel->head();
  head.kind = static_cast<uint64_t>(IsolateRequest::kEnd);
  head.request_bytes = 0;
  process_->channel->Pass(true);
  const bool has_ended = process_->channel->WaitForTurn(true, Channel::Clock::now() + kEndLimit);
  const Answer answer = Bury(!has_ended, false);
  if (!answer.end->is_clean) Warn(answer);
}

void Child::Warn(const Answer& answer) const {
  if (log_ && answer.end != nullptr) log_({OPSRUN_LOG_WARNING, answer.end->message, {}, 0, {}});
}

std::shared_ptr<Channel> Child::Turn::channel() const {
  return child_.process_->channel;
}

const std::shared_ptr<UnusedTokens>& Child::Turn::unused() const {
  return child_.process_->unused;
}

bool Child::IsRunning() {
  return process_ != nullptr && !process_->HasEnded();
}

uint64_t Child::StartIfNone(Answer* why_not) {
  if (IsRunning()) return number_;
  *why_not = Start();
  return why_not->status.ok() ? number_ : 0;
}

Child::Answer Child::Start() {
  process_.reset();
  if (!tensors_.ok()) return {NotStarted(tensors_.status().message()), {}};
  if (options_.program.empty()) return {NotStarted("opsrun-isolated is missing", "install opsrun again"), {}};
  Result<std::shared_ptr<SharedRegion>> memory = SharedRegion::Create("opsrun-messages", SharedRegionBytes());
  if (!memory.ok()) return {NotStarted(memory.status().message()), {}};
  auto process = std::make_unique<Process>();
  process->memory = *memory;
  process->channel = std::make_shared<Channel>(*memory);
  new (&process->channel->head()) ChannelHead;
  process->report = Descriptor(memfd_create("opsrun-report", MFD_CLOEXEC));
  if (process->report.get() < 0) return {NotStarted(ErrnoText(errno)), {}};
  if (options_.sandbox) process->stack = Descriptor(memfd_create("opsrun-stack", MFD_CLOEXEC));
  Process* const of_thread = process.get();
  const std::optional<Thrown> thrown = CatchThrown(
      [&] { process->watcher = std::thread([this, of_thread] { of_thread->Watch(options_.program, **tensors_); }); });
  if (thrown) return {NotStarted(thrown->text), {}};
  process->started.wait(false);
  if (const int error = process->error.load(); error != 0) return {NotStarted(ErrnoText(error)), {}};
  process_ = std::move(process);
  ++number_;
  std::string request;
  WireWriter out(request);
  Write(out, OpenRequest{OPSRUN_VERSION, path_, options_.level, static_cast<uint64_t>(options_.threads),
                         options_.memory, options_.sandbox});
  Answer answer = Converse(IsolateRequest::kOpen, request, {});
  if (answer.status.ok()) {
    table_ = std::exchange(answer.body, {});
  } else {
    process_.reset();
  }
  return answer;
}

Child::Answer Child::Table() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Answer answer;
  if (StartIfNone(&answer) != 0) answer.body = table_;
  return answer;
}

Child::Answer Child::Ask(IsolateRequest kind, std::string_view request, const std::function<bool()>& is_over) {
  if (process_ == nullptr) return {Internal("the isolated process was not started"), {}};
  // Another one would not know what this one was told.
  return process_->HasEnded() ? Bury(false, false) : Converse(kind, request, is_over);
}

Child::Answer Child::Converse(IsolateRequest kind, std::string_view request, const std::function<bool()>& is_over) {
  Channel& channel = *process_->channel;
  if (request.size() > channel.most_bytes())
    return {ResourceExhausted("the message to the isolated process is too long"), {}};
  ChannelHead& head = channel.head();
  std::memcpy(channel.request(), request.data(), request.size());
  head.kind = static_cast<uint64_t>(kind);
  head.request_bytes = request.size();
  channel.Pass(true);
  using Clock = Channel::Clock;
  const milliseconds limit = kind == IsolateRequest::kOpen ? kOpenLimit : options_.node_timeout;
  const Clock::time_point begin = Clock::now(), deadline = begin + limit;
  while (!channel.WaitForTurn(true, Clock::now() + kTick)) {
    if (is_over && is_over()) return Bury(false, true);
    if (limit.count() > 0 && Clock::now() >= deadline) return Bury(true, false);
  }
  if (process_->HasEnded()) return Bury(false, false);
  if (const uint32_t lines = head.lines.load(std::memory_order_relaxed); lines != process_->lines_read) {
    process_->lines_read = lines;
    PassOnLog();
  }
  const uint64_t size = head.reply_bytes;
  if (size > channel.most_bytes()) return {Internal("the reply of the isolated process is damaged"), {}};
  WireReader in(std::string_view(channel.reply(), size));
  Status status = ReadStatus(in);
  Answer answer{std::move(status), in.Text()};
  constexpr size_t kKept = size_t{1} << 20;
  if (request.size() > kKept) process_->memory->Release(channel.request(), request.size());
  if (size > kKept) process_->memory->Release(channel.reply(), size);
  return answer;
}

// Of the process, which has ended, or is to: in time for a report of what it was doing, if it takes too long.
Child::Answer Child::Bury(bool timed_out, bool cancelled) {
  const Channel::Clock::time_point deadline = Channel::Clock::now() + kGrace;
  const milliseconds limit = options_.node_timeout.count() > 0 ? options_.node_timeout : kOpenLimit;
  if (timed_out) {
    process_->channel->RingAlarm(static_cast<uint32_t>(limit.count()));
    while (!process_->HasEnded() && Channel::Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  }
  process_->Kill();
  process_->watcher.join();
  auto end = std::make_shared<ChildEnd>();
  PassOnLog();
  const std::string report = ReadFrom(process_->report.get(), process_->report_read);
  ForEachRecord(report, [&](char letter, std::string_view bytes, size_t) {
    const std::string text = Printable(bytes);
    if (letter == kReportMessage) end->message = text;
    if (letter == kReportLine) end->line = ParseInteger<uint32_t>(text).value_or(0);
    if (letter == kReportHelp) end->help.push_back(text);
    if (letter == kReportNote) end->notes.push_back(text);
    if (letter != kReportFrame) return;
    end->backtrace.push_back(FrameOf(FieldsOfRecord(bytes)));
  });
  if (options_.sandbox && !end->message.empty() && !cancelled)
    end->backtrace = FramesOfStack(process_->stack.get(), std::filesystem::path(path_).parent_path().string());
  const int status = process_->status.load();
  process_.reset();
  if (cancelled) return {Status(OPSRUN_CANCELLED, "the run was stopped"), {}, nullptr};
  if (end->message.empty()) {
    end->is_clean = !timed_out && status == 0;
    end->message = fmt::format("the process of isolated plugin '{}' {}", name_, HowItEnded(status, timed_out, limit));
    end->help = {WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !timed_out
                     ? "close other programs if memory is short: the system ends those that take too much"
                     : "report it to the plugin's author"};
  }
  Status why = ChildStatus(*end);
  return {std::move(why), {}, std::move(end)};
}

void Child::PassOnLog() {
  const std::string bytes = ReadFrom(process_->report.get(), process_->report_read);
  // A crash follows the last line: it stays for Bury.
  size_t logged = 0;
  ForEachRecord(bytes, [&](char letter, std::string_view text, size_t end) {
    if (letter != kReportLog) return;
    logged = end;
    std::vector<std::string> fields = FieldsOfRecord(text);
    fields.resize(5);
    const auto about = std::ranges::find(about_, fields[4], &PlacedNode::name);
    if (log_)
      log_({ParseInteger<int32_t>(fields[0]).value_or(OPSRUN_LOG_INFO), fields[1], fields[2],
            ParseInteger<uint32_t>(fields[3]).value_or(0),
            about == about_.end() ? PlacedNode{fields[4], {}, {}} : *about});
  });
  process_->report_read += logged;
}

}  // namespace opsrun::host

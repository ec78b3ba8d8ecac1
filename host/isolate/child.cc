// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/base/plugin_code.h"
#include "host/base/text.h"
#include "host/isolate/report.h"

extern char** environ;

namespace opsrun::host {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOpenLimit{10'000};  // as for the probe
constexpr milliseconds kTick{50};           // how often a wait looks at what may end it
constexpr milliseconds kGrace{6'000};       // for a report with a backtrace
constexpr milliseconds kEndLimit{1'000};    // for destructors of kernels and the plugin's shutdown
constexpr size_t kMostReport = size_t{16} << 20;
// Above those that the child has.
constexpr int kAboveAll = 16;

Status ChildStatus(const ChildEnd& end) {
  return {OPSRUN_ABORTED, end.message};
}

Status NotStarted(std::string_view what) {
  return FailedPrecondition(fmt::format("the process for isolated plugins cannot be started: {}", what));
}

std::string ReadFrom(int file, size_t offset, size_t end) {
  struct stat now;
  if (fstat(file, &now) == 0) end = std::min(end, static_cast<size_t>(now.st_size));
  std::string bytes(std::min(end - std::min(end, offset), kMostReport), '\0');
  const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
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
  std::shared_ptr<const Channel> channel;
  Descriptor report;
  size_t report_read = 0;  // bytes
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
  const int kept[] = {memory->descriptor(), tensors.descriptor(), report.get()};
  std::vector<Descriptor> copies;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (int i = 0; i < 3; ++i) {
    copies.emplace_back(fcntl(kept[i], F_DUPFD_CLOEXEC, kAboveAll));
    posix_spawn_file_actions_adddup2(&files, copies.back().get(), kChannelDescriptor + i);
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const std::string words[] = {program,
                               fmt::format("{}", getpid()),
                               fmt::format("{}", reinterpret_cast<uintptr_t>(memory->data())),
                               fmt::format("{}", memory->size()),
                               fmt::format("{}", reinterpret_cast<uintptr_t>(tensors.data())),
                               fmt::format("{}", tensors.size())};
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawn(&child, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  error.store(failed);
  return failed == 0 ? child : -1;
}

void Child::Process::Watch(const std::string& program, const SharedRegion& tensors) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const pid_t child = Spawn(program, tensors);
  {
    const std::lock_guard<std::mutex> lock(ending);
    pid = child;
  }
  started.store(true);
  started.notify_all();
  if (child > 0) {
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    const std::lock_guard<std::mutex> lock(ending);
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

Child::Child(IsolateOptions options, std::string path, std::shared_ptr<SharedRegion> tensors, Log log)
    : options_(std::move(options)), path_(std::move(path)), tensors_(std::move(tensors)), log_(std::move(log)) {}

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
  if (log_ && answer.end != nullptr) log_({OPSRUN_LOG_WARNING, answer.end->message, {}, {}, 0});
}

std::shared_ptr<const Channel> Child::Turn::channel() const {
  return child_.process_->channel;
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
  if (options_.program.empty()) return {NotStarted("opsrun-isolated is missing; install opsrun again"), {}};
  Result<std::shared_ptr<SharedRegion>> memory = SharedRegion::Create("opsrun-messages", SharedRegionBytes());
  if (!memory.ok()) return {NotStarted(memory.status().message()), {}};
  auto process = std::make_unique<Process>();
  process->memory = *memory;
  process->channel = std::make_shared<const Channel>(*memory);
  new (&process->channel->head()) ChannelHead;
  process->report = Descriptor(memfd_create("opsrun-report", MFD_CLOEXEC));
  if (process->report.get() < 0) return {NotStarted(ErrnoText(errno)), {}};
  Process* const of_thread = process.get();
  const std::optional<Thrown> thrown = CatchThrown(
      [&] { process->watcher = std::thread([this, of_thread] { of_thread->Watch(options_.program, *tensors_); }); });
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
  const Channel& channel = *process_->channel;
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
  PassOnLog();
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
  if (timed_out) {
    process_->channel->RingAlarm(
        static_cast<uint32_t>((options_.node_timeout.count() > 0 ? options_.node_timeout : kOpenLimit).count()));
    while (!process_->HasEnded() && Channel::Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  }
  process_->Kill();
  process_->watcher.join();
  auto end = std::make_shared<ChildEnd>();
  PassOnLog();
  const std::string report = ReadFrom(process_->report.get(), process_->report_read, SIZE_MAX);
  ForEachRecord(report, [&](char letter, std::string_view bytes, size_t) {
    const std::string text = Printable(bytes);
    if (letter == kReportMessage) end->message = text;
    if (letter == kReportLine) end->line = ParseInteger<uint32_t>(text).value_or(0);
    if (letter == kReportHelp) end->help.push_back(text);
    if (letter == kReportNote) end->notes.push_back(text);
    if (letter != kReportFrame) return;
    std::vector<std::string> fields = FieldsOfRecord(bytes);
    fields.resize(6);
    for (std::string& field : fields) field = Printable(field);
    end->backtrace.push_back({fields[0], fields[1], fields[2], ParseInteger<uint32_t>(fields[3]).value_or(0), fields[4],
                              ParseInteger<uint32_t>(fields[5]).value_or(0)});
  });
  const int status = process_->status.load();
  process_.reset();
  if (cancelled) return {Status(OPSRUN_CANCELLED, "the run was stopped"), {}, nullptr};
  if (end->message.empty() && timed_out) {
    end->message = fmt::format("its process did not answer for {} ms", options_.node_timeout.count());
  } else if (end->message.empty() && WIFSIGNALED(status)) {
    end->message = fmt::format("its process was ended by {}", SignalName(WTERMSIG(status)));
    if (WTERMSIG(status) == SIGKILL)
      end->help = {"close other programs if memory is short: the system ends those that take too much"};
  } else if (end->message.empty()) {
    end->is_clean = status == 0;
    end->message = fmt::format("its process ended with exit status {}", WEXITSTATUS(status));
  }
  Status why = ChildStatus(*end);
  return {std::move(why), {}, std::move(end)};
}

void Child::PassOnLog() {
  struct stat now;
  if (process_ == nullptr || fstat(process_->report.get(), &now) != 0) return;
  const auto size = static_cast<size_t>(now.st_size);
  if (size <= process_->report_read) return;
  const std::string bytes = ReadFrom(process_->report.get(), process_->report_read, size);
  // A crash follows the last line: it stays for Bury.
  size_t logged = 0;
  ForEachRecord(bytes, [&](char letter, std::string_view text, size_t end) {
    if (letter != kReportLog) return;
    logged = end;
    std::vector<std::string> fields = FieldsOfRecord(text);
    fields.resize(5);
    if (log_)
      log_({ParseInteger<int32_t>(fields[0]).value_or(OPSRUN_LOG_INFO), fields[1], fields[2], fields[4],
            ParseInteger<uint32_t>(fields[3]).value_or(0)});
  });
  process_->report_read += logged;
}

}  // namespace opsrun::host

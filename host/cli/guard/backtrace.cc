// host/cli/guard/backtrace.cc: copies a stack, and asks opsrun-backtrace about it. Nothing here takes a lock or
// allocates memory, up to BacktraceOfMainThread.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/backtrace.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <iterator>
#include <string>

#include "host/base/child.h"
#include "host/base/file.h"
#include "host/cli/guard/captured_thread.h"

namespace opsrun::host {
namespace {

// An infinite recursion fills the stack of a thread, which is usually of 8 MiB.
constexpr size_t kMostStack = size_t{16} << 20;

// What signal handlers need: they have no argument of ours.
struct Backtraces {
  std::string program;
  pthread_t main{};
  timespec began = {};
  std::atomic<bool> busy = false;
  int left_in = -1;  // see LeaveStackIn
  char answer[kMostFrames * kTextsPerFrame * kMostFrameText];
  CrashFrame frames[kMostFrames];
  // For BacktraceOfMainThread.
  const CrashFrame* end_of_main = frames;
  sem_t taken;
};
Backtraces backtraces;

timespec Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now;
}

// Not below the standard streams, which the program that is started has.
int AboveStandardStreams(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(descriptor);
  return moved;
}

void CopyRegisters(const ucontext_t& context, CapturedThread& thread) {
  const mcontext_t& machine = context.uc_mcontext;
#if defined(__x86_64__)
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  static_assert(std::size(kOrder) == CapturedThread::kRegisters);
  for (size_t i = 0; i < std::size(kOrder); ++i) thread.registers[i] = static_cast<uint64_t>(machine.gregs[kOrder[i]]);
  thread.pc = thread.registers[CapturedThread::kRegisters - 1];
#else
  std::copy(std::begin(machine.regs), std::end(machine.regs), thread.registers);
  thread.registers[CapturedThread::kStackPointer] = machine.sp;
  thread.pc = machine.pc;
#endif
}

// Copies up to `most` bytes that can be read. A raw system call, which returns where a read would fault, and which
// sanitizers do not check. Refused as a whole if the range leaves the addresses of a process.
uint64_t CopySome(int file, uint64_t from, uint64_t most) {
  const auto copied = syscall(SYS_write, file, from, most);
  return copied < 0 ? 0 : static_cast<uint64_t>(copied);
}

// Copies from the stack pointer upwards, as far as memory can be read. A stack that has overflowed begins up to a frame
// higher.
void CopyStack(int file, CapturedThread& thread) {
  constexpr uint64_t kPage = 4096, kPiece = 16 * kPage, kLargestFrame = 256 * 1024;
  constexpr uint64_t kRedZone = 128;
  const uint64_t pointer = thread.registers[CapturedThread::kStackPointer];
  if (pointer < kPage) return;
  for (uint64_t at = pointer - kRedZone; thread.stack_bytes < kMostStack;) {
    const uint64_t page_end = (at / kPage + 1) * kPage;
    uint64_t copied = CopySome(file, at, kPiece);
    if (copied == 0) copied = CopySome(file, at, page_end - at);
    if (copied == 0 && (thread.stack_bytes > 0 || at > pointer + kLargestFrame)) return;
    if (thread.stack_bytes == 0) thread.stack_begin = at;
    thread.stack_bytes += copied;
    at = copied == 0 ? page_end : at + copied;
  }
}

bool CopyMaps(int file) {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  char bytes[4096];
  ssize_t got = 0;
  while ((got = read(maps, bytes, sizeof(bytes))) > 0 && write(file, bytes, static_cast<size_t>(got)) == got) {
  }
  close(maps);
  return got == 0;
}

// To the empty file, which is then at its beginning. False if there is no memory for it.
bool WriteQuestion(const ucontext_t& context, int file) {
  CapturedThread thread;
  CopyRegisters(context, thread);
  thread.program = reinterpret_cast<uint64_t>(&WriteQuestion);
  thread.process = getpid();
  thread.began_s = backtraces.began.tv_sec;
  thread.began_ns = backtraces.began.tv_nsec;
  const auto end = [file] { return lseek(file, 0, SEEK_CUR); };
  const bool written = write(file, &thread, sizeof(thread)) == sizeof(thread);
  CopyStack(file, thread);
  return written && end() == static_cast<off_t>(sizeof(thread) + thread.stack_bytes) && CopyMaps(file) &&
         pwrite(file, &thread, sizeof(thread), 0) == sizeof(thread) && lseek(file, 0, SEEK_SET) == 0;
}

// In the child: only system calls.
[[noreturn]] void StartProgram(int question, int answer) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(question, STDIN_FILENO);
  dup2(answer, STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
  // With no environment, nothing asks servers for debug information, and nothing is loaded into it.
  const char* const words[] = {backtraces.program.c_str(), nullptr};
  const char* const environment[] = {nullptr};
  execve(words[0], const_cast<char* const*>(words), const_cast<char* const*>(environment));
  EndChild(1);
}

// Until the other end is closed, or for kBacktraceSeconds.
size_t ReadAnswer(int from) {
  const timespec begin = Now();
  size_t size = 0;
  while (size < sizeof(backtraces.answer)) {
    const timespec now = Now();
    const auto passed = (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000;
    pollfd wanted = {from, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::max<int64_t>(0, kBacktraceSeconds * 1000 - passed)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return 0;
    const ssize_t got = read(from, backtraces.answer + size, sizeof(backtraces.answer) - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return 0;
    if (got == 0) return size;
    size += static_cast<size_t>(got);
  }
  return 0;
}

size_t Ask(int question) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;
  const int reader = AboveStandardStreams(ends[0]), writer = AboveStandardStreams(ends[1]);
  const pid_t child = reader < 0 || writer < 0 ? -1 : ForkUntilParentEnds();
  if (child == 0) StartProgram(question, writer);
  close(writer);
  const size_t size = child > 0 ? ReadAnswer(reader) : 0;
  close(reader);
  if (child < 0) return 0;
  if (size == 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return size;
}

std::span<const CrashFrame> ParseAnswer(std::string_view answer) {
  size_t count = 0;
  while (count < kMostFrames) {
    std::string_view texts[kTextsPerFrame];
    for (std::string_view& text : texts) {
      const size_t end = answer.find('\0');
      if (end == std::string_view::npos) return {backtraces.frames, count};
      text = answer.substr(0, end);
      answer.remove_prefix(end + 1);
    }
    backtraces.frames[count++] = {texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]};
  }
  return {backtraces.frames, count};
}

}  // namespace

void PrepareBacktraces() {
  backtraces.program = FindOwnProgram("opsrun-backtrace");
  backtraces.main = pthread_self();
  clock_gettime(CLOCK_REALTIME, &backtraces.began);
  sem_init(&backtraces.taken, 0, 0);
}

void LeaveStackIn(int file) {
  backtraces.left_in = file;
}

bool HasBacktraces() {
  return !backtraces.program.empty();
}

std::span<const CrashFrame> TakeBacktrace(const void* context) {
  if (!HasBacktraces() || backtraces.busy.exchange(true)) return {};
  ucontext_t here;
  if (context == nullptr) getcontext(&here);
  const bool asks = backtraces.left_in < 0;
  const int question =
      asks ? AboveStandardStreams(static_cast<int>(syscall(SYS_memfd_create, "opsrun", 1u /* MFD_CLOEXEC */)))
           : backtraces.left_in;
  const bool written =
      question >= 0 && WriteQuestion(context == nullptr ? here : *static_cast<const ucontext_t*>(context), question);
  const size_t size = written && asks ? Ask(question) : 0;
  if (question >= 0 && asks) close(question);
  const std::span<const CrashFrame> frames = ParseAnswer({backtraces.answer, size});
  backtraces.busy = false;
  return frames;
}

namespace {

constexpr int kAsks = SIGUSR2;

extern "C" void OnAsked(int, siginfo_t*, void* context) {
  const int saved = errno;
  const std::span<const CrashFrame> frames = TakeBacktrace(context);
  backtraces.end_of_main = frames.data() + frames.size();
  sem_post(&backtraces.taken);
  errno = saved;
}

uint32_t NumberOf(std::string_view digits) {
  uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::vector<StackFrame> BacktraceOfMainThread() {
  if (!HasBacktraces()) return {};
  struct sigaction action = {};
  action.sa_sigaction = OnAsked;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(kAsks, &action, nullptr);
  if (pthread_kill(backtraces.main, kAsks) != 0) return {};
  timespec until = Now();
  until.tv_sec += kBacktraceSeconds;
  while (sem_clockwait(&backtraces.taken, CLOCK_MONOTONIC, &until) != 0) {
    if (errno != EINTR) return {};
  }
  std::vector<StackFrame> frames;
  for (const CrashFrame* each = backtraces.frames; each < backtraces.end_of_main; ++each) {
    frames.push_back({std::string(each->text), std::string(each->function), std::string(each->file),
                      NumberOf(each->line), std::string(each->module), NumberOf(each->left_out)});
  }
  return frames;
}

}  // namespace opsrun::host

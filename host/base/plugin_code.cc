// SPDX-License-Identifier: Apache-2.0
#include "host/base/plugin_code.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace opsrun::host {
namespace {

// Per thread, because a signal handler has no other context.
thread_local const PluginCode* running_code = nullptr;

// The bits of a mode, by what they control. Sources: Intel's manual, volume 1, 8.1.5 and 10.2.3; Arm's, FPCR.
struct Part {
  const char* name;
  uint64_t bits;
};
#if defined(__x86_64__)
constexpr Part kParts[] = {{"traps", 0x1F80 | uint64_t{0x3F} << 32},
                           {"rounding", 0x6000 | uint64_t{0xC00} << 32},
                           {"precision", uint64_t{0x300} << 32},
                           {"subnormal numbers", 0x8040}};
#else
constexpr Part kParts[] = {{"traps", 0x9F00}, {"rounding", 0xC00000}, {"subnormal numbers", 0x1080000}};
#endif

}  // namespace

std::string Thrown::Sentence() const {
  return "threw an exception" + (text.empty() ? std::string(" of an unknown type") : ": " + text);
}

const PluginCode* RunningCode() {
  return running_code;
}

RunningMark::RunningMark(const PluginCode* code) : outer_(std::exchange(running_code, code)) {}

RunningMark::~RunningMark() {
  running_code = outer_;
}

void LogThrown(const PluginCodeFacts& facts, const opsrun_host* host, const Thrown& thrown) {
  if (host == nullptr) return;
  const std::string_view what = facts.phase == PluginPhase::kDestroy    ? "the destructor of a kernel"
                                : facts.phase == PluginPhase::kResource ? "the destructor of a resource"
                                                                        : "its shutdown function";
  std::string text = fmt::format("plugin '{}' ({}): {} {}", facts.name, facts.path, what, thrown.Sentence());
  host->log(host, nullptr, OPSRUN_LOG_WARNING, {text.data(), text.size()}, {}, 0);
}

#if defined(__x86_64__)
uint64_t FloatingPointMode::ReadMode() {
  uint32_t mxcsr = 0;
  uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  return (mxcsr & ~kFlags) | uint64_t{x87} << 32;
}

// Clears pending x87 exceptions. If the new mode makes them traps, the next x87 instruction, which may be ours, would
// raise them.
void FloatingPointMode::WriteMode(uint64_t mode) {
  constexpr uint16_t kPending = 0x80;
  const auto mxcsr = static_cast<uint32_t>(mode);
  const auto x87 = static_cast<uint16_t>(mode >> 32);
  uint16_t state = 0;
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  asm volatile("fnstsw %0" : "=m"(state));
  if ((state & kPending) != 0) asm volatile("fnclex");
  asm volatile("fldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
uint64_t FloatingPointMode::ReadMode() {
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}

void FloatingPointMode::WriteMode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#error "opsrun runs on x86-64 and aarch64"
#endif

FloatingPointMode::FloatingPointMode() : mode_(ReadMode()) {}

std::string FloatingPointMode::Restore() const {
  const uint64_t changed = ReadMode() ^ mode_;
  if (changed == 0) return {};
  WriteMode(mode_);
  std::string parts;
  for (const Part& part : kParts) {
    if ((changed & part.bits) != 0) parts += (parts.empty() ? " (" : ", ") + std::string(part.name);
  }
  return "the floating-point mode" + parts + (parts.empty() ? "" : ")");
}

namespace {

std::string Locale() {
  const char* name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? "" : name;
}

bool IsHere(int directory) {
  struct stat here = {}, there = {};
  return stat(".", &here) == 0 && fstat(directory, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

bool HaveSameSignals(const sigset_t& a, const sigset_t& b) {
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&a, number) != sigismember(&b, number)) return false;
  }
  return true;
}

// Reads the mode without changing it, which umask(2) cannot do.
std::optional<mode_t> Umask() {
  constexpr std::string_view kLine = "Umask:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kLine)) return static_cast<mode_t>(std::strtoul(line.c_str() + kLine.size(), nullptr, 8));
  }
  return std::nullopt;
}

std::vector<rlimit> Limits() {
  std::vector<rlimit> limits(RLIM_NLIMITS);
  for (int i = 0; i < RLIM_NLIMITS; ++i)
    getrlimit(static_cast<__rlimit_resource_t>(i), &limits[static_cast<size_t>(i)]);
  return limits;
}

bool RestoreLimits(const std::vector<rlimit>& limits) {
  bool restored = false;
  const std::vector<rlimit> now = Limits();
  for (size_t i = 0; i < limits.size(); ++i) {
    const rlimit &was = limits[i], &is = now[i];
    if (was.rlim_cur == is.rlim_cur && was.rlim_max == is.rlim_max) continue;
    restored |= setrlimit(static_cast<__rlimit_resource_t>(i), &was) == 0;
  }
  return restored;
}

constexpr __itimer_which_t kTimers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

std::vector<bool> Timers() {
  std::vector<bool> running;
  for (const __itimer_which_t timer : kTimers) {
    itimerval left = {};
    running.push_back(getitimer(timer, &left) == 0 && (left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0));
  }
  return running;
}

bool StopTimers(const std::vector<bool>& running) {
  bool stopped = false;
  const std::vector<bool> now = Timers();
  for (size_t i = 0; i < now.size(); ++i) {
    const itimerval none = {};
    if (now[i] && !running[i]) stopped |= setitimer(kTimers[i], &none, nullptr) == 0;
  }
  return stopped;
}

// "a, b and c"; empty for none.
std::string Enumerated(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  }
  return text;
}

}  // namespace

ThreadState::ThreadState() {
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
}

std::string ThreadState::Restore() const {
  std::vector<std::string> changed;
  if (std::string of_floats = floats_.Restore(); !of_floats.empty()) changed.push_back(std::move(of_floats));
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &signals_, &now);
  if (!HaveSameSignals(now, signals_)) changed.emplace_back("the signal mask");
  return Enumerated(changed);
}

ProcessState::ProcessState()
    : umask_(Umask()),
      limits_(Limits()),
      timers_(Timers()),
      locale_(Locale()),
      directory_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

ProcessState::~ProcessState() {
  if (directory_ >= 0) close(directory_);
}

std::string ProcessState::Restore() const {
  std::vector<std::string> changed;
  const std::string of_thread = thread_.Restore();
  if (!of_thread.empty()) changed.push_back(of_thread);
  if (Locale() != locale_ && std::setlocale(LC_ALL, locale_.c_str()) != nullptr) changed.emplace_back("the locale");
  if (directory_ >= 0 && !IsHere(directory_) && fchdir(directory_) == 0) changed.emplace_back("the working directory");
  if (umask_ && Umask() != umask_) {
    umask(*umask_);
    changed.emplace_back("the mode of new files (umask)");
  }
  if (RestoreLimits(limits_)) changed.emplace_back("the resource limits");
  if (StopTimers(timers_)) changed.emplace_back("the timers (setitimer)");
  return Enumerated(changed);
}

namespace {

// [ ... | owner | table ][ guard ]: a table of any level must fit into one page.
static_assert(sizeof(opsrun_host) + sizeof(void*) <= 4096);

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string_view NameOfSlot(uint32_t offset) {
#define OPSRUN_NAME_OF_SLOT(T, slot, n) \
  if (offset == offsetof(T, slot)) return #slot;
#define OPSRUN_NOT_RESERVED(T, slot)
  OPSRUN_FIELDS_HOST(OPSRUN_NAME_OF_SLOT, OPSRUN_NOT_RESERVED)
#if OPSRUN_LEVEL >= 2
  OPSRUN_FIELDS_HOST_2(OPSRUN_NAME_OF_SLOT, OPSRUN_NOT_RESERVED)
#endif
#undef OPSRUN_NAME_OF_SLOT
#undef OPSRUN_NOT_RESERVED
  return {};
}

}  // namespace

GuardedTable::GuardedTable(const opsrun_host& slots, uint32_t level, const void* owner) {
  const size_t page = PageBytes();
  pages_ = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  const uint32_t size = SizeAt<opsrun_host>(level);
  char* const guard = static_cast<char*>(pages_) + page;
  table_ = reinterpret_cast<opsrun_host*>(guard - size);
  std::memcpy(table_, &slots, size);
  table_->size = size;
  table_->level = level;
  std::memcpy(guard - size - sizeof(owner), &owner, sizeof(owner));
  mprotect(pages_, page, PROT_READ);
  mprotect(guard, page, PROT_NONE);
}

GuardedTable::~GuardedTable() {
  munmap(pages_, 2 * PageBytes());
}

const void* GuardedTable::OwnerOf(const opsrun_host* table) {
  const void* owner = nullptr;
  std::memcpy(&owner, reinterpret_cast<const char*>(table) - sizeof(owner), sizeof(owner));
  return owner;
}

std::optional<MissingSlot> SlotBehind(const opsrun_host* table, const void* address) {
  if (table == nullptr) return std::nullopt;
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(table);
  if (offset < table->size || offset >= table->size + PageBytes()) return std::nullopt;
  return MissingSlot{static_cast<uint32_t>(offset), NameOfSlot(static_cast<uint32_t>(offset))};
}

namespace {

constexpr size_t kPiece = 4096;  // fits into an empty pipe on every system, so writes do not block

// A raw system call, because a sanitizer's wrapper of write would read `from` itself.
bool CopyPiece(const int pipe_ends[2], uintptr_t from, size_t n, char* to) {
  ssize_t written = syscall(SYS_write, pipe_ends[1], from, n);
  ssize_t got = written > 0 ? read(pipe_ends[0], to, static_cast<size_t>(written)) : -1;
  return got == static_cast<ssize_t>(n);
}

}  // namespace

bool CheckedReadThroughPipe(const void* from, size_t n, void* to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  bool ok = true;
  for (size_t done = 0; ok && done < n; done += kPiece) {
    ok = CopyPiece(ends, reinterpret_cast<uintptr_t>(from) + done, std::min(kPiece, n - done),
                   static_cast<char*>(to) + done);
  }
  close(ends[0]);
  close(ends[1]);
  return ok;
}

bool CheckedRead(const void* from, size_t n, void* to) {
  if (n == 0) return true;
  iovec local = {to, n};
  iovec remote = {const_cast<void*>(from), n};
  ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (got == static_cast<ssize_t>(n)) return true;
  bool forbidden = got < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
  return forbidden && CheckedReadThroughPipe(from, n, to);
}

}  // namespace opsrun::host

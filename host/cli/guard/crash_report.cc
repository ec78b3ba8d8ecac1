// host/cli/guard/crash_report.cc
// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iterator>
#include <typeinfo>

#include "host/cli/guard/guard.h"

namespace opsrun::host {
namespace {

struct Fault {
  int signal;
  std::string_view name;
};
constexpr Fault kFaults[] = {
    {SIGSEGV, "SIGSEGV, an invalid memory access"},
    {SIGBUS, "SIGBUS, an access to memory that is not there, as of a file that has become shorter"},
    {SIGABRT, "SIGABRT, a call to abort"},
    {SIGILL, "SIGILL, an invalid instruction"},
    {SIGFPE, "SIGFPE, an invalid arithmetic operation"}};
constexpr int kTimeout = SIGUSR2;  // asks the main thread to say what it is doing, and to end the program

// What the handlers of this process need: they have no argument of ours.
struct Program {
  pid_t id = 0;
  timespec begin = {};
  pthread_t main{};
  std::atomic<bool> exiting = false;
  std::atomic<pid_t> reporter = 0;  // the thread that reports the end
  std::atomic<uint64_t> timeout_ms = 0;
  std::atomic<const char*> timeout_option = "";
  std::atomic<int> end = 0;            // the status that the alarm ends the program with
  std::atomic<pid_t> terminating = 0;  // the first thread in the terminate handler, which writes the next field
  CrashText uncaught;
};
Program program;

pid_t ThisThread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

extern "C" void OnAlarm(int) {
  const int status = program.end;
  if (status <= kExitSignal) EndProgram(status);
  std::signal(status - kExitSignal, SIG_DFL);
  kill(program.id, status - kExitSignal);
}

// Code of a plugin runs on this thread, as far as is known.
std::optional<PluginCodeFacts> RunningFacts() {
  const PluginCode* code = RunningCode();
  if (code == nullptr) return std::nullopt;
  const PluginCodeFacts facts = code->Facts();
  if (facts.path.empty()) return std::nullopt;  // a task that outlives the kernel that it was scheduled by
  return facts;
}

// Only one thread reports, once. False: this one does already, and fails at it.
bool BeginReport() {
  pid_t none = 0;
  const pid_t me = ThisThread();
  if (program.reporter.compare_exchange_strong(none, me)) return true;
  if (none == me) return false;
  for (;;) pause();
}

// Written in place, it has changed under the code that runs.
bool WasWrittenMeanwhile(std::string_view path) {
  char name[4096] = "";
  struct stat status = {};
  if (path.size() >= sizeof(name)) return false;
  std::copy(path.begin(), path.end(), name);
  if (stat(name, &status) != 0) return false;
  const timespec &written = status.st_mtim, &begin = program.begin;
  return written.tv_sec != begin.tv_sec ? written.tv_sec > begin.tv_sec : written.tv_nsec > begin.tv_nsec;
}

bool IsLoading(const std::optional<PluginCodeFacts>& facts) {
  return facts && (facts->phase == PluginPhase::kLoad || facts->phase == PluginPhase::kEntry);
}

constexpr std::string_view kAtExit = " after the work was done, in a static destructor or an exit handler";

constexpr std::string_view kHelpCrashed =
    "remove or rebuild the plugin, or report the crash to its author, who can find it with --check-memory or gdb";
constexpr std::string_view kHelpWritten =
    "run it again: the file was overwritten while in use; write plugins under another name, then rename them";

// exit: that of the program, if taking the backtrace takes too long.
void AddBacktrace(const void* context, int exit, CrashDiagnostic& d) {
  if (!HasBacktraces()) {
    d.notes[2] << "no backtrace: opsrun-backtrace, which needs libdw, is not installed";
    return;
  }
  EndSoon(exit, kBacktraceSeconds + kSecondsToReport);
  d.backtrace = TakeBacktrace(context);
  EndSoon(exit);
}

// A fault, as the message has it.
struct FaultText {
  CrashText text;
  const void* address = nullptr;  // of the invalid access, if it is known
};

void ReportFault(const FaultText& fault, const void* context, int exit) {
  CrashDiagnostic d;
  AddBacktrace(context, exit, d);
  if (const std::optional<PluginCodeFacts> facts = RunningFacts()) {
    d.code = IsLoading(facts) ? Code("P106") : Code("R406");
    Subject(*facts, d);
    d.message << " crashed ";
    AppendPhase(*facts, d.message);
    d.message << ": ";
    if (const std::optional<MissingSlot> missing = SlotBehind(facts->host, fault.address)) {
      DescribeMissing(*missing, *facts->host, d);
    } else {
      d.message << fault.text.view();
      d.help[0] << (WasWrittenMeanwhile(facts->path) ? kHelpWritten : kHelpCrashed);
    }
    Describe(*facts, d);
    KeepNode(facts->kept, exit, d);
  } else if (const std::string_view file = FileOnStack(); !file.empty()) {
    d.code = Code("R406");
    d.message << "'" << file << "' crashed" << (program.exiting ? kAtExit : " on a thread of its own") << ": "
              << fault.text.view();
    d.help[0] << kHelpCrashed;
  } else {
    d.code = Code("B000");
    d.message << "internal error: " << fault.text.view();
    d.help[0] << "please report it, with the command line and its files";
  }
  WriteCrash(d);
}

void Describe(int signal, const siginfo_t& info, const void* context, FaultText& fault) {
  constexpr uintptr_t kFirstPage = 4096;
  const auto* const known =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const Fault& f) { return f.signal == signal; });
  const bool stack = IsStackOverflow(signal, info, context);
  fault.text << (stack ? "SIGSEGV, a stack overflow" : known->name);
  // Of an address that no memory can have, the system says only that there was one.
  if ((signal != SIGSEGV && signal != SIGBUS) || info.si_code <= 0 || info.si_code == SI_KERNEL) return;
  fault.address = info.si_addr;
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  if (stack) return;
  fault.text << " at address ";
  fault.text.AppendHex(address);
  if (address < kFirstPage) fault.text << ", a null pointer";
}

extern "C" void OnFault(int signal, siginfo_t* info, void* context) {
  const bool sent_from_outside = info->si_code == SI_USER && info->si_pid != program.id;
  if (!sent_from_outside && BeginReport()) {
    // Another thread may hold the dynamic linker's lock, and writing to standard error may block.
    EndSoon(kExitSignal + signal);
    FaultText fault;
    if (program.terminating == ThisThread()) {
      fault.text = program.uncaught;
    } else {
      Describe(signal, *info, context, fault);
    }
    ReportFault(fault, context, kExitSignal + signal);
    alarm(0);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Describes the uncaught exception, as far as it is known.
[[noreturn]] void OnTerminate() {
  pid_t none = 0;
  if (!program.terminating.compare_exchange_strong(none, ThisThread())) {
    for (;;) pause();
  }
  CrashText& text = program.uncaught;
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) {
    text << "a call to std::terminate";
    std::abort();
  }
  int failed = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed);
  text << "an exception that cannot be caught, " << (failed == 0 ? name : type->name());
  try {
    throw;
  } catch (const std::exception& error) {
    text << ": " << error.what();
  } catch (...) {
  }
  std::abort();
}

void ReportEnd(const char* function, const void* caller) {
  CrashDiagnostic d;
  const std::optional<PluginCodeFacts> facts = RunningFacts();
  d.code = IsLoading(facts) ? Code("P107") : Code("R407");
  EndSoon(d.code.exit());                                         // writing to standard error may block
  if (std::string_view(function) == "exit") std::fflush(stdout);  // as exit would: it may say why
  if (facts) {
    Subject(*facts, d);
    d.message << " called " << function << " ";
    AppendPhase(*facts, d.message);
    Describe(*facts, d);
  } else {
    const std::string_view file = caller == nullptr ? FileOnStack() : FileAt(caller);
    d.message << "'" << (file.empty() ? "unknown code" : file) << "' called " << function
              << (program.exiting ? kAtExit : " on a thread of its own");
  }
  d.help[0] << "report it to the plugin's author: a plugin reports failures with OP_REQUIRES or host->fail";
  AddBacktrace(nullptr, d.code.exit(), d);
  if (facts) KeepNode(facts->kept, d.code.exit(), d);
  WriteCrash(d);
  EndProgram(d.code.exit());
}

// For what the C library ends by itself, such as error() and err().
void OnExit() {
  if (getpid() != program.id || (RunningCode() == nullptr && program.exiting)) return;
  if (BeginReport()) ReportEnd("exit", nullptr);
}

// facts: of what runs on the main thread. context: of its signal handler; null: nothing is known.
void ReportTimeout(const std::optional<PluginCodeFacts>& facts, const void* context) {
  CrashDiagnostic d;
  d.code = Code("R403");
  const auto ms = static_cast<int64_t>(program.timeout_ms.load());
  const bool whole = ms % 1000 == 0;
  d.message << "stopped by " << program.timeout_option.load() << " after " << (whole ? ms / 1000 : ms)
            << (whole ? " s" : " ms");
  if (facts) {
    d.message << "; ";
    Subject(*facts, d);
    d.message << " was busy ";
    AppendPhase(*facts, d.message);
    Describe(*facts, d);
  } else if (program.exiting) {
    d.message << "; the work was done, but a static destructor or an exit handler did not return";
  } else if (context != nullptr) {
    d.message << "; opsrun was reading, planning or writing";
  }
  d.help[0] << "raise " << program.timeout_option.load() << ", or remove it";
  if (context != nullptr && (facts || program.exiting)) AddBacktrace(context, kExitTimeout, d);
  WriteCrash(d);
}

extern "C" void OnTimeout(int, siginfo_t*, void* context) {
  if (program.timeout_ms == 0 || !BeginReport()) return;
  ReportTimeout(RunningFacts(), context);
  EndProgram(kExitTimeout);
}

void HandleSignal(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction now = {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void ReportCrashes() {
  clock_gettime(CLOCK_REALTIME, &program.begin);
  program.id = getpid();
  program.main = pthread_self();
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs now, since it allocates
  PrepareBacktraces();
  SetAlternateStackOfMainThread();
  for (const Fault& fault : kFaults) HandleSignal(fault.signal, OnFault);
  std::set_terminate(OnTerminate);
  std::atexit(OnExit);
}

void EndProgram(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void EndSoon(int status, unsigned seconds) {
  program.end = status;
  struct sigaction action = {};
  action.sa_handler = OnAlarm;
  sigaction(SIGALRM, &action, nullptr);
  alarm(seconds);
}

// Each thread that leaves through exit takes one handler off the list, and the next thread the one before it: as many
// are needed as there are threads, or a second one would end the program while the first one still reports.
void PrepareThread() {
  MakeAlternateStack();
  thread_local const int registered = std::atexit(OnExit);
  static_cast<void>(registered);
}

void EnterExit() {
  program.exiting = true;
}

void CheckExitCall(const char* function, const void* caller) {
  if (program.id == 0 || getpid() != program.id || IsOurs(caller)) return;
  if (BeginReport()) ReportEnd(function, caller);
}

void EndByTimeout(uint64_t timeout_ms, const char* option) {
  program.timeout_option = option;
  program.timeout_ms = timeout_ms;
  struct sigaction action = {};
  action.sa_sigaction = OnTimeout;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(kTimeout, &action, nullptr);
  pthread_kill(program.main, kTimeout);
  sleep(1);  // a plugin may have blocked the signal
  pid_t none = 0;
  if (program.reporter.compare_exchange_strong(none, ThisThread())) {
    ReportTimeout(std::nullopt, nullptr);
  } else {
    sleep(kBacktraceSeconds + 1);  // writing to standard error may block
  }
  EndProgram(kExitTimeout);
}

}  // namespace opsrun::host

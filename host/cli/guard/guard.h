// host/cli/guard/guard.h: reports crashes and exits of the program that plugin code causes, and handles Ctrl-C, SIGTERM
// and --timeout.
//
// Part of the program, not of the library, because signal handlers, alternate stacks and the terminate handler belong
// to the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "host/base/plugin_code.h"
#include "host/cli/guard/backtrace.h"
#include "host/run/lane.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {

// From now on, SIGSEGV, SIGBUS, SIGABRT, SIGILL and SIGFPE are reported with the plugin, its file, the op, the node,
// the place in the graph, and the current activity; then the signal ends the program. std::terminate is reported too.
// Handlers of sanitizers are kept. Call it once, on the main thread.
void ReportCrashes();

// Sets the format of later reports.
void SetCrashFormat(ErrorFormat format);
// Writes later reports to this descriptor, as the records of host/isolate/report.h.
void SetCrashRecords(int descriptor);

// Call this on each thread that runs plugin code, once or more often. Sets an alternate stack for signal handlers,
// which lasts until the thread ends, so that stack overflows and attempts of this thread to end the program can be
// reported.
void PrepareThread();

// Call this before main returns: static destructors and exit handlers run next.
void EnterExit();

// Called when exit, _exit, _Exit or quick_exit is called, or when a thread that opsrun needs is ended. caller: the
// return address of the call. Returns if the program itself made the call; otherwise reports it and ends the program.
void CheckExitCall(const char* function, const void* caller);

// Ends the program without exit handlers and without taking locks.
[[noreturn]] void EndProgram(int status);

// Ends the program after some seconds if it is still running, in case writing a report blocks.
inline constexpr unsigned kSecondsToReport = 2;
void EndSoon(int status, unsigned seconds = kSecondsToReport);

// The timeout has expired, in a plugin or elsewhere: ends the program with R403 and the current activity of the main
// thread. Call it on another thread. option: which option has set it, to this value.
[[noreturn]] void EndByTimeout(uint64_t timeout_ms, const char* option = "--timeout");

// Text of at most kMost bytes; longer text is truncated.
class CrashText {
 public:
  static constexpr size_t kMost = 1024;

  CrashText& operator<<(std::string_view text);
  CrashText& operator<<(int64_t number);
  CrashText& AppendHex(uint64_t number);  // "0x10"
  std::string_view view() const { return {bytes_, size_}; }
  bool empty() const { return size_ == 0; }

 private:
  char bytes_[kMost];
  size_t size_ = 0;
};

// A diagnostic with fixed storage. Empty texts are omitted.
struct CrashDiagnostic {
  Code code;
  CrashText message;
  CrashText help[2];   // what to do; how to replay the node
  CrashText notes[4];  // the plugin; the inputs and the device; why there is no backtrace; why it cannot be replayed
  std::span<const CrashFrame> backtrace;
  const SourceFile* source = nullptr;
  Span where;
};

// In the formats of render_diagnostics.h, without color. Does not allocate, so signal handlers may call it.
void WriteCrash(int descriptor, const CrashDiagnostic& d, ErrorFormat format);
// The same, to where reports go.
void WriteCrash(const CrashDiagnostic& d);

// "inputs: int32 [2, 3], float32 []; device: cpu", as far as it is known and can be read. Async-signal-safe.
void AppendInputs(const PluginCodeFacts& facts, CrashText& text);

// The location, the plugin, and what AppendInputs knows.
void Describe(const PluginCodeFacts& facts, CrashDiagnostic& d);

// Writes the folder of --repro-dir for a node whose kernel runs, with this report, and adds to it how to replay the
// node. Otherwise does nothing. exit: that of the program, if writing takes too long.
void KeepNode(const RunningNode& kept, int exit, CrashDiagnostic& d);

// Begins the message: "plugin 'name'".
void Subject(const PluginCodeFacts& facts, CrashDiagnostic& d);

// The plugin used a slot that its host's table does not have.
void DescribeMissing(const MissingSlot& slot, const opsrun_host& table, CrashDiagnostic& d);

// info, context: of a signal handler.
bool IsStackOverflow(int signal, const siginfo_t& info, const void* context);

// Why the code was called: "in the kernel of node 'z' (op Sum)".
void AppendPhase(const PluginCodeFacts& facts, CrashText& text);

// Sets an alternate stack for the calling thread, unless it has one or memory is exhausted. It is freed when the thread
// ends.
void MakeAlternateStack();

// The same for the main thread, in static memory. [main thread]
void SetAlternateStackOfMainThread();

// The functions below take the dynamic linker's lock and do not allocate. The texts belong to the dynamic linker and
// are valid until the file is closed.

// The file that contains `address`; empty if there is none.
std::string_view FileAt(const void* address);

// True if `address` is in this program.
bool IsOurs(const void* address);

// The innermost file on the calling thread's stack that is neither the program nor part of the system; may be empty.
std::string_view FileOnStack();

struct StopCause {
  int signal = 0;  // SIGINT or SIGTERM; 0: the timeout
};

// Enforces --timeout from its construction on, and handles SIGINT and SIGTERM while graphs run. At most one per
// process.
//
// At the timeout, it ends the program, whatever that is doing: loading plugins, planning, writing outputs, destroying
// kernels. This stays so after the object is destroyed, since static destructors may hang too. While graphs run, the
// timeout and the two signals ask them to stop instead.
class StopWatcher {
 public:
  // All are called on a separate thread.
  struct Hooks {
    // Returns whether some running kernel can be asked to stop, and thus gets time for it.
    std::function<bool()> can_be_asked;
    // The kernels did not return in time, or the user asked twice. Must not return.
    std::function<void(const StopCause&)> give_up;
    // Called periodically; may be empty.
    std::function<void()> tick;
    // Only a second request gives up; what runs may end.
    bool waits = false;
  };

  explicit StopWatcher(uint64_t timeout_ms);  // 0: no timeout
  StopWatcher(const StopWatcher&) = delete;
  ~StopWatcher() { EndRuns(); }

  // False without a thread, which a timeout or the first runs start. If none can be started, there is no timeout, and
  // signals end the program.
  bool watches() const { return state_ != nullptr; }

  // From now on, `stop` is what stops the runs.
  void BeginRuns(StopSignal& stop, Hooks hooks);
  // If the timeout has expired by now, allows a short time to end cleanly.
  void EndRuns();

  // Why the runs were asked to stop; nothing if they were not.
  std::optional<StopCause> cause() const;

  // From BeginRuns to EndRuns, also if a run throws: hooks refer to what ends after this object.
  class Runs {
   public:
    Runs(StopWatcher& watcher, StopSignal& stop, Hooks hooks) : watcher_(watcher) {
      watcher_.BeginRuns(stop, std::move(hooks));
    }
    Runs(const Runs&) = delete;
    ~Runs() { watcher_.EndRuns(); }

   private:
    StopWatcher& watcher_;
  };

 private:
  struct State;

  void Start();

  std::shared_ptr<State> state_;  // shared with the thread
  std::thread thread_;            // without a timeout, it ends with the runs; otherwise it outlives this object
  std::optional<std::chrono::steady_clock::time_point> timeout_;
  uint64_t timeout_ms_;
};

}  // namespace opsrun::host

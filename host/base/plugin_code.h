// host/base/plugin_code.h: how the host calls plugins: records whose code runs on a thread, catches its exceptions, and
// restores the floating-point mode.
//
// Crash reports call RunningCode in signal handlers. So everything that they read outlives the call, and reading it
// takes no lock and no allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Why the code was called.
enum class PluginPhase {
  kLoad,      // its static constructors
  kEntry,     // opsrun_plugin_v1
  kShape,     // a shape function
  kCreate,    // a kernel is created
  kCompute,   // a kernel runs
  kDestroy,   // a kernel is destroyed
  kResource,  // a shared object is destroyed
  kShutdown,  // opsrun_plugin::shutdown
};

// What is known about the code; empty where it does not apply.
struct PluginCodeFacts {
  PluginPhase phase = PluginPhase::kLoad;
  std::string_view path;  // of the plugin file
  std::string_view name;  // of the plugin
  std::string_view version;
  std::string_view op;
  std::string_view node;
  const SourceFile* source = nullptr;  // of the node
  Span where;
  const opsrun_host* host = nullptr;  // the table it may use; a GuardedTable in a program that reports crashes
};

// One call, or all calls of one thread of a run.
class PluginCode {
 public:
  // Async-signal-safe on the thread that runs the code.
  virtual PluginCodeFacts Facts() const = 0;

 protected:
  ~PluginCode() = default;
};

class SingleCall final : public PluginCode {
 public:
  explicit SingleCall(const PluginCodeFacts& facts) : facts_(facts) {}
  PluginCodeFacts Facts() const override { return facts_; }

 private:
  const PluginCodeFacts facts_;
};

// The code that runs on this thread, or null. A thread that helps with a call must be given the caller's value.
const PluginCode* RunningCode();

// Marks `code` as running for the lifetime of this object, which it must outlive. null: no plugin code is running.
class RunningMark {
 public:
  explicit RunningMark(const PluginCode* code);
  RunningMark(const RunningMark&) = delete;
  ~RunningMark();

 private:
  const PluginCode* const outer_;
};

// The floating-point mode of the calling thread at construction: rounding, subnormal numbers, and which exceptions trap
// (SIGFPE). A plugin built with -Ofast changes the mode when it is loaded; one that debugs NaNs in its own kernel may
// leave traps enabled that then kill other plugins.
class FloatingPointMode {
 public:
  FloatingPointMode();

  // Restores what has changed, and names it: "the floating-point mode (traps, rounding)"; empty if nothing has.
  std::string Restore() const;

  // Nonzero if Restore has something to do, except if only the x87 unit was changed. Takes a cycle or two, so it can be
  // called after every kernel.
  uint32_t Change() const {
#if defined(__x86_64__)
    uint32_t mxcsr = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    return (mxcsr ^ static_cast<uint32_t>(mode_)) & ~kFlags;
#else
    return static_cast<uint32_t>(ReadMode() ^ mode_);
#endif
  }

 private:
  static constexpr uint32_t kFlags = 0x3F;  // MXCSR: exceptions that have occurred, which are not part of the mode

  static uint64_t ReadMode();
  static void WriteMode(uint64_t mode);

  uint64_t mode_;  // x86-64: MXCSR without flags, and above it the x87 control word; aarch64: FPCR
};

// Runs plugin code and returns the exception that it threw, if any. An exception that cannot unwind the plugin's own
// code ends the program before it can be caught here. The end of a thread (pthread_exit) is not an exception and
// continues.
struct Thrown {
  std::string text;  // empty: the exception has no text
  bool out_of_memory = false;

  // "threw an exception: std::bad_alloc"
  std::string Sentence() const;
};
template <typename Fn>
std::optional<Thrown> CatchThrown(Fn&& fn) {
  try {
    fn();
    return std::nullopt;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return Thrown{"std::bad_alloc", true};
  } catch (const std::exception& error) {
    return Thrown{error.what(), false};
  } catch (...) {
    return Thrown{};
  }
}

// For calls whose result is unused, such as a destructor or a shutdown: logs the exception through `host`.
void LogThrown(const PluginCodeFacts& facts, const opsrun_host* host, const Thrown& thrown);
template <typename Fn>
void CallAtEnd(const SingleCall& call, const opsrun_host* host, Fn&& fn) {
  const RunningMark mark(&call);
  const FloatingPointMode floats;
  if (const std::optional<Thrown> thrown = CatchThrown(fn)) LogThrown(call.Facts(), host, *thrown);
  floats.Restore();
}

// State that a plugin must not change.

// The floating-point mode and the signal mask of the calling thread at construction.
class ThreadState {
 public:
  ThreadState();

  // Restores what has changed, and names it: "the signal mask"; empty if nothing has.
  std::string Restore() const;

 private:
  const FloatingPointMode floats_;
  sigset_t signals_;
};

// ThreadState, and the state of the process: locale, working directory, mode of new files, resource limits and timers,
// through which one plugin could break another. For programs that own their process; other threads must not change this
// state meanwhile.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ~ProcessState();

  // As ThreadState::Restore. What cannot be restored is not named.
  std::string Restore() const;

 private:
  const ThreadState thread_;
  const std::optional<mode_t> umask_;  // unknown without /proc
  const std::vector<rlimit> limits_;   // indexed by resource
  const std::vector<bool> timers_;     // indexed by timer: whether it is running
  std::string locale_;
  int directory_;  // descriptor; -1 if it cannot be opened
};

}  // namespace opsrun::host

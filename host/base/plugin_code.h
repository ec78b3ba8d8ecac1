// host/base/plugin_code.h: the functions through which the host calls plugins. They record which code runs on a thread,
// catch what it throws, and restore the floating-point unit.
//
// A program that reports crashes calls RunningCode in its signal handlers. Everything that is read there therefore
// lives longer than the call, and is read without a lock or an allocation.
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

// What is known about it; empty where it does not apply.
struct PluginCodeFacts {
  PluginPhase phase = PluginPhase::kLoad;
  std::string_view path;  // of the plugin file
  std::string_view name;  // of the plugin
  std::string_view version;
  std::string_view op;
  std::string_view node;
  const SourceFile* source = nullptr;  // of the node
  Span where;
  const opsrun_host* host = nullptr;  // whose functions it may call; a GuardedTable in a program that reports crashes
};

// One call, or the calls of a thread of a run.
class PluginCode {
 public:
  // A signal handler of the thread that runs the code may call it.
  virtual PluginCodeFacts Facts() const = 0;

 protected:
  ~PluginCode() = default;
};

// The facts of a single call.
class SingleCall final : public PluginCode {
 public:
  explicit SingleCall(const PluginCodeFacts& facts) : facts_(facts) {}
  PluginCodeFacts Facts() const override { return facts_; }

 private:
  const PluginCodeFacts facts_;
};

// The code that runs on this thread; null if none. If another thread works for the same call, the value must be passed
// on.
const PluginCode* RunningCode();

// Marks `code` as running for the lifetime of this object. `code` must outlive it; null: no code is running.
class RunningMark {
 public:
  explicit RunningMark(const PluginCode* code);
  RunningMark(const RunningMark&) = delete;
  ~RunningMark();

 private:
  const PluginCode* const outer_;
};

// What of the floating-point unit belongs to the calling thread, at the time of construction: rounding, subnormal
// numbers, and which exceptions are traps (SIGFPE). A plugin that was built with -Ofast changes the mode while it is
// loaded; one that looks for NaN in its own kernel may leave traps on, in which others would be caught.
class FloatingPointMode {
 public:
  FloatingPointMode();

  // Restores what has changed since, and names it: "the floating-point mode (traps, rounding)"; empty if nothing has.
  std::string Restore() const;

  // Not 0 if Restore has something to do, except if the x87 unit alone was changed. It takes a cycle or two, so that it
  // can be asked after every kernel.
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
  static constexpr uint32_t kFlags = 0x3F;  // of MXCSR: what has happened, not what is to happen

  static uint64_t ReadMode();
  static void WriteMode(uint64_t mode);

  uint64_t mode_;  // x86-64: MXCSR without flags, and above it the control word of the x87 unit; aarch64: FPCR
};

// Runs code of a plugin and catches its exceptions. The result is their text, such as "std::bad_alloc", or nothing if
// there was no exception. An exception that cannot pass through the plugin's own code ends the program before it can be
// caught here. The end of a thread (pthread_exit) is not an exception and continues.
struct Thrown {
  std::string text;  // empty: the type of the exception has no text
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

// For calls whose result is not used: a destructor, a shutdown. Logs the exception through `host`.
void LogThrown(const PluginCodeFacts& facts, const opsrun_host* host, const Thrown& thrown);
template <typename Fn>
void CallAtEnd(const SingleCall& call, const opsrun_host* host, Fn&& fn) {
  const RunningMark mark(&call);
  const FloatingPointMode floats;
  if (const std::optional<Thrown> thrown = CatchThrown(fn)) LogThrown(call.Facts(), host, *thrown);
  floats.Restore();
}

// What a plugin must leave as it is.

// The floating-point mode and the signal mask of the calling thread, as they are when it is made.
class ThreadState {
 public:
  ThreadState();

  // Restores what has changed since, and names it: "the signal mask"; empty if nothing has.
  std::string Restore() const;

 private:
  const FloatingPointMode floats_;
  sigset_t signals_;
};

// The same, and what belongs to the whole process: locale, working directory, mode of new files, resource limits and
// timers, through which one plugin could make another one fail. For programs that own their process; other threads must
// not change them meanwhile.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ~ProcessState();

  // As of ThreadState. What cannot be restored is not named.
  std::string Restore() const;

 private:
  const ThreadState thread_;
  const std::optional<mode_t> umask_;  // unknown without /proc
  const std::vector<rlimit> limits_;   // by number
  const std::vector<bool> timers_;     // by number: whether it runs
  std::string locale_;
  int directory_;  // a descriptor; -1 if it cannot be opened
};

}  // namespace opsrun::host

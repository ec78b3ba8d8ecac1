// host/base/plugin_code.h: how the host calls plugins: records whose code runs on a thread, catches its exceptions,
// restores the floating-point mode, and keeps the table of its functions where plugins cannot write to it.
//
// Crash reports call RunningCode in signal handlers. So everything that they read outlives the call, and reading it
// takes no lock and no allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
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
  kLoad,       // its static constructors
  kEntry,      // opsrun_plugin_v1
  kShape,      // a shape function
  kCreate,     // a kernel is created
  kWorkspace,  // a kernel says how much memory it will need
  kCompute,    // a kernel runs
  kDestroy,    // a kernel is destroyed
  kResource,   // a shared object is destroyed
  kShutdown,   // opsrun_plugin::shutdown
};

class ReproFolder;  // host/run/repro.h
class ReproRecord;

// The inputs of a node whose kernel runs, and where to write them if it fails; null: they are not kept.
struct RunningNode {
  ReproFolder* folder = nullptr;
  ReproRecord* record = nullptr;
};

// What is known about the code; empty where it does not apply.
struct PluginCodeFacts {
  PluginPhase phase = PluginPhase::kLoad;
  std::string_view path;  // of the plugin file
  std::string_view name;  // of the plugin
  std::string_view version;
  std::string_view op;
  std::string_view node;
  std::string_view last_node;          // that its kernel computes, too; empty: none
  const SourceFile* source = nullptr;  // of the node
  Span where;
  std::string_view device;            // that the node is on
  const opsrun_call* call = nullptr;  // of a kernel that runs
  RunningNode kept;
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

  int32_t code() const { return out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL; }
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

// The table of the host's functions. Plugins cannot write to it. An unreadable page follows the last slot: a plugin
// that uses a slot of a later level without checking OPSRUN_HAS crashes there, and the address of the fault identifies
// the slot.
class GuardedTable {
 public:
  // Copies the slots of the level, and fills in size and level. owner: see OwnerOf. Throws std::bad_alloc if memory
  // runs out.
  GuardedTable(const opsrun_host& slots, uint32_t level, const void* owner);
  GuardedTable(const GuardedTable&) = delete;
  ~GuardedTable();

  const opsrun_host* get() const { return table_; }

  // Requires: `table` belongs to a GuardedTable.
  static const void* OwnerOf(const opsrun_host* table);

 private:
  void* pages_;
  opsrun_host* table_;
};

// A slot that a plugin used although the table lacks it.
struct MissingSlot {
  uint32_t offset = 0;    // in opsrun_host
  std::string_view name;  // empty: unknown to this header, too
};

// The missing slot if `address` is right behind the table. Async-signal-safe. Requires: `table` belongs to a
// GuardedTable, or is null.
std::optional<MissingSlot> SlotBehind(const opsrun_host* table, const void* address);

// The sizes of the contract's growing structs at each level.

// The size at level 1, which every plugin and every host supports.
template <typename T>
inline constexpr uint32_t kLevel1Size = 0;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_resource> = OPSRUN_LEVEL_1_SIZE_RESOURCE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_host> = OPSRUN_LEVEL_1_SIZE_HOST;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_call> = OPSRUN_LEVEL_1_SIZE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_create> = OPSRUN_LEVEL_1_SIZE_CREATE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_shape_call> = OPSRUN_LEVEL_1_SIZE_SHAPE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_op> = OPSRUN_LEVEL_1_SIZE_OP;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_kernel> = OPSRUN_LEVEL_1_SIZE_KERNEL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_plugin> = OPSRUN_LEVEL_1_SIZE_PLUGIN;

// The size of a growing struct at a level, from 1 to OPSRUN_LEVEL, for what a host of that level creates and reads.
template <typename T>
constexpr uint32_t SizeAt(uint32_t level) {
  static_assert(kLevel1Size<T> != 0, "a growing struct of the contract");
  return level <= 1 ? kLevel1Size<T> : static_cast<uint32_t>(sizeof(T));
}

// Copies n bytes from any address. Returns false if some cannot be read; *to is then undefined. The kernel copies the
// bytes and returns EFAULT instead of raising a signal. Thread-safe.
bool CheckedRead(const void* from, size_t n, void* to);

// The same through a pipe, for systems where a process cannot read itself. Only for CheckedRead and its test.
bool CheckedReadThroughPipe(const void* from, size_t n, void* to);

}  // namespace opsrun::host

// host/base/plugin_code.h: the doors through which the host calls plugins: which code runs on a thread, what it throws,
// and what it does to the floating-point unit.
//
// A program that reports crashes asks RunningCode in its signal handlers. So everything that is read there lives longer
// than the call, and is read without a lock or an allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// What the code was called for.
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
};

// One call, or the calls of a thread of a run.
class PluginCode {
 public:
  // May be called by a signal handler of the thread that runs the code.
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

// What runs on this thread; null: nothing. Another thread that works for the same call passes it on.
const PluginCode* RunningCode();

// Says so while it lives. `code` outlives it; null: nothing runs.
class RunningMark {
 public:
  explicit RunningMark(const PluginCode* code);
  RunningMark(const RunningMark&) = delete;
  ~RunningMark();

 private:
  const PluginCode* const outer_;
};

// The rounding mode and the treatment of subnormal numbers, of the calling thread, as they are when it is made. A
// plugin that was built with -Ofast changes them for all others.
class FloatingPointMode {
 public:
  FloatingPointMode();
  // Sets back what has changed since; false if nothing has.
  bool Restore() const;

 private:
  uint64_t mode_;
};

// Runs code of a plugin and stops its exceptions: what they say, "std::bad_alloc" for example; nothing if there was
// none. An exception that cannot pass through the plugin's own code ends the program before it comes here. The end of
// a thread (pthread_exit) is none, and goes on.
struct Thrown {
  std::string text;  // empty: of a type that says nothing
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

// Calls what nobody waits for: a destructor, a shutdown. An exception is logged, through `host`.
void LogThrown(const PluginCodeFacts& facts, const opsrun_host* host, const Thrown& thrown);
template <typename Fn>
void CallAtEnd(const SingleCall& call, const opsrun_host* host, Fn&& fn) {
  const RunningMark mark(&call);
  const FloatingPointMode floats;
  if (const std::optional<Thrown> thrown = CatchThrown(fn)) LogThrown(call.Facts(), host, *thrown);
  floats.Restore();
}

}  // namespace opsrun::host

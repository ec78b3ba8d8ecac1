// host/cli/guard/backtrace.h: the stack of a thread as functions and source lines, for reports of crashes.
//
// A process that has crashed only copies what is needed; opsrun-backtrace, which is another process, makes sense of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// A StackFrame (host/base/diagnostic.h) with borrowed texts; numbers are decimal digits.
struct CrashFrame {
  std::string_view text, function, file, line, module, left_out;
};

// What TakeBacktrace needs. Call it once, before it.
void PrepareBacktraces();

// Whether opsrun-backtrace is installed.
bool HasBacktraces();

// The stack of the calling thread, without the host's frames around it. context: of a signal handler, or null: that of
// the caller. Async-signal-safe; takes at most kBacktraceSeconds. Empty if there is nothing to show, if another thread
// is in this function, or if anything fails. The frames are valid until the next call.
std::span<const CrashFrame> TakeBacktrace(const void* context);
inline constexpr unsigned kBacktraceSeconds = 5;

// From now on, TakeBacktrace only writes what opsrun-backtrace has to know to this empty file, and returns nothing: in
// a sandbox, no program can be started. Whoever has the file asks.
void LeaveStackIn(int file);

// The stack of the main thread, for another thread. Interrupts its system calls. Empty as above, or if the main thread
// does not answer.
std::vector<StackFrame> BacktraceOfMainThread();

}  // namespace opsrun::host

// host/cli/guard/crash_report.h: reports crashes and other ends of the program that code of a plugin causes.
//
// It is part of the program, not of the library: signal handlers, alternate stacks and the terminate handler belong to
// the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/show/render_diagnostics.h"

namespace opsrun::host {

// From now on, SIGSEGV, SIGBUS, SIGABRT, SIGILL and SIGFPE are reported with the plugin, its file, the op, the node,
// the place in the graph, and the current activity; then the signal ends the program. std::terminate is reported too.
// Handlers of sanitizers are kept. Call it once, on the main thread.
void ReportCrashes();

// Sets the format of later reports.
void SetCrashFormat(ErrorFormat format);

// For each thread that runs code of plugins, once or more often. Gives it a stack for signal handlers, until it ends, so
// that a stack overflow can be reported, and lets it be reported if this thread ends the program.
void PrepareThread();

// The program is about to return from main: from now on, static destructors and exit handlers run.
void EnterExit();

// Called when exit, _exit, _Exit or quick_exit is called, or a thread that opsrun needs is ended. caller: the return
// address of the call. Returns if the call comes from the program itself; otherwise reports it and ends the program.
void CheckExitCall(const char* function, const void* caller);

// Ends the program without exit handlers, and without locks.
[[noreturn]] void EndProgram(int status);

// Ends it after two seconds, unless it has ended by then: for reports that may not be read by anyone.
void EndSoon(int status);

// The time is over, in a plugin or elsewhere: ends the program from its own thread, with R403 and the current activity
// of the main thread. timeout_ms: the value of --timeout.
[[noreturn]] void EndByTimeout(uint64_t timeout_ms);

}  // namespace opsrun::host

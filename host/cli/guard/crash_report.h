// host/cli/guard/crash_report.h: reports crashes and exits of the program that plugin code causes.
//
// Part of the program, not of the library, because signal handlers, alternate stacks and the terminate handler belong
// to the process.
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

// Ends the program after two seconds if it is still running, in case writing a report blocks.
void EndSoon(int status);

// The timeout has expired, in a plugin or elsewhere: ends the program with R403 and the current activity of the main
// thread. Call it on another thread. timeout_ms: the value of --timeout.
[[noreturn]] void EndByTimeout(uint64_t timeout_ms);

}  // namespace opsrun::host

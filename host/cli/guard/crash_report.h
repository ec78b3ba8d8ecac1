// host/cli/guard/crash_report.h: the last words of a program that code of a plugin ends.
//
// Of the program, not of the library: signal handlers, alternate stacks and the terminate handler belong to the
// process. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/show/render_diagnostics.h"

namespace opsrun::host {

// From now on SIGSEGV, SIGBUS, SIGABRT, SIGILL and SIGFPE are reported with the plugin, its file, the op, the node and
// the place in the graph, and what it was doing; then the program dies of the signal. Also std::terminate. Leaves alone
// what a sanitizer has set up. Once, by the main thread.
void ReportCrashes();

// How reports are written from now on.
void SetCrashFormat(ErrorFormat format);

// Gives the calling thread a stack for signal handlers, so that a stack overflow can be reported; until the thread
// ends.
void UseAlternateStack();

// The program has done its work and returns from main: what runs now are static destructors and exit handlers.
void EnterExit();

// Somebody calls exit, _exit, _Exit or quick_exit, or ends a thread that opsrun needs. caller: the address that the
// call returns to. Returns if that is the program's own right; otherwise reports it and ends the program.
void CheckExitCall(const char* function, const void* caller);

// A plugin has not come back in time, or nothing else has: ends the program from a thread of its own, with R403 and
// what the main thread is doing. timeout_ms: what --timeout said.
[[noreturn]] void EndByTimeout(uint64_t timeout_ms);

}  // namespace opsrun::host

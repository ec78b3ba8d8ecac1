// host/cli/guard/alternate_stack.h: a stack for signal handlers, which must run after a stack overflow, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opsrun::host {

// Gives one to the calling thread, unless it has one already or there is no memory. It is freed when the thread ends.
void MakeAlternateStack();

// The same for the main thread, in static memory. [main thread]
void SetAlternateStackOfMainThread();

}  // namespace opsrun::host

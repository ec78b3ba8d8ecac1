// host/cli/guard/alternate_stack.h: stacks for signal handlers, which must also run after a stack overflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opsrun::host {

// Sets one for the calling thread, unless it has one or memory is exhausted. It is freed when the thread ends.
void MakeAlternateStack();

// The same for the main thread, in static memory. [main thread]
void SetAlternateStackOfMainThread();

}  // namespace opsrun::host

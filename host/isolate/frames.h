// host/isolate/frames.h: stack frames that a child reports, or that opsrun-backtrace finds in a copy of its stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// texts: of a StackFrame, in the order of its members; they are untrusted, and there may be fewer or more.
StackFrame FrameOf(std::vector<std::string> texts);

// stack: the file that a process in a sandbox has left (kStackDescriptor). The plugin can have written anything to it,
// so opsrun-backtrace, too, is in a sandbox, and reads only the plugin's folder and the system's libraries. Empty if
// there is nothing in the file, or if anything fails. Takes at most some seconds.
std::vector<StackFrame> FramesOfStack(int stack, const std::string& plugin_folder);

}  // namespace opsrun::host

// host/isolate/sandbox.h: takes rights away from a process that is about to run code of others, for good.
//
// Call it in a process of its own, before other threads are started and before the plugin is opened, so that the
// plugin's static constructors run with these rights already. Descriptors that are open stay usable; a socket among
// them can be read and written, but not connected or bound. What is refused fails with EPERM, ENOSYS or EACCES, so that
// a plugin can report it; nothing kills the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/status.h"

namespace opsrun::host {

struct SandboxOptions {
  std::string plugin_folder;           // can be read
  std::vector<std::string> libraries;  // folders that can be read too, besides the system's libraries; may be missing
  size_t memory = 0;  // bytes of private memory, with stacks and all that is allocated already; 0: no limit
};

// Takes away, from the calling thread and all threads that it starts:
// - the network: sockets cannot be made;
// - processes: none can be started, and others receive no signal and cannot be debugged;
// - files: none can be written, made, renamed or removed, nor their attributes changed; only those in the
//   given folders, of the system's libraries and about this process can be read (names, sizes and times of others can
//   be asked for);
// - what concerns the whole system, such as mounts, modules, io_uring, BPF and keys; and the capabilities of root.
// Memory beyond the limit cannot be allocated; shared memory, such as a memfd, does not count.
//
// Returns what this kernel or this build cannot take away, a sentence for each; empty: everything is taken away.
// An error if nothing can be relied on: the process must end. Errors are FAILED_PRECONDITION (there are other threads,
// or the plugin's folder cannot be opened) or INTERNAL, with the reason of the system.
Result<std::vector<std::string>> EnterSandbox(const SandboxOptions& options);

// A part of EnterSandbox: limits memory, as SandboxOptions::memory says. INTERNAL, with the reason of the system.
Status LimitPrivateMemory(size_t bytes);

// A part of EnterSandbox: refuses system calls. Returns a sentence if that is impossible here, or an empty one.
Result<std::string> RefuseSystemCalls();

}  // namespace opsrun::host

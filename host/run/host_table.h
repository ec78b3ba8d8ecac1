// host/run/host_table.h: the functions that plugins may call, as one host offers them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "host/base/status.h"
#include "host/device/device.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Takes a line that a plugin logs. severity: OPSRUN_LOG_*. file may be empty. Called from any thread, several at once.
using LogSink = std::function<void(int32_t severity, std::string_view text, std::string_view file, uint32_t line)>;

// A table of its own, so that hosts in one process have nothing in common. Every slot is set; what this version does
// not offer answers OPSRUN_UNIMPLEMENTED. What kernels keep, and what they allocate while they are made, is the
// device's memory. Tensors and resources that plugins hold keep the table and its device alive. log: null means
// standard error.
std::shared_ptr<opsrun_host> MakeHostTable(std::shared_ptr<Device> device, LogSink log = nullptr);

// Requires of these: `host` was made by MakeHostTable.
std::shared_ptr<const opsrun_host> ShareHost(const opsrun_host* host);
Device& DeviceOf(const opsrun_host* host);
// A number for one run, which no other run of this host has.
uint64_t NextRunId(const opsrun_host* host);
// Why the host last refused a call that cannot say for which node it is, such as string_assign; then forgets it. Ok: it
// refused none since. From any thread.
Status TakeRefusal(const opsrun_host* host);

}  // namespace opsrun::host

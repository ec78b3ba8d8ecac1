// host/run/host_table.h: the functions that plugins may call, as one host offers them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/device/device.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class HeldTensors;

// A line that a plugin gives to the `log` of its host, or that the host itself logs. What is not known is empty.
struct LogLine {
  int32_t severity = OPSRUN_LOG_INFO;
  std::string_view text;
  std::string_view source;  // the file of the plugin that logs it
  uint32_t source_line = 0;
  std::string_view plugin;
  std::string_view node, graph;  // the node that it is about, and the path of its graph
  Span place;                    // of the node in that graph
};

// Receives the lines. Called from any thread, and by several at once.
using LogSink = std::function<void(const LogLine& line)>;

struct HostOptions {
  uint32_t level = OPSRUN_LEVEL;             // the level that plugins see, from 1 to OPSRUN_LEVEL
  LogSink log;                               // null: standard error
  bool lists_held = false;                   // HeldOf lists the tensors that plugins hold; slower
  int32_t log_threshold = OPSRUN_LOG_INFO;   // the lowest severity that is logged
  std::function<void(opsrun_host&)> adjust;  // changes the slots before any plugin sees them; for tests of plugins
};

// Makes a new table, so that hosts in one process are independent; a GuardedTable. Every slot of the level is set.
// Memory that kernels retain, or allocate while they are created, is on the device. Tensors and resources that plugins
// hold keep the table and its device alive.
std::shared_ptr<const opsrun_host> MakeHostTable(std::shared_ptr<Device> device, HostOptions options = {});

// Requires for all of these: `host` was made by MakeHostTable.
std::shared_ptr<const opsrun_host> ShareHost(const opsrun_host* host);
Device& DeviceOf(const opsrun_host* host);
// Gives the user of the host a line that a plugin has logged.
void Log(const opsrun_host* host, const LogLine& line);
// The tensors that plugins hold; null unless HostOptions::lists_held.
HeldTensors* HeldOf(const opsrun_host* host);
// Logs a warning of the host itself.
void Warn(const opsrun_host* host, const std::string& text);
// A number for one run, unique in this host.
uint64_t NextRunId(const opsrun_host* host);
// For functions that get a tensor but not the call, create or shape call that `fail` needs: records why the host
// refuses. Returns the code. From any thread.
int32_t Refuse(const opsrun_host* host, int32_t code, std::string text);
// Returns and clears the reason of the last refusal that is not tied to a node, such as one of string_assign; OK if
// there was none. From any thread.
Status TakeRefusal(const opsrun_host* host);

}  // namespace opsrun::host

// host/plugin/copy_table.h: a plugin's table, checked and copied into structs that the host owns.
//
// Everything is checked and copied. Only functions and their contexts are kept, which live as long as the process.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/plugin/file_segments.h"
#include "host/plugin/plugin.h"
#include "host/plugin/plugin_note.h"
#include "host/spec/parse_op.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct TableOp {
  spec::OpStrings strings;
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
};

struct PluginTable {
  std::string name;  // empty without a NAME note
  std::string version;
  std::vector<TableOp> ops;
  std::vector<RegisteredKernel> kernels;  // their plugin is not set yet
  void (*shutdown)(const opsrun_host*) = nullptr;
  std::vector<std::string> dropped_ops;  // they need features that this host does not have
  std::vector<std::string> messages;     // why an op or a kernel was dropped, a line each
};

// Fills in *copy, or returns why the table is refused; *copy is then incomplete. `table` must be the result of the
// entry of the library in `file`; it need not be a valid pointer.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, PluginTable* copy);

}  // namespace opsrun::host

// host/plugin/copy_table.h: a plugin's table, checked and copied into structs that the host owns.
//
// All of it is checked, and nothing that it points to is kept but functions and their contexts, which live as long as
// the process.
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
  std::vector<RegisteredKernel> kernels;  // still of no plugin
  void (*shutdown)(const opsrun_host*) = nullptr;
  std::vector<std::string> dropped_ops;  // they ask for what this host does not know
  std::vector<std::string> messages;     // why an op or a kernel was dropped, a line each
};

// Fills *copy in, or answers why the table is refused: then *copy is not whole. `table` must be what the entry of the
// library returned that lies in `file`; it need not be a pointer to anything.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, PluginTable* copy);

}  // namespace opsrun::host

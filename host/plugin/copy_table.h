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
  std::string gradient;        // a graph, as text; empty: none is declared
  uint32_t gradient_line = 0;  // of the plugin's source, where it begins; 0: unknown
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
};

struct PluginTable {
  std::string name;  // empty without a NAME note
  std::string version;
  std::vector<TableOp> ops;
  std::vector<RegisteredKernel> kernels;  // their plugin is not set yet
  void (*shutdown)(const opsrun_host*) = nullptr;
  std::vector<std::string> dropped_ops;  // with a feature that this host does not have, or without a note
  std::vector<std::string> messages;     // why an op or a kernel was dropped, a line each
};

// Fills in *copy, or returns why the table is refused; *copy is then incomplete. `table` must be the result of the
// entry of the library in `file`; it need not be a valid pointer.
// host_level: that this host offers, at most OPSRUN_LEVEL. header_level: of the plugin's notes; if it is above
// host_level, flags and reserved words that this host does not know are ignored, else they are refused. What structs
// hold beyond both is not read.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, uint32_t host_level,
                                 uint32_t header_level, PluginTable* copy);

}  // namespace opsrun::host

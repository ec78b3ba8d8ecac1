// host/plugin/copy_table.h: a plugin's table, checked and copied into structs that the host owns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/plugin/plugin.h"
#include "host/spec/parse_op.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct TableOp {
  spec::OpStrings strings;
  RegisteredOp op;  // its definition and its plugin are set later
};

struct PluginTable {
  std::string name;  // empty without a NAME note
  std::string version;
  std::vector<TableOp> ops;
  std::vector<RegisteredKernel> kernels;  // their plugin is set later
  void (*shutdown)(const opsrun_host*) = nullptr;
  std::vector<std::string> dropped_ops;  // need a feature that this host lacks, or have no note
  std::vector<std::string> messages;     // why ops and kernels were dropped, one line each
};

// Fills in *copy, or returns why the table is refused; *copy is then incomplete. `table` must be the result of the
// entry of the library in `file`; it may be an invalid pointer. host_level: offered by this host, at most OPSRUN_LEVEL.
// header_level: from the plugin's notes. If it is above host_level, flags and reserved words that this host does not
// know are ignored, otherwise they are refused. Parts of structs above both levels are not read.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, uint32_t host_level,
                                 uint32_t header_level, PluginTable* copy);

}  // namespace opsrun::host

// host/wrap/wrapped_plugin.h: what the writers of this room read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plugin/plugin.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// A plugin and its public ops, by name. Borrows the ops.
struct WrappedPlugin {
  std::string name;
  std::string version;                  // may be empty
  std::vector<const spec::OpDef*> ops;  // whose names do not begin with '_'
};

WrappedPlugin OpsToWrap(const Plugin& plugin);

// "opsrun wrap of opsrun 0.1.0, from plugin 'pad' 1.2", on one line.
std::string MadeBy(const std::vector<WrappedPlugin>& plugins);

}  // namespace opsrun::host

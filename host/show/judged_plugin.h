// host/show/judged_plugin.h: a plugin file and what was found out about it, as text and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/examine/judge_library.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

struct JudgedPlugin {
  std::string file;
  PluginNote note;
  std::vector<Finding> findings;
  std::string hidden_by;           // the file that comes first; or empty
  const Plugin* opened = nullptr;  // the plugin of the file, if it was opened: its ops and their gradients

  // "refused", "hidden", "ok" if a probe has opened it, else "compatible".
  const char* Verdict() const;
};

// Name, levels, compilers, libraries, and ops with their kernels; then the findings if `checks`. Indented lines.
std::string JudgedPluginText(const JudgedPlugin& plugin, bool checks);

// One JSON array with an object for each plugin: file, verdict, name, version, units, ops, kernels, cuda, needs,
// checks.
std::string JudgedPluginsJson(const std::vector<JudgedPlugin>& plugins);

}  // namespace opsrun::host

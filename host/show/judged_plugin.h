// host/show/judged_plugin.h: a plugin file and the findings about it, as text and as JSON.
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
  std::string hidden_by;           // the file that takes precedence; may be empty
  const Plugin* opened = nullptr;  // the file's plugin if it was opened, for its ops and gradients

  // "refused", "hidden", "ok" if a probe has opened it, otherwise "compatible".
  const char* Verdict() const;
};

// Name, levels, compilers, libraries, and ops with their kernels; then the findings if `checks`. Indented lines.
std::string JudgedPluginText(const JudgedPlugin& plugin, bool checks);

// A JSON array with an object for each plugin: file, verdict, name, version, units, ops, kernels, cuda, needs, checks.
std::string JudgedPluginsJson(const std::vector<JudgedPlugin>& plugins);

}  // namespace opsrun::host

// host/cli/common_options.h: the options that every command takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/cli/options.h"
#include "host/plugin/open_plugin.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {

enum class ColorChoice { kAuto, kAlways, kNever };

struct CommonOptions {
  std::vector<std::string> plugins;  // --plugins, in order
  bool no_default_plugins = false;
  ErrorFormat error_format = ErrorFormat::kHuman;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
  OpeningSlot* opening = nullptr;  // not an option: where the program notes which plugin is being opened
};

void AddErrorFormat(Options& options, ErrorFormat& format);
void AddCommonOptions(Options& options, CommonOptions& common);  // all of them

}  // namespace opsrun::host

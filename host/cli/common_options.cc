// host/cli/common_options.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/common_options.h"

namespace opsrun::host {

void AddErrorFormat(Options& options, ErrorFormat& format) {
  options.Choice("--error-format FORMAT", format,
                 {{"human", ErrorFormat::kHuman}, {"short", ErrorFormat::kShort}, {"json", ErrorFormat::kJson}},
                 "human, short (file:line:column: ...) or json (one object per line)");
}

void AddCommonOptions(Options& options, CommonOptions& common) {
  options.Group("Options of every command");
  const auto add = [&common](const std::string& directory) {
    common.plugins.push_back(directory);
    return std::nullopt;
  };
  options.Each("--plugins DIR", add, "search DIR for plugins first; may be repeated");
  options.Flag("--no-default-plugins", common.no_default_plugins, "search only the directories named by --plugins");
  AddErrorFormat(options, common.error_format);
  options.Choice("--color WHEN", common.color,
                 {{"auto", ColorChoice::kAuto}, {"always", ColorChoice::kAlways}, {"never", ColorChoice::kNever}},
                 "auto, always or never");
  options.Flag("-q,--quiet", common.quiet, "print only results and errors");
  options.HelpFlag("print this text");
}

}  // namespace opsrun::host

// opsrun/testing/plugin_files.h: the plugin files that a test loads.
//
// They are listed in the environment variable OPSRUN_TEST_PLUGINS if it is set, otherwise in the macro of that name,
// which opsrun_add_plugin_test() defines. Both hold paths of files separated by colons.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opsrun::test {

using PluginFiles = std::vector<std::string>;

// Reads the environment. `built_in` is the value of the macro.
PluginFiles FindPluginFiles(const char* built_in);

inline PluginFiles DefaultPluginFiles() {
#ifdef OPSRUN_TEST_PLUGINS
  return FindPluginFiles(OPSRUN_TEST_PLUGINS);
#else
  return FindPluginFiles("");
#endif
}

}  // namespace opsrun::test

// opsrun/testing/plugin_files.h: which plugin files a test is about.
//
// The environment's OPSRUN_TEST_PLUGINS, if it is set; else the macro of that name, which opsrun_add_plugin_test()
// defines. Both are paths with colons between them, as in OPSRUN_PLUGIN_PATH, but of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opsrun::test {

using PluginFiles = std::vector<std::string>;

// Reads the environment; `built_in` is what the macro says.
PluginFiles FindPluginFiles(const char* built_in);

inline PluginFiles DefaultPluginFiles() {
#ifdef OPSRUN_TEST_PLUGINS
  return FindPluginFiles(OPSRUN_TEST_PLUGINS);
#else
  return FindPluginFiles("");
#endif
}

}  // namespace opsrun::test

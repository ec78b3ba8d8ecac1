// tests/abi/open_plugin.h: opens a plugin file as a host does, and asks its entry for the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "opsrun/c_api.h"

namespace opsrun_test {

// The table that the plugin gives to `host`, or NULL with a failed test. The file stays open.
inline const opsrun_plugin* OpenPlugin(const std::string& path, const opsrun_host* host) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  auto entry = reinterpret_cast<opsrun_entry_fn>(dlsym(library, OPSRUN_ENTRY_NAME));
  if (!entry) ADD_FAILURE() << path << " does not export " OPSRUN_ENTRY_NAME;
  return entry ? entry(host) : nullptr;
}

}  // namespace opsrun_test

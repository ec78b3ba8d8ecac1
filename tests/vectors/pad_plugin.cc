// tests/vectors/pad_plugin.cc: the plugin pad of the build folder.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "tests/host/run/one_host.h"
#include "tests/vectors/one_node.h"

namespace opsrun::vectors {

const host::LoadResult& PadPlugin() {
  static const host::LoadResult loaded = host::LoadFile(OPSRUN_PAD_PLUGIN, host::HostTable());
  if (!loaded.refused.empty()) throw std::runtime_error(loaded.refused[0].refusal.reason);
  return loaded;
}

}  // namespace opsrun::vectors

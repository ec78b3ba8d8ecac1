// host/graph/graph.cc: a graph as its author wrote it.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/graph.h"

namespace opsrun::host {

std::string Graph::Resolve(const std::string& path) const {
  if (directory.empty() || path.empty() || path[0] == '/') return path;
  return directory.back() == '/' ? directory + path : directory + "/" + path;
}

}  // namespace opsrun::host

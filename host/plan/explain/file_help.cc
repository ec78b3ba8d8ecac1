// host/plan/explain/file_help.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/file_help.h"

namespace opsrun::host {

void AddFileHelp(const Status& status, bool npz, Diagnostic& d) {
  if (status.subject() == "key" || status.code() == OPSRUN_UNIMPLEMENTED) return;
  if (status.code() == OPSRUN_NOT_FOUND) {
    d.help.push_back("a path in a graph is relative to the folder of the graph file");
  } else {
    d.help.push_back(npz ? "name a file that numpy.savez wrote" : "name a file that numpy.save wrote");
  }
}

}  // namespace opsrun::host

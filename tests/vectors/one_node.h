// tests/vectors/one_node.h: one node of a plugin's op, on tensors in hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plugin/load.h"
#include "host/tensor/tensor.h"

namespace opsrun::vectors {

struct NodeRun {
  std::string op;
  std::string mode;  // the value of attr mode; empty: not given
  std::vector<host::Tensor> inputs;
  bool constants = false;  // the plan knows the inputs; else it knows their data types alone
};

// What became of it: the output, or a message. code: of the kernel's failure; OPSRUN_OK if it came not so far.
struct NodeResult {
  host::Tensor output;
  int code = OPSRUN_OK;
  std::string message;

  bool ok() const { return message.empty(); }
};

// Opened at the first call, as a run opens it. Throws if it is refused.
const host::LoadResult& PadPlugin();

NodeResult RunNode(const host::LoadResult& plugin, const NodeRun& run);

}  // namespace opsrun::vectors

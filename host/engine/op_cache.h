// host/engine/op_cache.h: single ops, prepared for calls with tensors of given types and shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/engine/lru_cache.h"
#include "host/engine/op_graph.h"
#include "host/engine/prepared_plan.h"
#include "host/plan/resolution.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct PreparedOp {
  std::shared_ptr<PreparedPlan> plan;
  FeedSignature types;               // of the inputs
  std::vector<std::string> outputs;  // "y"; "parts.0" of a list
};

// Prepares an op as a graph of one node. Any thread.
class OpCache {
 public:
  OpCache(std::shared_ptr<Engine> engine, size_t most) : engine_(std::move(engine)), prepared_(most) {}

  // Null after errors, which are about the text *source. Equal calls share what was prepared, unless the op is
  // stateful: kernel objects with state are never shared. attrs: borrowed.
  std::shared_ptr<PreparedOp> Prepare(const std::string& op, const std::vector<OpInput>& inputs,
                                      const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics,
                                      std::shared_ptr<const SourceFile>* source);

 private:
  const std::shared_ptr<Engine> engine_;
  LruCache<std::string, std::shared_ptr<PreparedOp>> prepared_;  // by the text of the graph
};

}  // namespace opsrun::host

// host/gradient/op_sample.h: graphs of one node with random attrs, to try an op that is known by its spec alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// A sequence of random numbers: those of host/tensor/random.h.
class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}

  // From 0 to count - 1. Requires: count > 0.
  uint64_t Below(uint64_t count);
  bool Coin() { return Below(2) == 0; }

 private:
  const uint64_t seed_;
  uint64_t next_ = 0;
};

// The types for which a gradient of the op can be asked: those with gradients that its type attrs allow; a fixed type
// counts as well. 8-bit floating-point types only if the op has no others: numbers are stored in them, and ops that
// copy elements take them, but those that gradients add up with do not. In the order of their numbers; empty if no
// output has such a type.
std::vector<DType> GradientTypes(const spec::OpDef& op);

// A graph with one node of the op, and a declared feed of any shape for each tensor that it takes. Type attrs are
// `type` where they allow it; other attrs are random, within what the spec allows, or their defaults. Shapes and values
// of inputs that would make sense together are for the caller to find. source: of the messages about the graph.
Graph DrawOpGraph(const RegisteredOp& op, DType type, std::shared_ptr<const SourceFile> source, Draws& draws);

}  // namespace opsrun::host

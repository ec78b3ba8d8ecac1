// host/gradient/op_sample.h: graphs of one node with random attrs, to try an op of which only the spec is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// Random numbers from the generator of host/tensor/tensor.h.
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

// The types for which the op can have a gradient, in numeric order: those with gradients that its type attrs allow, and
// fixed types. 8-bit floating-point types are included only if the op has no others: many ops store or copy them, but
// the ops that add up gradients do not accept them. Empty if no output has such a type.
std::vector<DType> GradientTypes(const spec::OpDef& op);

// A graph with one node of the op, and for each input tensor a declared feed of unknown shape. Type attrs are `type`
// where allowed; other attrs are random, within the limits of the spec, or their defaults. The caller finds shapes and
// values of inputs that fit together. source: of the messages about the graph.
Graph DrawOpGraph(const RegisteredOp& op, DType type, std::shared_ptr<const SourceFile> source, Draws& draws);

}  // namespace opsrun::host

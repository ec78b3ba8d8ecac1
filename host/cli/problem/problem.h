// host/cli/problem/problem.h: nodes that are drawn to try an op of which only the spec is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/gradient/gradient_text.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

enum class InputSizes {
  kSmall,  // 1 to 3: each element costs a run
  kEdges,  // also 0, ranks up to 8, and sizes around those of vector registers; also strings
};

// Draws shapes and values that often fit together: equal, broadcastable and unrelated shapes; integers that are axes,
// indices, sizes, permutations or amounts of padding. Draw all inputs of a node with the same object.
class InputDrawer {
 public:
  InputDrawer(Draws& draws, InputSizes sizes);

  // A tensor of the type; nothing for types such as resource.
  std::optional<Tensor> Draw(DType dtype);

 private:
  enum class Shapes { kEqual, kBroadcast, kUnrelated, kFirstAndScalars };
  enum class Sign { kPositive, kBelowOne, kAny, kLarge };
  enum class Ints { kZeros, kOnes, kSmall, kSigned, kPermutation, kShape, kIndices };

  uint64_t DrawRank();
  Shape DrawSizes(size_t rank);
  Shape ShapeOfNumbers();
  Shape ShapeOfInts();
  int64_t DrawInt(Ints kind, int64_t i, const std::vector<int64_t>& permutation);
  double DrawNumber();
  std::optional<Tensor> DrawInts(DType dtype);
  std::optional<Tensor> DrawStrings();

  Draws& draws_;
  const InputSizes sizes_;
  const Shape base_;
  const Shapes shapes_;
  const Sign sign_;
  bool first_ = true;
};

// "x float32 [2, 3], axis int32 [1] = [1]; keep_dims: true": the feeds and the attrs of the only node, on one line.
std::string NodeText(const Graph& graph);

// Whether the op has a kernel that takes the type where its constraints name a type attr that allows it.
bool HasKernel(const RegisteredOp& op, const Registry& registry, DType type);

// A graph of all ops of the plugin, for what they need. It is not planned.
std::shared_ptr<const LoadedGraph> LoadOps(Engine& engine, const Plugin& plugin);

}  // namespace opsrun::host

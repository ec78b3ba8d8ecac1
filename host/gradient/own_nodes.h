// host/gradient/own_nodes.h: the tensors that differentiation itself adds: ones, zeros and sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/gradient/derived_graph.h"
#include "host/gradient/node_gradient.h"

namespace opsrun::host {

// Each function returns nothing after an error at the value's place, such as G201 if no plugin has the op. name: the
// preferred name.
class OwnNodes {
 public:
  // All must outlive this object.
  OwnNodes(const Graph& original, const Resolution& resolution, const GradientOps& ops, DerivedGraph& graph,
           Diagnostics& diagnostics)
      : original_(original), resolution_(resolution), ops_(ops), graph_(graph), diagnostics_(diagnostics) {}

  // A tensor filled with `number` (0 or 1), of the type and shape of the value; a constant if the shape is known.
  std::optional<DerivedTensor> Filled(uint32_t value, int number, const std::string& name);
  // The sum of gradients of the value.
  std::optional<DerivedTensor> Sum(uint32_t value, std::vector<DerivedTensor> parts, const std::string& name);

  // The place of the feed or node of the original graph that the value comes from.
  Span PlaceOf(uint32_t value) const;

 private:
  std::optional<DerivedTensor> MakeNode(const char* op, std::vector<DerivedTensor> inputs, const std::string& name,
                                        uint32_t value);
  std::optional<DerivedTensor> AddFilled(const Shape& shape, DType dtype, int number, const std::string& name);

  const Graph& original_;
  const Resolution& resolution_;
  const GradientOps& ops_;
  DerivedGraph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace opsrun::host

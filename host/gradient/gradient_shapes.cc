// host/gradient/gradient_shapes.cc: see gradient_shapes.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace opsrun::host {

bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b) {
  const auto may = [](const ResolvedDim& x, const ResolvedDim& y) {
    return x.size < 0 || y.size < 0 || x.size == y.size;
  };
  return !a.rank_known || !b.rank_known || std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), may);
}

bool CheckGradientShapes(const Graph& graph, const Graph& with_gradients, const Resolution& resolution,
                         const DerivedGradients& gradients, Diagnostics& diagnostics) {
  const std::vector<std::string> names = ValueNames(resolution, with_gradients);
  std::unordered_map<std::string_view, uint32_t> values;
  for (uint32_t i = 0; i < names.size(); ++i) values.emplace(names[i], i);
  std::unordered_set<const RegisteredOp*> reported;
  for (const InputGradient& each : gradients.of_inputs) {
    const ResolvedShape& wanted = resolution.values[values.at(each.input.name)].shape;
    const ResolvedShape& found = resolution.values[values.at(each.gradient.name)].shape;
    const RegisteredOp& op = *resolution.nodes[each.node].op;
    if (MayBeEqual(wanted, found) || !reported.insert(&op).second) continue;
    const Node& node = graph.nodes[each.node];
    const bool declared = !op.gradient.empty();  // else it was given with the request
    const std::string whose =
        declared ? fmt::format("op '{}' of node '{}' declares an invalid gradient", op.def.name, node.name.value)
                 : fmt::format("the gradient that is given for node '{}' is invalid", node.name.value);
    Diagnostic& error =
        diagnostics.Error("G302", fmt::format("{}: that of input '{}' has shape {}, but the input has shape {}", whose,
                                              each.arg, ResolvedShapeText(found), ResolvedShapeText(wanted)));
    error.file = graph.source->path;
    error.where = node.op.span;
    error.help = {declared ? InvalidGradientHelp(op) : "a gradient has the data type and the shape of its input"};
  }
  return reported.empty();
}

}  // namespace opsrun::host

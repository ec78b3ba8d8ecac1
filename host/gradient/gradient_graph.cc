// host/gradient/gradient_graph.cc: see gradient_graph.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace opsrun::host {

namespace {

// References to feeds that gradients replace.
void Fill(const DerivedGradients& gradients, Graph& graph) {
  const auto fill = [&](Reference& reference) {
    const auto filled = gradients.filled.find(ReferenceText(reference));
    if (filled == gradients.filled.end()) return;
    reference = ParseReference(gradients.gradients[filled->second].name, reference.span);
  };
  for (Node& node : graph.nodes) {
    for (NodeInput& input : node.inputs) std::for_each(input.from.begin(), input.from.end(), fill);
  }
  for (GraphOutput& output : graph.outputs) fill(output.from);
  for (GraphCheck& check : graph.checks) fill(check.from);
}

}  // namespace

std::string GradientName(const std::string& tensor) {
  std::string name = "grad_" + tensor;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<std::string> GradientOutputNames(const Graph& graph, const GradientRequest& request,
                                             const DerivedGradients& gradients) {
  std::unordered_set<std::string> taken, tensors;
  for (const GraphOutput& output : graph.outputs) taken.insert(output.name.value);
  for (const Feed& feed : graph.feeds) {
    if (!gradients.filled.contains(feed.name.value)) tensors.insert(feed.name.value);
  }
  for (const Node& node : graph.nodes) tensors.insert(node.name.value);
  for (const Feed& feed : gradients.constants) tensors.insert(feed.name.value);
  for (const Node& node : gradients.nodes) tensors.insert(node.name.value);
  std::vector<std::string> names;
  for (size_t i = 0; i < request.wrt.size(); ++i) {
    const std::string wish = GradientName(ReferenceText(request.wrt[i]));
    const auto is_free = [&](const std::string& name) {
      return !taken.contains(name) && (name == gradients.gradients[i].name || !tensors.contains(name));
    };
    std::string name = wish;
    for (int number = 2; !is_free(name); ++number) name = fmt::format("{}_{}", wish, number);
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

Graph WithGradients(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients) {
  Graph all = graph;
  std::erase_if(all.feeds, [&](const Feed& feed) { return gradients.filled.contains(feed.name.value); });
  Fill(gradients, all);
  all.feeds.insert(all.feeds.end(), gradients.constants.begin(), gradients.constants.end());
  all.nodes.insert(all.nodes.end(), gradients.nodes.begin(), gradients.nodes.end());
  for (GraphOutput& output : all.outputs) {
    output.npy.reset();
    output.npz.reset();
    output.print = true;
  }
  const std::vector<std::string> names = GradientOutputNames(graph, request, gradients);
  for (size_t i = 0; i < gradients.gradients.size(); ++i) {
    GraphOutput& output = all.outputs.emplace_back();
    output.name.value = names[i];
    output.from = ParseReference(gradients.gradients[i].name);
  }
  return all;
}

}  // namespace opsrun::host

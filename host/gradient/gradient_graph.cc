// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "host/gradient/differentiate.h"

namespace opsrun::host {
namespace {

// Redirects references from replaced feeds to the gradients.
void Fill(const DerivedGradients& gradients, Graph& graph) {
  const auto fill = [&](Reference& reference) {
    const auto filled = gradients.filled.find(ReferenceText(reference));
    if (filled == gradients.filled.end()) return;
    reference = ParseReference(gradients.NameOf(gradients.gradients[filled->second]), reference.span);
  };
  for (Node& node : graph.nodes) {
    for (NodeInput& input : node.inputs) std::for_each(input.from.begin(), input.from.end(), fill);
  }
  for (GraphOutput& output : graph.outputs) fill(output.from);
  for (GraphCheck& check : graph.checks) fill(check.from);
}

std::unordered_set<std::string_view> NamesOfTensors(const Graph& graph, const DerivedGradients& gradients) {
  std::unordered_set<std::string_view> names;
  for (const Feed& feed : graph.feeds) {
    if (!gradients.filled.contains(feed.name.value)) names.insert(feed.name.value);
  }
  for (const Feed& feed : gradients.constants) names.insert(feed.name.value);
  for (const Node& node : graph.nodes) names.insert(node.name.value);
  for (const DerivedNode& node : gradients.nodes) names.insert(node.name);
  return names;
}

}  // namespace

std::vector<std::string> GradientOutputNames(const Graph& graph, const GradientRequest& request,
                                             const DerivedGradients& gradients) {
  std::unordered_set<std::string> taken;
  for (const GraphOutput& output : graph.outputs) taken.insert(output.name.value);
  std::unordered_set<std::string_view> tensors;  // filled on first use, which is rare
  const auto is_tensor = [&](const std::string& name) {
    if (tensors.empty()) tensors = NamesOfTensors(graph, gradients);
    return tensors.contains(name);
  };
  std::vector<std::string> names;
  for (size_t i = 0; i < request.wrt.size(); ++i) {
    const std::string wish = GradientName(ReferenceText(request.wrt[i]));
    const auto is_free = [&](const std::string& name) {
      return !taken.contains(name) && (name == gradients.NameOf(gradients.gradients[i]) || !is_tensor(name));
    };
    std::string name = wish;
    for (int number = 2; !is_free(name); ++number) name = fmt::format("{}_{}", wish, number);
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

Graph WithGradients(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients) {
  const std::vector<std::string> names = GradientOutputNames(graph, request, gradients);
  Graph all = graph;
  std::erase_if(all.feeds, [&](const Feed& feed) { return gradients.filled.contains(feed.name.value); });
  if (!gradients.filled.empty()) Fill(gradients, all);
  all.feeds.insert(all.feeds.end(), gradients.constants.begin(), gradients.constants.end());
  all.nodes.reserve(all.nodes.size() + gradients.nodes.size());
  for (size_t i = 0; i < gradients.nodes.size(); ++i) all.nodes.push_back(gradients.NodeAt(i, graph));
  for (GraphOutput& output : all.outputs) {
    output.npy.reset();
    output.npz.reset();
    output.print = true;
  }
  for (size_t i = 0; i < gradients.gradients.size(); ++i) {
    GraphOutput& output = all.outputs.emplace_back();
    output.name.value = names[i];
    output.from = ParseReference(gradients.NameOf(gradients.gradients[i]));
  }
  return all;
}

}  // namespace opsrun::host

// host/gradient/simplify.cc: removes nodes of a gradient that change nothing.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/gradient/differentiate.h"

namespace opsrun::host {
namespace {

// Ops that return their first input unchanged if it already has the type and shape of the output.
constexpr std::array<std::string_view, 4> kToShape = {"SumToShape", "BroadcastTo", "Reshape", "Conj"};

bool SameShape(const ResolvedShape& a, const ResolvedShape& b) {
  const auto same = [](const ResolvedDim& x, const ResolvedDim& y) {
    return x.size >= 0 ? x.size == y.size : y.size < 0 && x.unknown > 0 && x.unknown == y.unknown;
  };
  return a.rank_known && b.rank_known && std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), same);
}

class Simplifier {
 public:
  Simplifier(const Graph& graph, const Resolution& resolution, DerivedGradients& gradients)
      : graph_(graph), resolution_(resolution), gradients_(gradients) {}

  void Run() {
    const size_t first = graph_.nodes.size() - gradients_.nodes.size();
    for (const Node& node : gradients_.nodes) by_name_.insert(node.name.value);
    for (const std::string& value : ValueNames(resolution_, graph_)) {
      gradient_names_.insert(GradientName(value));
    }
    for (size_t i = 0; i < gradients_.nodes.size(); ++i) {
      if (ChangesNothing(resolution_.nodes[first + i])) Remove(gradients_.nodes[i]);
    }
    KeepUsed();
    Rename();
  }

 private:
  bool ChangesNothing(const ResolvedNode& node) const {
    const std::string& op = node.op->def.name;
    if (std::find(kToShape.begin(), kToShape.end(), op) == kToShape.end()) return false;
    const ResolvedValue& in = resolution_.values[node.inputs[0]];
    const ResolvedValue& out = resolution_.values[node.first_output];
    if (op == "Conj") return !IsComplex(in.dtype);
    return in.dtype == out.dtype && SameShape(in.shape, out.shape);
  }

  // Readers of the node read its input instead. The input's node takes over the name of the removed one, which is more
  // specific, unless the input is itself the gradient of a tensor.
  void Remove(const Node& node) {
    const Reference& from = node.inputs[0].from[0];
    const std::string to = Current(ReferenceText(from));
    instead_[node.name.value] = to;
    if (!by_name_.contains(to) || gradient_names_.contains(to)) return;
    if (named_.insert(to).second) renamed_[to] = node.name.value;
  }

  std::string Current(const std::string& name) const {
    const auto found = instead_.find(name);
    return found == instead_.end() ? name : found->second;
  }

  void Redirect(Reference& reference) const {
    reference = ParseReference(Current(ReferenceText(reference)), reference.span);
  }

  // Walks from last to first, since nodes come after those that they read.
  void KeepUsed() {
    std::unordered_set<std::string> used;
    for (DerivedTensor& tensor : gradients_.gradients) {
      tensor.name = Current(tensor.name);
      used.insert(ParseReference(tensor.name).name);
    }
    std::vector<Node> kept;
    for (auto node = gradients_.nodes.rbegin(); node != gradients_.nodes.rend(); ++node) {
      if (!used.contains(node->name.value)) continue;
      for (NodeInput& input : node->inputs) {
        for (Reference& reference : input.from) {
          Redirect(reference);
          used.insert(reference.name);
        }
      }
      kept.push_back(std::move(*node));
    }
    gradients_.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
    std::erase_if(gradients_.constants, [&](const Feed& feed) { return !used.contains(feed.name.value); });
  }

  // Only nodes with one output are renamed, so references to them are plain names.
  void Rename() {
    const auto rename = [&](std::string& name) {
      const auto found = renamed_.find(name);
      if (found != renamed_.end()) name = found->second;
    };
    for (Node& node : gradients_.nodes) {
      rename(node.name.value);
      for (NodeInput& input : node.inputs) {
        for (Reference& reference : input.from) rename(reference.name);
      }
    }
    for (DerivedTensor& tensor : gradients_.gradients) rename(tensor.name);
  }

  const Graph& graph_;
  const Resolution& resolution_;
  DerivedGradients& gradients_;
  std::unordered_set<std::string> by_name_;               // nodes of the gradient
  std::unordered_set<std::string> gradient_names_;        // nodes that compute the gradient of a tensor
  std::unordered_map<std::string, std::string> instead_;  // by removed tensor: what to read instead
  std::unordered_map<std::string, std::string> renamed_;
  std::unordered_set<std::string> named_;
};

}  // namespace

void Simplify(const Graph& with_gradients, const Resolution& resolution, DerivedGradients& gradients) {
  Simplifier(with_gradients, resolution, gradients).Run();
}

}  // namespace opsrun::host

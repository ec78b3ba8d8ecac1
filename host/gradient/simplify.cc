// host/gradient/simplify.cc: removes nodes of a gradient that change nothing, and what is then unused.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// Numbers the nodes of the gradient from 0: `first` is the number of nodes before them.
class Simplifier {
 public:
  Simplifier(const Graph& graph, Graph& with_gradients, const DerivedValues& values, DerivedGradients& gradients)
      : first_(graph.nodes.size()),
        all_(with_gradients),
        values_(values),
        resolution_(values.resolution()),
        gradients_(gradients),
        count_(static_cast<uint32_t>(all_.nodes.size() - first_)),
        producers_(resolution_.values.size(), kNone),
        instead_(count_, kNone),
        readers_(count_, kNone),
        renamed_(count_, kNone),
        used_(resolution_.values.size()) {}

  void Run() {
    for (uint32_t node = 0; node < count_; ++node) {
      const ResolvedNode& resolved = Resolved(node);
      std::fill_n(producers_.begin() + resolved.first_output, resolved.signature->out_types.size(), node);
    }
    for (uint32_t node = 0; node < count_; ++node) {
      if (ChangesNothing(Resolved(node))) Remove(node);
    }
    KeepNamesOfGradients();
    for (DerivedTensor& tensor : gradients_.gradients) tensor.name = Use(values_.Find(tensor), tensor.name);
    KeepUsed();
  }

 private:
  static constexpr uint32_t kNone = ResolvedNode::kNone;

  Node& NodeAt(uint32_t node) { return all_.nodes[first_ + node]; }
  const ResolvedNode& Resolved(uint32_t node) const { return resolution_.nodes[first_ + node]; }

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
  void Remove(uint32_t node) {
    const uint32_t read = Resolved(node).inputs[0], to = Current(read);
    instead_[node] = to;
    readers_[node] = to == read ? node : readers_[producers_[read]];
    const uint32_t from = producers_[to];
    if (from != kNone && HasPlainName(Resolved(from)) && renamed_[from] == kNone) renamed_[from] = node;
  }

  // The value to read instead: the input of a node that was removed.
  uint32_t Current(uint32_t value) const {
    const uint32_t node = producers_[value];
    return node == kNone || instead_[node] == kNone ? value : instead_[node];
  }

  // Its only output is referred to by the name of the node.
  static bool HasPlainName(const ResolvedNode& node) {
    return node.signature->out_args.size() == 1 && !node.signature->out_args[0].list;
  }

  // Nodes that compute the gradient of a tensor are not renamed.
  void KeepNamesOfGradients() {
    std::unordered_map<std::string_view, uint32_t> renamed;  // without "grad_"
    for (uint32_t node = 0; node < count_; ++node) {
      const std::string_view name = NodeAt(node).name.value;
      if (renamed_[node] != kNone && name.starts_with(kGradientPrefix))
        renamed.emplace(name.substr(kGradientPrefix.size()), node);
    }
    const auto keep = [&](std::string_view tensor) {
      if (const auto found = renamed.find(tensor); found != renamed.end()) renamed_[found->second] = kNone;
    };
    for (const Feed& feed : all_.feeds) keep(feed.name.value);
    for (size_t i = 0; i < all_.nodes.size(); ++i) {
      const ResolvedNode& node = resolution_.nodes[i];
      if (HasPlainName(node)) {
        keep(all_.nodes[i].name.value);
        continue;
      }
      for (size_t k = 0; k < node.signature->out_types.size(); ++k) {
        const std::string output = OutputName(all_.nodes[i].name.value, node.signature->out_args, k);
        keep(std::string_view(GradientName(output)).substr(kGradientPrefix.size()));
      }
    }
  }

  // Marks the value that replaces `value`, which was called `name`, and returns its name.
  std::string Use(uint32_t value, const std::string& name) {
    const uint32_t current = Current(value);
    used_[current] = true;
    const uint32_t node = producers_[current];
    if (node != kNone && HasPlainName(Resolved(node)))
      return NodeAt(renamed_[node] == kNone ? node : renamed_[node]).name.value;
    return current == value ? name : ReferenceText(NodeAt(readers_[producers_[value]]).inputs[0].from[0]);
  }

  // Walks from last to first, since nodes come after those that they read.
  void KeepUsed() {
    std::vector<bool> kept(count_);
    for (uint32_t node = count_; node-- > 0;) {
      const ResolvedNode& resolved = Resolved(node);
      for (uint32_t i = 0; i < resolved.signature->out_types.size(); ++i) {
        kept[node] = kept[node] || used_[resolved.first_output + i];
      }
      if (kept[node]) UseInputs(node);
    }
    KeepUsedConstants();
    for (uint32_t node = 0; node < count_; ++node) {
      if (renamed_[node] != kNone) NodeAt(node).name.value = std::move(NodeAt(renamed_[node]).name.value);
    }
    size_t i = 0;
    std::erase_if(all_.nodes, [&](const Node&) { return i++ < first_ || !kept[i - 1 - first_]; });
    gradients_.nodes = std::move(all_.nodes);
  }

  void UseInputs(uint32_t node) {
    size_t i = 0;
    for (NodeInput& input : NodeAt(node).inputs) {
      for (Reference& reference : input.from) {
        const uint32_t value = Resolved(node).inputs[i++], producer = producers_[Current(value)];
        const bool same = Current(value) == value && (producer == kNone || renamed_[producer] == kNone);
        if (same) {
          used_[value] = true;
        } else {
          reference = ParseReference(Use(value, {}), reference.span);
        }
      }
    }
  }

  void KeepUsedConstants() {
    const size_t first = all_.feeds.size() - gradients_.constants.size();
    std::vector<Feed> used;
    for (size_t i = 0; i < gradients_.constants.size(); ++i) {
      if (used_[resolution_.feed_values[first + i]]) used.push_back(std::move(gradients_.constants[i]));
    }
    gradients_.constants = std::move(used);
  }

  const size_t first_;
  Graph& all_;
  const DerivedValues& values_;
  const Resolution& resolution_;
  DerivedGradients& gradients_;
  const uint32_t count_;
  std::vector<uint32_t> producers_;  // by value: the node of the gradient that makes it
  std::vector<uint32_t> instead_;    // by node: the value to read instead of that of a removed node
  std::vector<uint32_t> readers_;    // by removed node: the removed node that reads that value itself
  std::vector<uint32_t> renamed_;    // by node: the removed one whose name it takes
  std::vector<bool> used_;           // by value
};

}  // namespace

void Simplify(const Graph& graph, Graph with_gradients, const DerivedValues& values, DerivedGradients& gradients) {
  Simplifier(graph, with_gradients, values, gradients).Run();
}

}  // namespace opsrun::host

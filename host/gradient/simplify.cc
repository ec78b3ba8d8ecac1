// host/gradient/simplify.cc: removes nodes of a gradient that change nothing, and what is then unused.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

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
  Simplifier(const DerivedValues& values, DerivedGradients& gradients)
      : values_(values),
        gradients_(gradients),
        count_(static_cast<uint32_t>(gradients.nodes.size())),
        instead_(count_),
        renamed_(count_, kNone),
        used_(count_),
        used_constants_(gradients.constants.size()) {}

  void Run() {
    for (uint32_t node = 0; node < count_; ++node) {
      if (ChangesNothing(node)) Remove(node);
    }
    KeepNamesOfGradients();
    for (DerivedTensor& tensor : gradients_.gradients) Use(tensor);
    // From last to first, since nodes come after those that they read.
    for (uint32_t node = count_; node-- > 0;) {
      if (used_[node]) UseInputs(gradients_.nodes[node]);
    }
    for (uint32_t node = 0; node < count_; ++node) {
      if (renamed_[node] != kNone) gradients_.nodes[node].name = std::move(gradients_.nodes[renamed_[node]].name);
    }
    KeepUsed();
  }

 private:
  static constexpr uint32_t kNone = DerivedNode::kNone;
  using From = DerivedTensor::From;

  bool ChangesNothing(uint32_t index) const {
    const DerivedNode& node = gradients_.nodes[index];
    const std::string& op = node.op->def.name;
    if (std::find(kToShape.begin(), kToShape.end(), op) == kToShape.end()) return false;
    const DerivedTensor& read = gradients_.InputsOf(node)[0];
    if (op == "Conj") return !IsComplex(read.dtype);
    const ResolvedValue &in = values_.Find(read), &out = values_.Find({{}, From::kNode, index});
    return in.dtype == out.dtype && SameShape(in.shape, out.shape);
  }

  // Readers of the node read its input instead. The input's node takes over the name of the removed one, which is more
  // specific, unless the input is itself the gradient of a tensor.
  void Remove(uint32_t node) {
    const DerivedTensor to = Current(gradients_.InputsOf(gradients_.nodes[node])[0]);
    instead_[node] = to;
    if (to.from == From::kNode && HasPlainName(to) && renamed_[to.index] == kNone) renamed_[to.index] = node;
  }

  // The tensor to read instead: the input of a node that was removed.
  DerivedTensor Current(const DerivedTensor& tensor) const {
    const bool removed = tensor.from == From::kNode && instead_[tensor.index];
    return removed ? *instead_[tensor.index] : tensor;
  }

  // The only output of its node, which is referred to by the name of the node.
  bool HasPlainName(const DerivedTensor& tensor) const {
    const std::vector<spec::ArgRange>& args = gradients_.nodes[tensor.index].signature->out_args;
    return args.size() == 1 && !args[0].list;
  }

  // Nodes that compute the gradient of a tensor are not renamed.
  void KeepNamesOfGradients() {
    std::unordered_map<std::string_view, uint32_t> renamed;  // without "grad_"
    for (uint32_t node = 0; node < count_; ++node) {
      const std::string_view name = gradients_.nodes[node].name;
      if (renamed_[node] != kNone && name.starts_with(kGradientPrefix))
        renamed.emplace(name.substr(kGradientPrefix.size()), node);
    }
    if (renamed.empty()) return;
    const auto keep = [&](std::string_view tensor) {
      if (const auto found = renamed.find(tensor); found != renamed.end()) renamed_[found->second] = kNone;
    };
    for (const std::string& name : gradients_.value_names) {
      if (!gradients_.filled.contains(name)) KeepNameOf(name, keep);
    }
    for (const Feed& constant : gradients_.constants) keep(constant.name.value);
    for (DerivedTensor made{{}, From::kNode}; made.index < count_; ++made.index) {
      const DerivedNode& node = gradients_.nodes[made.index];
      if (HasPlainName(made)) {
        keep(node.name);
        continue;
      }
      for (made.output = 0; made.output < node.signature->out_types.size(); ++made.output)
        KeepNameOf(gradients_.NameOf(made), keep);
    }
  }

  template <typename Keep>
  static void KeepNameOf(const std::string& tensor, const Keep& keep) {
    if (tensor.find('.') == std::string::npos) return keep(tensor);
    keep(std::string_view(GradientName(tensor)).substr(kGradientPrefix.size()));
  }

  // Marks the tensor that replaces `tensor`.
  void Use(DerivedTensor& tensor) {
    tensor = Current(tensor);
    if (tensor.from == From::kNode) used_[tensor.index] = true;
    if (tensor.from == From::kConstant) used_constants_[tensor.index] = true;
  }

  void UseInputs(const DerivedNode& node) {
    DerivedTensor* const inputs = gradients_.inputs.data() + node.first_input;
    for (size_t i = 0; i < node.signature->in_types.size(); ++i) Use(inputs[i]);
  }

  void KeepUsed() {
    const std::vector<uint32_t> nodes = KeepUsed(used_, gradients_.nodes);
    const std::vector<uint32_t> constants = KeepUsed(used_constants_, gradients_.constants);
    const auto move = [&](DerivedTensor& tensor) {
      if (tensor.from == From::kNode) tensor.index = nodes[tensor.index];
      if (tensor.from == From::kConstant) tensor.index = constants[tensor.index];
    };
    std::for_each(gradients_.inputs.begin(), gradients_.inputs.end(), move);
    std::for_each(gradients_.gradients.begin(), gradients_.gradients.end(), move);
  }

  // Returns the new places.
  template <typename T>
  static std::vector<uint32_t> KeepUsed(const std::vector<bool>& used, std::deque<T>& all) {
    std::vector<uint32_t> places(used.size(), kNone);
    uint32_t kept = 0;
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      if (kept != i) all[kept] = std::move(all[i]);
      places[i] = kept++;
    }
    all.resize(kept);
    return places;
  }

  const DerivedValues& values_;
  DerivedGradients& gradients_;
  const uint32_t count_;
  std::vector<std::optional<DerivedTensor>> instead_;  // by node: the tensor to read instead of that of a removed node
  std::vector<uint32_t> renamed_;                      // by node: the removed one whose name it takes
  std::vector<bool> used_;                             // by node
  std::vector<bool> used_constants_;
};

}  // namespace

void Simplify(const DerivedValues& values, DerivedGradients& gradients) {
  Simplifier(values, gradients).Run();
}

}  // namespace opsrun::host

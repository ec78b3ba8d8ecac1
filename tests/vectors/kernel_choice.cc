// tests/vectors/kernel_choice.cc: which of several kernels runs a node, in every order of registration.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/spec/infer_attrs.h"
#include "tests/vectors/section.h"
#include "tests/vectors/values.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

constexpr size_t kAllOrdersUpTo = 5;  // kernels; of more, the order written and the reverse

// The members of a kernel that hold constraints, and the kind of each.
constexpr std::pair<std::string_view, uint32_t> kConstraints[] = {{"types", OPSRUN_ATTR_TYPE},
                                                                  {"strings", OPSRUN_ATTR_STRING},
                                                                  {"bools", OPSRUN_ATTR_BOOL},
                                                                  {"ints", OPSRUN_ATTR_INT}};

spec::KernelDef KernelOf(const Tree& tree) {
  CheckFields(tree, {"id", "device", "label", "priority", "types", "strings", "bools", "ints"});
  spec::KernelDef kernel;
  kernel.op = "Op";
  kernel.device = TextOf(tree, "device");
  kernel.label = TextOf(tree, "label");
  if (const Tree* priority = tree.Find("priority")) kernel.priority = static_cast<int32_t>(IntOf(*priority));
  for (const auto& [member, kind] : kConstraints) {
    const Tree* constraints = tree.Find(member);
    if (constraints == nullptr) continue;
    for (const auto& [attr, span, allowed] : constraints->entries) {
      kernel.constraints.push_back({attr, AttrValueOf(allowed, {kind, true})});
    }
  }
  return kernel;
}

// An op that has just the attrs of the node.
struct Node {
  spec::OpDef op;
  spec::Signature signature;
  std::string device;
  std::string label;
};

Node NodeOf(const Tree& tree) {
  CheckFields(tree, {"device", "attrs"});
  Node node;
  node.op.name = "Op";
  node.device = TextOf(tree, "device");
  for (const auto& [name, span, value] : At(tree, "attrs").entries) {
    if (name == "_kernel") {
      node.label = TextOf(value);
      continue;
    }
    spec::AttrDef& attr = node.op.attrs.emplace_back();
    attr.name = name;
    node.signature.attrs.push_back(GivenValueOf(value, {OPSRUN_ATTR_TYPE, false}));
    attr.type = node.signature.attrs.back().type;
  }
  return node;
}

std::string WordOf(spec::KernelChoice::Outcome outcome) {
  using Outcome = spec::KernelChoice::Outcome;
  if (outcome == Outcome::kAmbiguous) return "ambiguous";
  return outcome == Outcome::kBadConstraint ? "bad_constraint" : "not_found";
}

class Chooser {
 public:
  explicit Chooser(const Tree& entry) : node_(NodeOf(At(entry, "node"))), fails_(entry.Find("fails")) {
    for (const Tree& kernel : ListOf(At(entry, "kernels"))) {
      kernels_.push_back(KernelOf(kernel));
      ids_.push_back(TextOf(kernel, "id"));
      order_.push_back(order_.size());
    }
  }

  // What is chosen, or the different answers of different orders.
  std::string Choose() {
    std::string answer = Answer();
    while (NextOrder()) {
      if (Answer() != answer) return answer + ", in another order: " + Answer();
    }
    return answer;
  }

 private:
  bool NextOrder() {
    if (order_.size() <= kAllOrdersUpTo) return std::next_permutation(order_.begin(), order_.end());
    std::reverse(order_.begin(), order_.end());
    return order_.front() != 0;
  }

  std::string Answer() const {
    std::vector<const spec::KernelDef*> kernels;
    for (size_t i : order_) kernels.push_back(&kernels_[i]);
    const spec::KernelChoice choice = ChooseKernel(node_.op, node_.signature, kernels, node_.device, node_.label);
    if (choice.chosen >= 0) return "choose " + ids_[order_[static_cast<size_t>(choice.chosen)]];
    return FoundFailure(fails_,
                        {{"kind", WordOf(choice.outcome)}, {"attr_mismatch", choice.attr_mismatch ? "true" : "false"}});
  }

  Node node_;
  const Tree* fails_;
  std::vector<spec::KernelDef> kernels_;
  std::vector<std::string> ids_;
  std::vector<size_t> order_;
};

}  // namespace

Verdict RunKernelChoice(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "kernels", "node", "choose", "fails"});
  const Tree* chosen = entry.Find("choose");
  return {chosen != nullptr ? "choose " + TextOf(*chosen) : ExpectedFailure(At(entry, "fails")),
          Chooser(entry).Choose(),
          {}};
}

}  // namespace opsrun::vectors

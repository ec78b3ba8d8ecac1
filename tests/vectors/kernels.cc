// tests/vectors/kernels.cc: which of several kernels runs a node; and the plugin pad, opened as a run opens it: once
// with shapes and values known to the plan, and once with nothing known but the data types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/spec/infer_attrs.h"
#include "host/tensor/number_type.h"
#include "host/testing/made_graph.h"
#include "opsrun/testing/test_graph.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {

using namespace host;

namespace {

constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"may have at most", "rank"},
                                                                    {"must be a matrix of 2 columns", "paddings_shape"},
                                                                    {"must have a row for each", "paddings_rank"},
                                                                    {"must not be negative", "negative"},
                                                                    {"must be a scalar", "constant_not_scalar"},
                                                                    {"allows borders of at most", "mirror_too_big"},
                                                                    {"REFLECT needs an element", "mirror_too_big"}};

std::string Text(const Tensor& tensor) {
  std::string text = ShapeText(tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i)
    text += tensor.dtype() == DType::kString ? fmt::format(" '{}'", tensor.string(i)) : " " + ExactText(tensor, i);
  return text;
}

// What becomes of the node of the case: the output, or the failure. known: the plan knows the inputs.
std::string FoundText(const Tree& entry, const std::vector<Tensor>& inputs, bool known) {
  static test::TestGraph graph({OPSRUN_PAD_PLUGIN});
  graph.Clear();
  test::Node node = graph.Add(TextOf(entry, "op"), "");
  for (const Tensor& input : inputs) node.Input(ToArray(input));
  if (entry.Find("mode") != nullptr) node.Attr("mode", TextOf(entry, "mode"));
  if (!known) node.FedShapeless();
  const test::Outcome outcome = graph.Run();
  if (outcome.ok) return Text(*ToTensor(graph.Output(node, 0)));
  // There is no such op, or no kernel for these data types: this is not the op's own refusal.
  if (outcome.text.starts_with("G201") || outcome.text.starts_with('K')) throw std::runtime_error(outcome.text);
  const Tree* fails = entry.Find("fails");
  const bool is_of_plan = outcome.text.starts_with('G') && fails != nullptr;  // its code is of no case
  const std::string code = outcome.text.substr(0, outcome.text.find(':'));
  return FoundFailure(fails,
                      {{"code", is_of_plan ? TextOf(*fails, "code") : code}, {"kind", KindOf(kKinds, outcome.text)}});
}

}  // namespace

Verdict RunPad(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "mode", "dtype", "paddings_dtype", "input", "paddings", "constant_values",
                      "gives", "fails"});
  const DType dtype = TypeOf(TextOf(entry, "dtype"));
  const Tree* paddings_dtype = entry.Find("paddings_dtype");
  std::vector<Tensor> inputs = {
      TensorOf(At(entry, "input"), dtype),
      TensorOf(At(entry, "paddings"), paddings_dtype == nullptr ? DType::kInt32 : TypeOf(TextOf(*paddings_dtype)))};
  if (const Tree* constant = entry.Find("constant_values")) inputs.push_back(TensorOf(*constant, dtype));
  const Tree* fails = entry.Find("fails");
  const std::string expected = fails != nullptr ? ExpectedFailure(*fails) : Text(TensorOf(At(entry, "gives"), dtype));
  const std::string found = FoundText(entry, inputs, false), known = FoundText(entry, inputs, true);
  // Of several mistakes, the plan may find another one first.
  const bool agree = found == known || (found.starts_with("fails") && known.starts_with("fails"));
  return {expected, agree ? found : found + "; where the plan knows the inputs: " + known, {}};
}

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

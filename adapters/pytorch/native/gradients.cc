// adapters/pytorch/native/gradients.cc
// SPDX-License-Identifier: Apache-2.0
#include "gradients.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace opsrun_torch {
namespace {

// Symbolic sizes of a trace count as unknown.
std::optional<InputShapes> ShapesOf(const std::vector<at::Tensor>& inputs) {
  InputShapes shapes;
  for (const at::Tensor& input : inputs) {
    if (!input.defined() || input.is_nested()) return std::nullopt;
    shapes.Add(input.sym_sizes());
  }
  return shapes;
}

// True in a trace: its graph is built once but runs often, so the specific gradient pays off.
bool IsTrace(const std::vector<at::Tensor>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && input.key_set().has(c10::DispatchKey::Python);
  });
}

}  // namespace

std::shared_ptr<const Gradient> Gradients::For(const TypedOp& op, const std::vector<at::Tensor>& inputs,
                                               const FindOperator& find) {
  const std::optional<InputShapes> shapes = ShapesOf(inputs);
  if (!shapes) return ForAll(op, shapes, find);
  bool again = false;
  if (Made found = FindFor(*shapes, &again)) return found;
  Made made = again || IsTrace(inputs) ? nullptr : ForAll(op, shapes, find);
  return made != nullptr ? made : DeriveFor(op, *shapes, find);
}

Gradients::Made Gradients::FindFor(const InputShapes& shapes, bool* again) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      std::find_if(of_shapes_.begin(), of_shapes_.end(), [&](const OfShapes& each) { return each.shapes == shapes; });
  if (found == of_shapes_.end()) {
    of_shapes_.push_front({shapes, nullptr});
    if (of_shapes_.size() > kKept) of_shapes_.pop_back();
    return nullptr;
  }
  if (found != of_shapes_.begin()) of_shapes_.splice(of_shapes_.begin(), of_shapes_, found);
  *again = derived_ < kMostDerived;
  return found->gradient;
}

// Holds no lock, since deriving opens plugins and may register operators.
Gradients::Made Gradients::DeriveFor(const TypedOp& op, const InputShapes& shapes, const FindOperator& find) {
  Made made;
  std::exception_ptr problem;
  try {
    made = std::make_shared<const Gradient>(op, &shapes, find);
  } catch (const c10::Error&) {
    problem = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ++derived_;
  if (made == nullptr) made = for_all_;  // a gradient for all shapes also serves these
  if (made == nullptr) std::rethrow_exception(problem);
  for (OfShapes& each : of_shapes_) {
    if (each.shapes == shapes) each.gradient = made;
  }
  return made;
}

Gradients::Made Gradients::ForAll(const TypedOp& op, const std::optional<InputShapes>& shapes,
                                  const FindOperator& find) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (for_all_ != nullptr) return for_all_;
    if (none_for_all_ && shapes) return nullptr;
  }
  Made made;
  try {
    made = std::make_shared<const Gradient>(op, nullptr, find);
  } catch (const c10::Error&) {
    if (!shapes) throw;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  none_for_all_ = made == nullptr;
  if (for_all_ == nullptr) for_all_ = std::move(made);
  return for_all_;
}

}  // namespace opsrun_torch

// opsrun/internal/infer_io.h: inputs and outputs of an InferenceContext, by index and by the name of their argument.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

OPSRUN_COLD inline uint32_t InferenceContext::CheckIndex(int64_t i, uint32_t count, const char* what) {
  if (i < 0 || i >= count) {
    internal::Fail(internal::Invalid({"There is no ", what, " ", i, "; the op has ", count}));
  }
  return static_cast<uint32_t>(i);
}

OPSRUN_COLD inline const opsrun_arg* InferenceContext::FindArg(const opsrun_arg* args, uint32_t n_args,
                                                               std::string_view name) {
  for (const opsrun_arg* arg = args; arg != args + n_args; ++arg) {
    if (std::string_view(arg->name.data, arg->name.size) == name) return arg;
  }
  return nullptr;
}

OPSRUN_COLD inline Status InferenceContext::NoSuchArg(const opsrun_arg* args, uint32_t n_args, const char* what,
                                                      std::string_view name) {
  std::string names;
  for (const opsrun_arg* arg = args; arg != args + n_args; ++arg) {
    names += names.empty() ? "" : ", ";
    names.append(arg->name.data, arg->name.size);
  }
  return internal::Invalid({"The op has no ", what, " '", name, "'; it has: ", names.empty() ? "none" : names});
}

OPSRUN_COLD inline Status InferenceContext::input(std::string_view name, std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = FindArg(call_->in_args, call_->n_in_args, name);
  if (arg == nullptr) return NoSuchArg(call_->in_args, call_->n_in_args, "input", name);
  for (uint32_t i = 0; i < arg->count; ++i) shapes->push_back(input(arg->first + i));
  return Status::OK();
}

OPSRUN_COLD inline Status InferenceContext::output(std::string_view name, std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = FindArg(call_->out_args, call_->n_out_args, name);
  if (arg == nullptr) return NoSuchArg(call_->out_args, call_->n_out_args, "output", name);
  for (uint32_t i = 0; i < arg->count; ++i) shapes->push_back(output(arg->first + i));
  return Status::OK();
}

OPSRUN_COLD inline void InferenceContext::set_output(int64_t i, ShapeHandle shape) {
  const uint32_t at = CheckIndex(i, call_->n_out, "output");
  outputs_[at] = shape;
  const opsrun_shape* told = shape.IsSet() ? shape.shape_ : UnknownShape().shape_;
  const int32_t code = call_->host->set_output_shape(call_, at, told);
  if (code == OPSRUN_OK) return;
  internal::Fail(Status(static_cast<error::Code>(code),
                        internal::StrCat("The host refuses ", DebugString(shape), " for output ", i)));
}

OPSRUN_COLD inline void InferenceContext::set_output_tensor_as_shape(int64_t i, ShapeHandle shape) {
  const uint32_t at = CheckIndex(i, call_->n_out, "output");
  const opsrun_shape* told = shape.IsSet() ? shape.shape_ : UnknownShape().shape_;
  const int32_t code = call_->host->set_output_value(call_, at, told);
  if (code == OPSRUN_OK) return;
  internal::Fail(Status(static_cast<error::Code>(code),
                        internal::StrCat("The host refuses ", DebugString(shape), " as the value of output ", i)));
}

OPSRUN_COLD inline Status InferenceContext::set_output(std::string_view name, const std::vector<ShapeHandle>& shapes) {
  const opsrun_arg* arg = FindArg(call_->out_args, call_->n_out_args, name);
  if (arg == nullptr) return NoSuchArg(call_->out_args, call_->n_out_args, "output", name);
  if (arg->count != shapes.size()) {
    return internal::Invalid(
               {"Output '", name, "' has ", arg->count, " tensors, but is given ", shapes.size(), " shapes"})
        .Blame("output:" + std::string(name));
  }
  for (uint32_t i = 0; i < arg->count; ++i) set_output(arg->first + i, shapes[i]);
  return Status::OK();
}

OPSRUN_COLD inline std::string InferenceContext::SubjectOf(int64_t input) const {
  for (const opsrun_arg* arg = call_->in_args; arg != call_->in_args + call_->n_in_args; ++arg) {
    if (input >= arg->first && input - arg->first < arg->count) {
      return "input:" + std::string(arg->name.data, arg->name.size);
    }
  }
  return {};
}

OPSRUN_COLD inline std::string InferenceContext::SubjectOf(ShapeHandle s) const {
  for (uint32_t i = 0; i < call_->n_in; ++i) {
    if (call_->in[i] == s.shape_) return SubjectOf(static_cast<int64_t>(i));
  }
  return {};
}

OPSRUN_COLD inline std::string InferenceContext::SubjectOf(DimensionHandle d) const {
  for (uint32_t i = 0; i < call_->n_in; ++i) {
    const opsrun_shape* shape = call_->in[i];
    for (int32_t k = 0; k < shape->rank; ++k) {
      if (shape->dims[k] == d.dim_) return SubjectOf(static_cast<int64_t>(i));
    }
  }
  return {};
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

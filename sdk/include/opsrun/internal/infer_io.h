// opsrun/internal/infer_io.h: inputs and outputs of an InferenceContext, by index and by the name of their argument.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

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
  return internal::ErrorOf(error::INTERNAL, {"The shape function uses ", what, " '", name,
                                             "'; the op has: ", names.empty() ? "none" : names});
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::input(std::string_view name,
                                                          std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = FindArg(call_->in_args, call_->n_in_args, name);
  if (arg == nullptr) return NoSuchArg(call_->in_args, call_->n_in_args, "input", name);
  for (uint32_t i = 0; i < arg->count; ++i) shapes->push_back(input(arg->first + i));
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::output(std::string_view name,
                                                           std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = FindArg(call_->out_args, call_->n_out_args, name);
  if (arg == nullptr) return NoSuchArg(call_->out_args, call_->n_out_args, "output", name);
  for (uint32_t i = 0; i < arg->count; ++i) shapes->push_back(output(arg->first + i));
  return Status();
}

OPSRUN_COLD inline void InferenceContext::SetInput(int64_t i, ShapeHandle shape) {
  Input& replaced = inputs_[CheckIndex(i, call_->n_in, "input")];
  replaced.replaced = true;
  replaced.shape = shape;
}

OPSRUN_COLD inline bool InferenceContext::MergeInput(int64_t i, ShapeHandle shape) {
  const ShapeHandle before = input(i);
  ShapeHandle merged;
  if (!Merge(before, shape, &merged).ok() || merged.SameHandle(before)) return false;
  SetInput(i, merged);
  return true;
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::ExpandOutputs(int64_t count) {
  if (count == num_outputs()) return Status();
  return internal::ErrorOf(
      count < num_outputs() ? error::INVALID_ARGUMENT : error::UNIMPLEMENTED,
      {"The op has ", num_outputs(), " outputs, not ", count,
       ": a shape function cannot change that; declare an output that is a list, whose length an attr says"});
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

OPSRUN_COLD inline ReturnedStatus InferenceContext::set_output(std::string_view name,
                                                               const std::vector<ShapeHandle>& shapes) {
  const opsrun_arg* arg = FindArg(call_->out_args, call_->n_out_args, name);
  if (arg == nullptr) return NoSuchArg(call_->out_args, call_->n_out_args, "output", name);
  if (arg->count != shapes.size()) {
    return internal::Invalid(
               {"Output '", name, "' has ", arg->count, " tensors, but is given ", shapes.size(), " shapes"})
        .Blame("output:" + std::string(name));
  }
  for (uint32_t i = 0; i < arg->count; ++i) set_output(arg->first + i, shapes[i]);
  return Status();
}

OPSRUN_COLD inline std::string InferenceContext::SubjectOf(int64_t input) const {
  for (const opsrun_arg* arg = call_->in_args; arg != call_->in_args + call_->n_in_args; ++arg) {
    if (input >= arg->first && input - arg->first < arg->count) {
      const std::string element = arg->count > 1 ? "." + std::to_string(input - arg->first) : "";
      return "input:" + std::string(arg->name.data, arg->name.size) + element;
    }
  }
  return {};
}

OPSRUN_COLD inline std::string InferenceContext::SubjectOf(ShapeHandle s) const {
  for (int64_t i = 0; i < num_inputs(); ++i) {
    if (call_->in[i] == s.shape_ || input(i).SameHandle(s)) return SubjectOf(i);
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

OPSRUN_COLD inline std::string InferenceContext::DebugString(const ShapeAndType& s) {
  return DebugString(s.shape) + ":" + DataTypeName(s.dtype);
}

OPSRUN_COLD inline std::string InferenceContext::DebugString(gtl::ArraySlice<ShapeAndType> shapes) {
  std::string text;
  for (const ShapeAndType& s : shapes) text += (text.empty() ? "" : ",") + DebugString(s);
  return "[" + text + "]";
}

OPSRUN_COLD inline std::string InferenceContext::DebugString() const {
  std::string text;
  for (int64_t i = 0; i < num_inputs(); ++i) {
    if (i > 0) text += ';';
    text += DebugString(input(i)) + ValueText(inputs_[static_cast<size_t>(i)]);
  }
  text += " ->";
  for (size_t i = 0; i < outputs_.size(); ++i) text += (i > 0 ? ";" : " ") + DebugString(outputs_[i]);
  return text;
}

OPSRUN_COLD inline Status InferenceContext::Explained(Status status) const {
  if (status.ok()) return status;
  return Status(status.code(), internal::StrCat(status.message(), " (while inferring ", DebugString(), ")"))
      .Blame(status.subject());
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

// opsrun/internal/infer_io.h: inputs and outputs of an InferenceContext, by index and by the name of their argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

OPSRUN_COLD inline Status InferenceContext::FindArg(const opsrun_arg* args, uint32_t n_args, const char* what,
                                                    std::string_view name, const opsrun_arg** found) {
  std::string names;
  for (*found = args; *found != args + n_args; ++*found) {
    const std::string_view own((*found)->name.data, (*found)->name.size);
    if (own == name) return Status();
    names.append(names.empty() ? "" : ", ").append(own);
  }
  return internal::ErrorOf(error::INTERNAL, {"The shape function uses ", what, " '", name,
                                             "'; the op has: ", names.empty() ? "none" : names});
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::input(std::string_view name,
                                                          std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = nullptr;
  TF_RETURN_IF_ERROR(FindArg(call_->in_args, call_->n_in_args, "input", name, &arg));
  for (uint32_t i = 0; i < arg->count; ++i) shapes->push_back(input(arg->first + i));
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::output(std::string_view name,
                                                           std::vector<ShapeHandle>* shapes) const {
  shapes->clear();
  const opsrun_arg* arg = nullptr;
  TF_RETURN_IF_ERROR(FindArg(call_->out_args, call_->n_out_args, "output", name, &arg));
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
  const opsrun_arg* arg = nullptr;
  TF_RETURN_IF_ERROR(FindArg(call_->out_args, call_->n_out_args, "output", name, &arg));
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

// Values of inputs that may be known before the run.

OPSRUN_COLD inline const Tensor* InferenceContext::WantValue(int64_t i) {
  static_assert(sizeof(Tensor) == sizeof(const opsrun_tensor*), "a Tensor is one pointer to a view");
  const uint32_t at = CheckIndex(i, call_->n_in, "input");
  Input& known = inputs_[at];
  known.wanted = true;
  if (known.given != nullptr) return known.given;
  const opsrun_tensor* value = nullptr;
  const int32_t code = call_->host->want_value(call_, at, &value, nullptr);
  Require(Status(static_cast<error::Code>(code), "The host cannot tell an input's value"));
  if (value == nullptr || !internal::HasSlots(value->dtype)) {
    known.view = value;
  } else if (known.view == nullptr) {
    known.view = new internal::SlotTensor(value, false);
  }
  // The slot is never destroyed as a Tensor, so it does not release a reference that it does not own.
  return known.view == nullptr ? nullptr : reinterpret_cast<const Tensor*>(&known.view);
}

OPSRUN_COLD inline ShapeHandle InferenceContext::WantSpelled(int64_t i) {
  const uint32_t at = CheckIndex(i, call_->n_in, "input");
  inputs_[at].wanted_as_shape = true;
  if (inputs_[at].given_spelled.IsSet()) return inputs_[at].given_spelled;
  const opsrun_shape* spelled = nullptr;
  const int32_t code = call_->host->want_value(call_, at, nullptr, &spelled);
  Require(Status(static_cast<error::Code>(code), "The host cannot tell an input's elements"));
  return ShapeHandle(spelled);
}

OPSRUN_COLD inline InferenceContext::~InferenceContext() {
  for (const Input& known : inputs_) {
    if (known.view == nullptr) continue;
    if (internal::SlotTensor* slots = internal::SlotTensor::From(known.view)) slots->Release();
  }
}

OPSRUN_COLD inline std::vector<ShapeHandle> InferenceContext::input_tensors_as_shapes() {
  std::vector<ShapeHandle> shapes;
  for (int64_t i = 0; i < num_inputs(); ++i) {
    shapes.emplace_back();
    WantValue(i);
    const ShapeHandle elements = WantSpelled(i);
    if (Rank(input(i)) != 0) {
      if (RankKnown(elements) && !ReadSizes(elements, &shapes.back()).ok()) shapes.back() = ShapeHandle();
    } else if (Rank(elements) == 1 && ElementOf(*elements.shape_->dims[0]).value() == -1) {
      shapes.back() = UnknownShape();
    }
  }
  return shapes;
}

OPSRUN_COLD inline void InferenceContext::set_input_tensors(const std::vector<const Tensor*>& values) {
  for (size_t i = 0; i < std::min(values.size(), inputs_.size()); ++i) inputs_[i].given = values[i];
}

OPSRUN_COLD inline void InferenceContext::set_input_tensors_as_shapes(const std::vector<ShapeHandle>& shapes) {
  for (size_t i = 0; i < std::min(shapes.size(), inputs_.size()); ++i) inputs_[i].given_spelled = shapes[i];
}

OPSRUN_COLD inline std::string InferenceContext::ValueText(const Input& input) {
  const Tensor* t = input.given;
  if (t == nullptr && input.view != nullptr) t = reinterpret_cast<const Tensor*>(&input.view);
  return t == nullptr ? "" : "=<" + t->SummarizeValue(8) + ">";
}

OPSRUN_COLD inline Status InferenceContext::ReadInt(const Tensor& t, int64_t i, int64_t* value) {
  if (t.dtype() == DT_INT32) {
    *value = static_cast<const int32_t*>(t.data())[i];
  } else if (t.dtype() == DT_INT64) {
    *value = static_cast<const int64_t*>(t.data())[i];
  } else {
    return internal::Invalid({"Sizes and positions must be int32 or int64, but are ", DataTypeName(t.dtype())});
  }
  return Status();
}

OPSRUN_COLD inline Status InferenceContext::UnknownValue() {
  return internal::Invalid({"The tensor is NULL: its value is not known before the run"});
}

template <typename Int64>
ReturnedStatus InferenceContext::GetScalarFromTensor(const Tensor* t, Int64* value) {
  static_assert(sizeof(Int64) == sizeof(int64_t), "the value is an int64");
  if (t == nullptr) return UnknownValue();
  if (t->dims() != 0) return internal::Invalid({"Tensor must be a scalar but is rank ", t->dims()});
  int64_t read = 0;
  TF_RETURN_IF_ERROR(ReadInt(*t, 0, &read));
  *value = read;
  return Status();
}

template <typename Int64>
ReturnedStatus InferenceContext::GetScalarFromTensor(const Tensor* t, int64_t i, Int64* value) {
  static_assert(sizeof(Int64) == sizeof(int64_t), "the value is an int64");
  if (t == nullptr) return UnknownValue();
  if (t->dims() != 1) return internal::Invalid({"Tensor must be a vector but is rank ", t->dims()});
  if (i < 0 || i >= t->NumElements()) {
    return internal::Invalid({"Tensor of ", t->NumElements(), " elements has no element ", i});
  }
  int64_t read = 0;
  TF_RETURN_IF_ERROR(ReadInt(*t, i, &read));
  *value = read;
  return Status();
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeShapeFromShapeTensor(int64_t i, ShapeHandle* out) {
  *out = ShapeHandle();
  ShapeHandle vector;
  TF_RETURN_IF_ERROR(WithRank(input(i), 1, &vector));
  return MakeShapeFromValue(i, vector, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeShapeFromShapeTensorTreatScalarAsUnknownShape(
    int64_t i, ShapeHandle* out) {
  *out = ShapeHandle();
  ShapeHandle vector_or_scalar;
  TF_RETURN_IF_ERROR(WithRankAtMost(input(i), 1, &vector_or_scalar));
  return MakeShapeFromValue(i, vector_or_scalar, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeShapeFromValue(int64_t i, ShapeHandle tensor_shape, ShapeHandle* out) {
  const Tensor* t = WantValue(i);
  const ShapeHandle elements = t == nullptr && Rank(tensor_shape) != 0 ? WantSpelled(i) : ShapeHandle();
  const bool in_part = RankKnown(elements);
  Status made = in_part ? Status(ReadSizes(elements, out)) : Status(MakeShapeFromTensor(t, tensor_shape, out));
  return std::move(made).Blame(SubjectOf(i));
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeShapeFromTensor(const Tensor* t, ShapeHandle tensor_shape,
                                                                        ShapeHandle* out) {
  *out = ShapeHandle();
  if (t == nullptr) {
    // A vector of n elements holds a shape of rank n, whatever its elements are.
    const bool is_vector = Rank(tensor_shape) == 1;
    return NewUnknownShape(is_vector ? Value(DimKnownRank(tensor_shape, 0)) : kUnknownRank, out);
  }
  int64_t size = 0;
  if (t->dims() == 0) {
    TF_RETURN_IF_ERROR(ReadInt(*t, 0, &size));
    if (size == -1) return NewUnknownShape(kUnknownRank, out);
    return internal::Invalid(
        {"A shape is given by a vector, or by the scalar -1 if it is unknown, but not by the scalar ", size});
  }
  if (t->dims() != 1) return internal::Invalid({"A shape is given by a vector, but the tensor is rank ", t->dims()});
  if (t->NumElements() > OPSRUN_MAX_RANK) {
    return internal::Invalid({"A shape of ", t->NumElements(), " dimensions; there may be ", OPSRUN_MAX_RANK});
  }
  std::vector<DimensionHandle> dims(static_cast<size_t>(t->NumElements()));
  for (size_t k = 0; k < dims.size(); ++k) {
    TF_RETURN_IF_ERROR(ReadInt(*t, static_cast<int64_t>(k), &size));
    if (size < -1) return internal::Invalid({"Dimension ", k, " has size ", size, ", below -1"});
    TF_RETURN_IF_ERROR(NewDim(size, &dims[k]));
  }
  return NewShape(dims, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeDimForScalarInput(int64_t i, DimensionHandle* out) {
  *out = DimensionHandle();
  const Tensor* t = input_tensor(i);
  if (t == nullptr) {
    const ShapeHandle elements = WantSpelled(i);
    *out = SizeOf(Rank(elements) == 1 ? ElementOf(*elements.shape_->dims[0]) : KnownElement());
    return Status();
  }
  int64_t size = 0;
  TF_RETURN_IF_ERROR(Status(GetScalarFromTensor(t, &size)).Blame(SubjectOf(i)));
  if (size < 0) return Error(i, {"A size must be 0 or more, but is ", size});
  return NewDim(size, out);
}

OPSRUN_COLD inline ReturnedStatus InferenceContext::MakeDimForScalarInputWithNegativeIndexing(int64_t i, int rank,
                                                                                              DimensionHandle* out) {
  *out = DimensionHandle();
  const Tensor* t = input_tensor(i);
  if (t == nullptr) return NewDim(kUnknownDim, out);
  int64_t axis = 0;
  TF_RETURN_IF_ERROR(Status(GetScalarFromTensor(t, &axis)).Blame(SubjectOf(i)));
  if (rank < 0) return NewDim(axis < 0 ? kUnknownDim : axis, out);
  if (axis < -int64_t{rank} || axis >= rank) return Error(i, {"A tensor of rank ", rank, " has no axis ", axis});
  return NewDim(axis < 0 ? axis + rank : axis, out);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

// opsrun/internal/op_kernel_context_impl.h: the slow paths of OpKernelContext.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "opsrun/internal/finish_call.h"
#include "opsrun/op_kernel_context.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

inline const Tensor& OpInputList::operator[](int i) const {
  return context_->input(i < 0 || i >= size() ? -1 : begin_ + i);
}

inline DataType OpOutputList::expected_output_dtype(int i) const {
  return context_->expected_output_dtype(Flat(i));
}

inline Tensor* OpOutputList::operator[](int i) const {
  return context_->mutable_output(Flat(i));
}

inline ReturnedStatus OpOutputList::allocate(int i, const TensorShape& shape, Tensor** tensor) const {
  return context_->allocate_output(Flat(i), shape, tensor);
}

inline void OpOutputList::set(int i, const Tensor& tensor) const {
  context_->set_output(Flat(i), tensor);
}

inline ReturnedStatus OpKernelContext::input(std::string_view name, const Tensor** tensor) const {
  int i = 0;
  TF_RETURN_IF_ERROR(signature_->inputs().FindSingle(name, &i));
  *tensor = &input(i);
  return Status();
}

OPSRUN_COLD inline ReturnedStatus OpKernelContext::input_dtype(std::string_view name, DataType* type) const {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(input(name, &tensor));
  *type = tensor->dtype();
  return Status();
}

OPSRUN_COLD inline ReturnedStatus OpKernelContext::mutable_output(std::string_view name, Tensor** tensor) {
  int i = 0;
  TF_RETURN_IF_ERROR(signature_->outputs().FindSingle(name, &i));
  *tensor = mutable_output(i);
  return Status();
}

OPSRUN_COLD inline bool OpKernelContext::ValidateInputsAreSameShape(OpKernel* /*kernel*/) {
  for (int i = 1; i < num_inputs(); ++i) {
    if (input(i).shape() == input(0).shape()) continue;
    SetStatus(Status(errors::InvalidArgument("Inputs 0 and ", i, " have different shapes: ", input(0).shape(), " and ",
                                             input(i).shape()))
                  .Blame(signature_->inputs().Subject(i)));
    return false;
  }
  return true;
}

inline ReturnedStatus OpKernelContext::input_list(std::string_view name, OpInputList* list) const {
  const opsrun_arg* range = nullptr;
  TF_RETURN_IF_ERROR(signature_->inputs().FindRange(name, &range));
  *list = OpInputList(this, static_cast<int>(range->first), static_cast<int>(range->first + range->count));
  return Status();
}

inline ReturnedStatus OpKernelContext::output_list(std::string_view name, OpOutputList* list) {
  const opsrun_arg* range = nullptr;
  TF_RETURN_IF_ERROR(signature_->outputs().FindRange(name, &range));
  *list = OpOutputList(this, static_cast<int>(range->first), static_cast<int>(range->first + range->count));
  return Status();
}

inline ReturnedStatus OpKernelContext::allocate_output(std::string_view name, const TensorShape& shape,
                                                       Tensor** tensor) {
  int i = 0;
  TF_RETURN_IF_ERROR(signature_->outputs().FindSingle(name, &i));
  return allocate_output(i, shape, tensor);
}

inline void OpKernelContext::set_output(int i, const Tensor& tensor) {
  TakeFailure((CanMake(i) ? ShareOutput(i, tensor) : CannotMake(i)).Release());
}

inline ReturnedStatus OpKernelContext::set_output(std::string_view name, const Tensor& tensor) {
  int i = 0;
  TF_RETURN_IF_ERROR(signature_->outputs().FindSingle(name, &i));
  if (!CanMake(i)) return CannotMake(i);
  return ShareOutput(i, tensor);
}

inline bool OpKernelContext::forward_input_to_output_with_shape(int in, int out, const TensorShape& shape,
                                                                Tensor** tensor) {
  // Slots are never forwarded: a kernel writes to its own copy until the call ends.
  const bool worth_asking = !internal::HasSlots(expected_output_dtype(out)) && in >= 0 && in < 64 &&
                            static_cast<uint32_t>(in) < call_->n_in && (call_->forwardable >> in & 1) != 0;
  if (!worth_asking || !CanMake(out)) return false;
  opsrun_tensor* view = nullptr;
  const int32_t code = call_->host->forward_input(call_, static_cast<uint32_t>(in), static_cast<uint32_t>(out),
                                                  shape.dims(), shape.data(), &view);
  if (code != OPSRUN_OK || view == nullptr) return false;
  *tensor = outputs_.Show(out, view);
  return true;
}

OPSRUN_COLD inline ReturnedStatus OpKernelContext::forward_input_to_output_with_shape(std::string_view in,
                                                                                      std::string_view out,
                                                                                      const TensorShape& shape,
                                                                                      Tensor** tensor) {
  int from = 0, to = 0;
  TF_RETURN_IF_ERROR(signature_->inputs().FindSingle(in, &from));
  TF_RETURN_IF_ERROR(signature_->outputs().FindSingle(out, &to));
  if (forward_input_to_output_with_shape(from, to, shape, tensor)) return Status();
  return errors::FailedPrecondition("The host does not give the memory of this input to the output");
}

inline ReturnedStatus OpKernelContext::forward_input_or_allocate_output(gtl::ArraySlice<int> inputs, int out,
                                                                        const TensorShape& shape, Tensor** tensor,
                                                                        int* forwarded) {
  for (const int in : inputs) {
    if (!forward_input_to_output_with_shape(in, out, shape, tensor)) continue;
    if (forwarded != nullptr) *forwarded = in;
    return Status();
  }
  if (forwarded != nullptr) *forwarded = -1;
  return allocate_output(out, shape, tensor);
}

inline ReturnedStatus OpKernelContext::forward_input_or_allocate_output(gtl::ArraySlice<std::string_view> inputs,
                                                                        std::string_view out, const TensorShape& shape,
                                                                        Tensor** tensor) {
  int to = 0;
  TF_RETURN_IF_ERROR(signature_->outputs().FindSingle(out, &to));
  for (const std::string_view name : inputs) {
    int in = 0;
    TF_RETURN_IF_ERROR(signature_->inputs().FindSingle(name, &in));
    if (forward_input_to_output_with_shape(in, to, shape, tensor)) return Status();
  }
  return allocate_output(to, shape, tensor);
}

OPSRUN_COLD inline void OpKernelContext::SetStatus(const Status& status) {
  TakeFailure(Status(status).Release());
}

OPSRUN_COLD inline void OpKernelContext::TakeFailure(internal::StatusState* failure) {
  if (failure == nullptr) return;
  internal::StatusState* none = nullptr;
  const bool first = __atomic_compare_exchange_n(&failure_, &none, failure, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  if (!first) internal::Delete(failure);
  __atomic_fetch_or(&notes_, kHasFailure, __ATOMIC_RELAXED);
}

inline void internal::NoteScheduled(OpKernelContext* context) {
  context->NoteScheduled();
}
inline void internal::SetStatus(OpKernelContext* context, const Status& status) {
  context->SetStatus(status);
}

inline ReturnedStatus OpKernelContext::status() const {
  const internal::StatusState* failure = __atomic_load_n(&failure_, __ATOMIC_ACQUIRE);
  return failure == nullptr ? Status() : Status(internal::CopyOf(*failure));
}

OPSRUN_COLD inline const Tensor& OpKernelContext::SlotInput(int i) const {
  if (static_cast<uint32_t>(i) >= call_->n_in) FailIndex("input", i);
  if (!internal::HasSlots(call_->in[i]->dtype)) return reinterpret_cast<const Tensor&>(call_->in[i]);
  Tensor* inputs = __atomic_load_n(&slot_inputs_, __ATOMIC_ACQUIRE);
  return (inputs == nullptr ? NewSlotInputs() : inputs)[i];
}

// Several threads may execute this at the same time; the first one to finish wins.
OPSRUN_COLD inline Tensor* OpKernelContext::NewSlotInputs() const {
  Tensor* inputs = new Tensor[call_->n_in];
  for (uint32_t i = 0; i < call_->n_in; ++i) {
    if (internal::HasSlots(call_->in[i]->dtype)) {
      // In place of the empty Tensor, which owns nothing. An assignment would pull own_tensor.h into every plugin.
      new (&inputs[i]) Tensor(Tensor::Adopt(new internal::SlotTensor(call_->in[i], false)));
    }
  }
  Tensor* none = nullptr;
  __atomic_fetch_or(&notes_, kHasSlotInputs, __ATOMIC_RELAXED);
  if (__atomic_compare_exchange_n(&slot_inputs_, &none, inputs, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return inputs;
  }
  delete[] inputs;
  return none;
}

// The kernel may have kept a copy of an input, which must not refer to the frame after the call. False: the host is out
// of memory.
OPSRUN_COLD inline bool OpKernelContext::KeepSlotInputs() {
  bool kept = true;
  for (uint32_t i = 0; slot_inputs_ != nullptr && i < call_->n_in; ++i) {
    internal::SlotTensor* slots = internal::SlotTensor::From(slot_inputs_[i].view());
    if (slots != nullptr && slots->IsShared()) kept = slots->OwnOrigin() && kept;
  }
  return kept;
}

OPSRUN_COLD inline void OpKernelContext::FailIndex(const char* side, int i) const {
  internal::Fail(internal::Error(error::INTERNAL, "The kernel asks for %s %d; it has %u", side, i, call_->n_in));
}

OPSRUN_COLD inline Status OpKernelContext::OutputError(error::Code code, int i, const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  const std::string sentence = internal::FormatList(format, arguments);
  va_end(arguments);
  return Status(code, sentence).Blame(signature_->outputs().Subject(i));
}

OPSRUN_COLD inline Status OpKernelContext::CannotMake(int i) const {
  const std::string name = signature_->outputs().Describe(i);
  if (IsOutput(i)) return OutputError(error::INTERNAL, i, "The kernel makes %s twice", name.c_str());
  return internal::Error(error::INTERNAL, "The kernel makes output %d; it has %u", i, call_->n_out);
}

OPSRUN_COLD inline Status OpKernelContext::CannotAllocate(int i, const TensorShape& shape, int32_t code) const {
  const std::string name = signature_->outputs().Describe(i), asked = shape.DebugString();
  const opsrun_tensor& view = *call_->out[i];
  if ((view.flags & OPSRUN_TENSOR_PLANNED) != 0) {
    return OutputError(error::INVALID_ARGUMENT, i,
                       "The kernel allocates %s with shape %s; the shape function says %s "
                       "(-DOPSRUN_IGNORE_SHAPE_FNS compiles the plugin without it)",
                       name.c_str(), asked.c_str(), internal::DimsString(view.shape, view.rank).c_str());
  }
  return OutputError(static_cast<error::Code>(code), i, "The host cannot allocate %s of shape %s and type %s",
                     name.c_str(), asked.c_str(), DataTypeName(expected_output_dtype(i)).c_str());
}

// The slow path of allocate_output; NULL if it fails. It gets no address of its caller's, so that what the caller makes
// of the result can be in registers.
inline __attribute__((noinline)) Tensor* OpKernelContext::MakeOutput(int i, const TensorShape& shape) {
  const auto fail = [this](Status why) {
    why_not_made_ = std::move(why).Release();
    return nullptr;
  };
  if (!CanMake(i)) return fail(CannotMake(i));
  opsrun_tensor* view = call_->out[i];
  int32_t code = OPSRUN_OK;
  if ((view->flags & OPSRUN_TENSOR_PLANNED) == 0) {
    code = call_->host->allocate_output(call_, static_cast<uint32_t>(i), shape.dims(), shape.data(), &view);
  } else if (!shape.Equals(view->shape, view->rank)) {
    code = OPSRUN_INVALID_ARGUMENT;
  }
  if (code != OPSRUN_OK) return fail(CannotAllocate(i, shape, code));
  if (!internal::HasSlots(view->dtype)) return outputs_.Show(i, view);
  return outputs_.Own(i, new internal::SlotTensor(static_cast<DataType>(view->dtype), view->rank, view->shape));
}

OPSRUN_COLD inline Status OpKernelContext::CannotShare(int i, const Tensor& tensor, int32_t code) const {
  return OutputError(static_cast<error::Code>(code), i, "The host cannot take a tensor of type %s and shape %s as %s",
                     DataTypeName(tensor.dtype()).c_str(), tensor.shape().DebugString().c_str(),
                     signature_->outputs().Describe(i).c_str());
}

// Shares elements that the host already has, and copies elements that the kernel wrote.
OPSRUN_COLD inline Status OpKernelContext::ShareOutput(int i, const Tensor& tensor) {
  const opsrun_tensor* view = tensor.view();
  if (const internal::SlotTensor* slots = internal::SlotTensor::From(view)) {
    if (slots->dtype != call_->out[i]->dtype) return CannotShare(i, tensor, error::INVALID_ARGUMENT);
    view = slots->Origin();
    if (view == nullptr) return GiveSlots(i, *slots);
  }
  const opsrun_host* const host = internal::OwnTensor::IsOne(view) ? view->host : call_->host;
  const int32_t code = host->set_output(call_, static_cast<uint32_t>(i), view);
  if (code != OPSRUN_OK) return CannotShare(i, tensor, code);
  outputs_.Show(i, call_->out[i]);
  return Status();
}

OPSRUN_COLD inline Status OpKernelContext::GiveSlots(int i, const internal::SlotTensor& slots) {
  const TensorShape shape(slots);
  opsrun_tensor* view = call_->out[i];
  int32_t code = OPSRUN_OK;
  if (view->rank < 0) {
    code = call_->host->allocate_output(call_, static_cast<uint32_t>(i), shape.dims(), shape.data(), &view);
  } else if (TensorShape(*view) != shape) {
    return ReplaceSlots(i, slots);
  }
  if (code == OPSRUN_OK) code = MakeAllKnown(slots);
  if (code == OPSRUN_OK) code = slots.GiveTo(view);
  if (code != OPSRUN_OK) return CannotAllocate(i, shape, code);
  outputs_.Show(i, view);
  return Status();
}

// Creates the object in the host's table under a unique name, and removes it again, so that only the handles keep it.
OPSRUN_COLD inline int32_t OpKernelContext::MakeKnown(internal::Unnamed* unnamed) const {
  static long long last = 0;
  if (unnamed->object() == nullptr) return OPSRUN_FAILED_PRECONDITION;
  const std::string name = internal::Format("_unnamed_%lld", __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
  const opsrun_str container = internal::Borrow("localhost"), type = internal::Borrow(unnamed->type());
  const auto make = [](void* ctx, void** object) {
    *object = static_cast<internal::Unnamed*>(ctx)->object();
    return int32_t{OPSRUN_OK};
  };
  const opsrun_resource* known = nullptr;
  int32_t code =
      call_->host->resource(call_, container, internal::Borrow(name), type, make, unnamed, unnamed->release(), &known);
  if (code != OPSRUN_OK) return code;
  unnamed->BecomeKnown(known);
  return call_->host->resource_delete(call_, container, internal::Borrow(name), type);
}

OPSRUN_COLD inline int32_t OpKernelContext::MakeAllKnown(const internal::SlotTensor& slots) const {
  return slots.ForUnknownResources([this](internal::Unnamed* unnamed) { return MakeKnown(unnamed); });
}

// The output was allocated with another shape, so a temporary replaces it.
OPSRUN_COLD inline Status OpKernelContext::ReplaceSlots(int i, const internal::SlotTensor& slots) {
  const TensorShape shape(slots);
  const opsrun_tensor* made = nullptr;
  int32_t code = call_->host->allocate_temp(call_, slots.dtype, shape.dims(), shape.data(), OPSRUN_TEMP_ON_HOST, &made);
  if (code != OPSRUN_OK) return CannotAllocate(i, shape, code);
  code = MakeAllKnown(slots);
  if (code == OPSRUN_OK) code = slots.GiveTo(made);
  if (code == OPSRUN_OK) code = call_->host->set_output(call_, static_cast<uint32_t>(i), made);
  made->host->release(made);
  if (code != OPSRUN_OK) return CannotAllocate(i, shape, code);
  outputs_.Show(i, call_->out[i]);
  return Status();
}

}  // namespace OPSRUN_HIDDEN

// opsrun/op_kernel_context.h: OpKernelContext, the argument of a kernel's Compute; OpInputList and OpOutputList, the
// tensors of one argument.
//
// A context is a thin view of the frame of a call, valid while Compute runs. Reading an input and allocating an output
// that the host has planned do not call the host. Any thread of the call may set a status; only one thread at a time
// may make outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "opsrun/array_slice.h"
#include "opsrun/c_api.h"
#include "opsrun/device_base.h"
#include "opsrun/internal/output_slots.h"
#include "opsrun/internal/signature.h"
#include "opsrun/internal/tensorflow_context.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/types.h"

struct CUstream_st;  // of CUDA's headers, which are not included here

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernel;
class ResourceMgr;

namespace internal {

// Iterates over a list by its operator[], which returns an Element&, or an Element if it is a pointer.
template <typename List, typename Element>
class ListIterator {
 public:
  typedef std::forward_iterator_tag iterator_category;
  typedef std::remove_const_t<Element> value_type;
  typedef ptrdiff_t difference_type;
  typedef Element* pointer;
  typedef std::conditional_t<std::is_pointer_v<Element>, Element, Element&> reference;

  ListIterator(const List* list, int i) : list_(list), i_(i) {}
  reference operator*() const { return (*list_)[i_]; }
  pointer operator->() const { return &(*list_)[i_]; }
  ListIterator& operator++() {
    ++i_;
    return *this;
  }
  ListIterator operator++(int) { return {list_, i_++}; }
  bool operator!=(const ListIterator& other) const { return i_ != other.i_; }
  bool operator==(const ListIterator& other) const { return i_ == other.i_; }

 private:
  const List* list_;
  int i_;
};

}  // namespace internal

// Valid while Compute runs. An index that is out of range fails the call.
class OpInputList {
 public:
  OpInputList() = default;
  OpInputList(const OpKernelContext* context, int begin, int end) : context_(context), begin_(begin), end_(end) {}

  int size() const { return end_ - begin_; }
  const Tensor& operator[](int i) const;

  typedef internal::ListIterator<OpInputList, const Tensor> Iterator;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  const OpKernelContext* context_ = nullptr;
  int begin_ = 0, end_ = 0;
};

class OpOutputList {
 public:
  OpOutputList() = default;
  OpOutputList(OpKernelContext* context, int begin, int end) : context_(context), begin_(begin), end_(end) {}

  int size() const { return end_ - begin_; }
  DataType expected_output_dtype(int i) const;
  bool required(int /*i*/) const { return true; }
  // NULL until the output is made.
  Tensor* operator[](int i) const;
  ReturnedStatus allocate(int i, const TensorShape& shape, Tensor** tensor) const;
  void set(int i, const Tensor& tensor) const;

  typedef internal::ListIterator<OpOutputList, Tensor*> Iterator;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  int Flat(int i) const { return i < 0 || i >= size() ? -1 : begin_ + i; }

  OpKernelContext* context_ = nullptr;
  int begin_ = 0, end_ = 0;
};

// The inputs by reference of one argument, which opsrun does not support: see mutable_input in
// internal/tensorflow_context.h.
class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  int size() const { return 0; }
  Tensor at(int /*i*/, bool /*lock_held*/) { return Tensor(); }
};

class OpKernelContext : public internal::TensorflowContext<OpKernelContext> {
 public:
  // Unless the call is a common one, call Begin first. After Compute, call Finish unless there is nothing to finish. If
  // one of them throws, call FinishThrown.
  OpKernelContext(opsrun_call* call, const internal::Signature* signature) : call_(call), signature_(signature) {}
  OpKernelContext(const OpKernelContext&) = delete;
  ~OpKernelContext() {}  // see End

  // Inputs. Indices count the tensors of flattened lists; an index that is out of range fails the call. Looking up a
  // list argument by name with input() is an error.
  int num_inputs() const { return static_cast<int>(call_->n_in); }
  const Tensor& input(int i) const {
    if (TF_PREDICT_FALSE(static_cast<uint32_t>(i) >= signature_->plain_inputs())) return SlotInput(i);
    return reinterpret_cast<const Tensor&>(call_->in[i]);
  }
  ReturnedStatus input(std::string_view name, const Tensor** tensor) const;
  ReturnedStatus input_list(std::string_view name, OpInputList* list) const;
  DataType input_dtype(int i) const { return input(i).dtype(); }
  ReturnedStatus input_dtype(std::string_view name, DataType* type) const;
  bool has_input(int i) const { return static_cast<uint32_t>(i) < call_->n_in; }
  MemoryType input_memory_type(int i) const { return signature_->inputs().memory_type(i); }

  // Outputs. Each output is made once: by allocate_output (its contents are undefined), by set_output (it shares the
  // given tensor) or by forwarding an input (it has the contents of the input). *tensor is valid while Compute runs.
  int num_outputs() const { return static_cast<int>(call_->n_out); }
  DataType expected_output_dtype(int i) const { return signature_->outputs().type(i); }
  MemoryType output_memory_type(int i) const { return signature_->outputs().memory_type(i); }
  ReturnedStatus allocate_output(int i, const TensorShape& shape, Tensor** tensor) {
    if (TF_PREDICT_TRUE(CanMake(i))) {
      // Outputs of the shape of an input share its sizes. An output that is not planned has no rank yet.
      const opsrun_tensor* planned = call_->out[i];
      if (TF_PREDICT_TRUE(shape.dims() == planned->rank && shape.data() == planned->shape)) {
        *tensor = outputs_.Show(i, planned);
        return Status();
      }
    }
    Tensor* made = MakeOutput(i, shape);
    if (TF_PREDICT_FALSE(made == nullptr)) return Status(why_not_made_);
    *tensor = made;
    return Status();
  }
  ReturnedStatus allocate_output(std::string_view name, const TensorShape& shape, Tensor** tensor);
  ReturnedStatus allocate_output(int i, const TensorShape& shape, Tensor** tensor, AllocatorAttributes) {
    return allocate_output(i, shape, tensor);
  }
  ReturnedStatus allocate_output(std::string_view name, const TensorShape& shape, Tensor** tensor,
                                 AllocatorAttributes) {
    return allocate_output(name, shape, tensor);
  }
  // Makes output i share `tensor`, which must not be written to afterwards.
  void set_output(int i, const Tensor& tensor);
  ReturnedStatus set_output(std::string_view name, const Tensor& tensor);
  // NULL until the output is made.
  Tensor* mutable_output(int i) { return IsOutput(i) ? outputs_.Made(i) : nullptr; }
  ReturnedStatus mutable_output(std::string_view name, Tensor** tensor);
  ReturnedStatus output_list(std::string_view name, OpOutputList* list);

  // Gives the buffer of input `in` to output `out` if the host allows it. False: nothing has changed, so allocate the
  // output. If there is no such input, returns false.
  bool forward_input_to_output_with_shape(int in, int out, const TensorShape& shape, Tensor** tensor);
  ReturnedStatus forward_input_to_output_with_shape(std::string_view in, std::string_view out, const TensorShape& shape,
                                                    Tensor** tensor);
  // Forwards the first input that can be forwarded, or allocates the output. *forwarded, unless it is NULL, is set to
  // the index of that input, or to -1.
  ReturnedStatus forward_input_or_allocate_output(gtl::ArraySlice<int> inputs, int out, const TensorShape& shape,
                                                  Tensor** tensor, int* forwarded = nullptr);
  ReturnedStatus forward_input_or_allocate_output(gtl::ArraySlice<std::string_view> inputs, std::string_view out,
                                                  const TensorShape& shape, Tensor** tensor);

  // Allocates scratch memory. Its contents are undefined.
  ReturnedStatus allocate_temp(DataType type, const TensorShape& shape, Tensor* tensor,
                               AllocatorAttributes attributes = {}, const AllocationAttributes& = {}) {
    return internal::AllocateTemporary(call_->host, call_, type, shape, attributes, tensor);
  }
  // The same for a PersistentTensor, of tensorflow/core/framework/op_kernel.h. *tensor may be NULL.
  template <typename Persistent>
  OPSRUN_COLD ReturnedStatus allocate_persistent(DataType type, const TensorShape& shape, Persistent* persistent,
                                                 Tensor** tensor) {
    return internal::AllocatePersistent(this, type, shape, persistent, tensor);
  }

  // The first failure is kept; later ones are ignored. May be called from any thread of the call.
  void SetStatus(const Status& status);
  ReturnedStatus status() const;
  void CtxFailure(const Status& status) { SetStatus(status); }
  void CtxFailure(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }
  void CtxFailure(const char* /*file*/, int /*line*/, Status&& status) { TakeFailure(std::move(status).Release()); }
  void CtxFailureWithWarning(const Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const char* /*file*/, int /*line*/, const Status& status) { SetStatus(status); }
  // INVALID_ARGUMENT unless the data types match exactly.
  ReturnedStatus MatchSignature(const DataTypeVector& inputs, const DataTypeVector& outputs) const {
    return internal::MatchTypes(signature_->inputs(), signature_->outputs(), inputs, outputs);
  }
  // Returns false and fails the call unless all inputs have the shape of the first.
  bool ValidateInputsAreSameShape(OpKernel* kernel = nullptr);

  // Eigen::ThreadPoolDevice on the threads of the host, or Eigen::GpuDevice on the stream of the call. Requires Eigen's
  // Tensor header.
  template <typename Device>
  const Device& eigen_device() const {
    if ((notes_ & kHasEigenDevice) == 0) {
      device_box_.Make<Device>(const_cast<OpKernelContext*>(this));
      __atomic_fetch_or(&notes_, kHasEigenDevice, __ATOMIC_RELAXED);
    }
    return device_box_.Get<Device>();
  }
  template <typename Device = Eigen::ThreadPoolDevice>
  const Device& eigen_cpu_device() const {
    return eigen_device<Device>();
  }
  template <typename Device = Eigen::GpuDevice>
  const Device& eigen_gpu_device() const {
    return eigen_device<Device>();
  }
  // The stream of a call on a GPU, a cudaStream_t: work that the kernel enqueues there runs after its inputs are
  // complete. NULL in a call on the CPU. The host owns it.
  CUstream_st* gpu_stream() const { return static_cast<CUstream_st*>(call_->stream); }
  // Objects that kernels share. Requires #include "opsrun/resource_mgr.h". Valid while Compute runs.
  ResourceMgr* resource_manager() const { return reinterpret_cast<ResourceMgr*>(call_); }
  // The worker threads, for Shard.
  DeviceBase* device() const {
    if (TF_PREDICT_FALSE((__atomic_load_n(&notes_, __ATOMIC_ACQUIRE) & kHasDevice) != kHasDevice)) MakeDevice();
    return &device_;
  }
  // The kernel whose call this is.
  const OpKernel& op_kernel() const { return *signature_->kernel(); }
  bool IsCancelled() const { return call_->host->cancelled(call_) != 0; }
  int64 step_id() const { return static_cast<int64>(call_->run_id); }

  // The frame of the call, for direct calls of the functions of c_api.h.
  opsrun_call* call() const { return call_; }

  static bool IsCommon(const opsrun_call* call) {
    return TF_PREDICT_TRUE(call->n_out == 1) && TF_PREDICT_TRUE(!internal::CCopiesScope::IsNeeded());
  }
  void Begin();
  // True in the common case: the call has made its output, and there is nothing to pass on or to destroy.
  OPSRUN_ALWAYS_INLINE bool HasNothingToFinish() const {
    return TF_PREDICT_TRUE((__atomic_load_n(&notes_, __ATOMIC_RELAXED) & ~kHasDevice) == 0) &&
           TF_PREDICT_TRUE(outputs_.OneShown()) && TF_PREDICT_TRUE(!internal::CCopiesScope::IsNeeded());
  }
  // Returns the code of the call, which is INTERNAL if an output was not made, and reports a failure.
  int32_t Finish();
  // The same while an exception is being handled, for which the call fails.
  int32_t FinishThrown();
  // False if output i is not read: the kernel then need not make it.
  bool IsOutputRequired(int i) const {
    if (!IsOutput(i) || call_->host->output_is_used(call_, static_cast<uint32_t>(i)) != 0) return true;
    __atomic_fetch_or(&notes_, kMaySkipOutputs, __ATOMIC_RELAXED);
    return false;
  }

  // The host runs a task of this call on another thread, so the call waits for it before it returns. Any thread.
  void NoteScheduled() { __atomic_fetch_or(&notes_, kHasScheduled, __ATOMIC_RELAXED); }

 private:
  bool IsOutput(int i) const { return static_cast<uint32_t>(i) < call_->n_out; }
  // Without outputs, output 0 counts as made, so that the most frequent index is tested once.
  bool CanMake(int i) const { return (i == 0 || IsOutput(i)) && !outputs_.IsMade(i); }
  [[noreturn]] void FailIndex(const char* side, int i) const;
  // The slow path of input(), for calls with inputs of strings or resources. Their Tensors live as long as the context.
  const Tensor& SlotInput(int i) const;
  Tensor* NewSlotInputs() const;
  bool KeepSlotInputs();
  // Blames output i.
  __attribute__((format(printf, 4, 5))) Status OutputError(error::Code code, int i, const char* format, ...) const;
  Status CannotMake(int i) const;
  Status CannotAllocate(int i, const TensorShape& shape, int32_t code) const;
  Status CannotShare(int i, const Tensor& tensor, int32_t code) const;
  Tensor* MakeOutput(int i, const TensorShape& shape);
  Status ShareOutput(int i, const Tensor& tensor);
  Status GiveSlots(int i, const internal::SlotTensor& slots);
  Status ReplaceSlots(int i, const internal::SlotTensor& slots);
  int32_t MakeKnown(internal::Unnamed* unnamed) const;
  int32_t MakeAllKnown(const internal::SlotTensor& slots) const;
  OPSRUN_ALWAYS_INLINE void WaitForScheduled() {
    if ((__atomic_load_n(&notes_, __ATOMIC_RELAXED) & kHasScheduled) != 0) call_->host->wait_scheduled(call_);
  }
  void TakeFailure(internal::StatusState* failure);
  void MakeDevice() const;
  int32_t FinishSlowly();
  // Reports a failure, and destroys what the call has. Not a destructor, so that the common case does not test for it.
  int32_t End(const Status& status);

  // The constructor writes the members up to the first slot, and nothing else.
  opsrun_call* call_;
  const internal::Signature* signature_;
  internal::StatusState* failure_ = nullptr;  // set once, atomically
  mutable Tensor* slot_inputs_ = nullptr;     // n_in; set once, atomically
  mutable uintptr_t notes_ = 0;
  internal::OutputSlots outputs_;
  internal::StatusState* why_not_made_;  // the result of MakeOutput if it failed, which its caller takes
  size_t first_c_copy_;
  mutable internal::DeviceBox device_box_;
  union {
    mutable DeviceBase device_;
  };

  // What a call must look after at its end, as bits of notes_, so that the common case has one branch instead of one
  // for each member. kManyOutputs: it does not have one output. kCountsCopies: CCopiesScope was needed when the call
  // began. kHasScheduled: a task of this call may run on another thread. kMaySkipOutputs: the kernel has asked, and
  // some output is not read. kHasFailure, kHasSlotInputs, kHasEigenDevice, kHasDevice: the member is set; kMakesDevice:
  // a thread is about to set it.
  static constexpr uintptr_t kManyOutputs = 1, kHasScheduled = 2, kMaySkipOutputs = 4, kHasFailure = 8,
                             kHasSlotInputs = 16, kHasEigenDevice = 32, kMakesDevice = 64,
                             kHasDevice = 128 | kMakesDevice, kCountsCopies = 256;
};

}  // namespace OPSRUN_HIDDEN

#include "opsrun/internal/op_kernel_context_impl.h"

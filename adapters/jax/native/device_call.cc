// adapters/jax/native/device_call.cc
// SPDX-License-Identifier: Apache-2.0
#include "device_call.h"

#include <cstring>
#include <map>
#include <new>

namespace opsrun_jax {
namespace {

using opsrun_adapter::Card;
using opsrun_adapter::InCpuMemory;
using opsrun_adapter::StreamView;

struct Block {
  void* data;
  size_t bytes;
};

// XLA's memory that kernels have released, by stream. Only a call can give it back to XLA, which lets what it enqueues
// on the same stream use it next.
class Released {
 public:
  static Released& Get() {
    static auto* const released = new Released;
    return *released;
  }
  void Add(void* stream, const Block& block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[stream].push_back(block);
  }
  std::vector<Block> Take(void* stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(stream);
    if (found == blocks_.end()) return {};
    std::vector<Block> blocks = std::move(found->second);
    blocks_.erase(found);
    return blocks;
  }

 private:
  std::mutex mutex_;  // guards blocks_
  std::map<void*, std::vector<Block>> blocks_;
};

void Destroy(const XLA_FFI_Api& api, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args args{XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  if (error != nullptr) api.XLA_FFI_Error_Destroy(&args);
}

}  // namespace

SharedTensor::SharedTensor(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, const int64_t* dims,
                           std::shared_ptr<void> its_memory, int32_t card, void* its_stream)
    : sizes_(dims, dims + its_rank), memory_(std::move(its_memory)) {
  sizes_.resize(2 * sizes_.size());
  opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  opsrun_adapter::Show(*this, memory_.get(), its_rank, sizes_.data(), sizes_.data() + its_rank);
  if (card >= 0) opsrun_adapter::MoveToCard(*this, card);
  stream = its_stream;
}

DeviceCall::DeviceCall(const opsrun_host* table, const TypedOp& op, const opsrun_kernel_object& kernel,
                       const XLA_FFI_CallFrame& frame, int32_t ordinal, void* its_stream)
    : Call(table, op, kernel, frame), ordinal_(ordinal), stream_(its_stream), card_(Card::Get(ordinal)) {
  const bool on_cpu = opsrun_adapter::Text(opsrun_kernel_object_get(&kernel)->device) == "cpu";
  if (on_cpu) return;
  device = {OPSRUN_DEVICE_CUDA, ordinal};
  stream = its_stream;
}

DeviceCall::~DeviceCall() {
  if (!cpu_memory_.empty()) card_.FreeAfter(stream_, std::move(cpu_memory_));
  for (const Block& block : Released::Get().Take(stream_)) {
    XLA_FFI_DeviceMemory_Free_Args args{XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr, frame().ctx, block.bytes,
                                        block.data};
    Destroy(*frame().api, frame().api->XLA_FFI_DeviceMemory_Free(&args));
  }
}

int32_t DeviceCall::Run() {
  if (const int32_t code = ShowBuffers(); code != OPSRUN_OK) return code;
  const Card::Current current(card_);
  if (current.error() != 0) return Check(current.error(), "the card's context");
  if (const int32_t code = ShowViews(); code != OPSRUN_OK) return code;
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel());
  const int32_t code = info.compute(info.object, this);
  return code == OPSRUN_OK ? ReturnOutputs() : code;
}

int32_t DeviceCall::ShowViews() {
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel());
  const std::vector<bool> inputs = InCpuMemory(info.in_args, info.n_in_args, n_in, !on_card());
  const std::vector<bool> outputs = InCpuMemory(info.out_args, info.n_out_args, n_out, !on_card());
  views_.reserve(n_in + n_out);
  for (uint32_t i = 0; i < n_in + n_out; ++i) {
    const bool input = i < n_in;
    const opsrun_tensor& shown = input ? *in[i] : *out[i - n_in];
    View& view = views_.emplace_back();
    static_cast<opsrun_tensor&>(view) = shown;
    view.stream = stream_;
    view.call = this;
    view.buffer = shown.data;
    CountBytes(input ? *op().in_types()[i] : *op().out_types()[i - n_in], shown.rank, shown.shape, view.bytes);
    if (!(input ? inputs[i] : outputs[i - n_in])) {
      opsrun_adapter::MoveToCard(view, ordinal_);
    } else if (const int32_t code = ShowInCpuMemory(view, input); code != OPSRUN_OK) {
      return code;
    }
    pointers_.push_back(&view);
  }
  in = pointers_.data();
  out = pointers_.data() + n_in;
  return OPSRUN_OK;
}

int32_t DeviceCall::ShowInCpuMemory(View& view, bool input) {
  view.memory = AllocateOnCpu(view.bytes);
  if (view.memory == nullptr) return Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory for a copy");
  view.data = view.memory.get();
  view.flags |= OPSRUN_TENSOR_ALIGNED64;
  if (!input) return OPSRUN_OK;
  return Check(card_.Copy(view.data, true, view.buffer, false, view.bytes, stream_), "a copy from the card");
}

int32_t DeviceCall::ReturnOutputs() {
  const uint32_t flags = opsrun_kernel_object_get(kernel())->flags;
  bool waits = on_card() && (flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) != 0;
  for (uint32_t i = n_in; i < n_in + n_out; ++i) {
    const View& view = views_[i];
    if (view.memory == nullptr) continue;
    int error = std::exchange(waits, false) ? card_.Wait(stream_) : 0;
    if (error == 0) error = card_.Copy(view.buffer, false, view.data, true, view.bytes, stream_);
    if (error != 0) return Check(error, "a copy to the card");
  }
  return OPSRUN_OK;
}

int32_t DeviceCall::Check(int error, const char* what) {
  return error == 0 ? OPSRUN_OK : Fail(OPSRUN_INTERNAL, Card::TextOf(error, what));
}

std::shared_ptr<void> DeviceCall::AllocateOnCpu(size_t bytes) {
  std::shared_ptr<void> memory(std::aligned_alloc(64, (bytes / 64 + 1) * 64), std::free);
  if (memory != nullptr) cpu_memory_.push_back(memory);
  return memory;
}

std::shared_ptr<void> DeviceCall::AllocateOnCard(size_t bytes) {
  constexpr size_t kAlignment = 16;  // the most that XLA accepts; what it allocates is aligned to 256 bytes
  const size_t some = std::max<size_t>(bytes, 1);
  XLA_FFI_DeviceMemory_Allocate_Args args{
      XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, frame().ctx, some, kAlignment, nullptr};
  if (XLA_FFI_Error* const error = frame().api->XLA_FFI_DeviceMemory_Allocate(&args)) {
    Destroy(*frame().api, error);
    return nullptr;
  }
  return {args.data, [stream = stream_, some](void* data) { Released::Get().Add(stream, {data, some}); }};
}

int32_t DeviceCall::SetOutput(uint32_t i, const opsrun_tensor* t) {
  size_t bytes = 0;
  if (const int32_t code = ReplaceOutput(i, *t, bytes); code != OPSRUN_OK) return code;
  const bool to_cpu = (out[i]->flags & OPSRUN_TENSOR_HOST) != 0, from_cpu = (t->flags & OPSRUN_TENSOR_HOST) != 0;
  int error = 0;
  if (to_cpu && from_cpu) {
    if (on_card() && (opsrun_kernel_object_get(kernel())->flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) != 0) {
      error = card_.Wait(stream_);
    }
    if (error == 0 && bytes > 0) std::memmove(out[i]->data, t->data, bytes);
    return Check(error, "the work before a copy");
  }
  // What an earlier call made may be in use on its stream.
  void* const its = !from_cpu && t->host == host ? static_cast<const StreamView&>(*t).stream : stream_;
  error = card_.Order(its, stream_);
  if (error == 0) error = card_.Copy(out[i]->data, to_cpu, t->data, from_cpu, bytes, stream_);
  if (error == 0) error = card_.Order(stream_, its);
  // Its last reference may be dropped before the copy is done.
  if (error == 0 && from_cpu) error = KeepUntilCopied(*t);
  return Check(error, "a copy of an output");
}

int DeviceCall::KeepUntilCopied(const opsrun_tensor& t) {
  const Temporary* const own = t.host == host ? Temporary::Of(&t) : nullptr;
  if (own == nullptr) return card_.Wait(stream_);
  cpu_memory_.push_back(own->memory());
  return 0;
}

int32_t DeviceCall::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                                 const opsrun_tensor** t) {
  const TypeNumbers* type = nullptr;
  size_t bytes = 0;
  if (const int32_t code = CheckTemp(dtype, rank, dims, type, bytes); code != OPSRUN_OK) return code;
  const bool on_cpu = !on_card() || (flags & OPSRUN_TEMP_ON_HOST) != 0;
  std::shared_ptr<void> memory = on_cpu ? AllocateOnCpu(bytes) : AllocateOnCard(bytes);
  if (memory == nullptr) return Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory for a temporary");
  *t = Make(*type, rank, dims, std::move(memory), !on_cpu);
  return *t == nullptr ? Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory for a temporary") : OPSRUN_OK;
}

DeviceCall::Temporary* DeviceCall::CopyOf(const View& view, const TypeNumbers& type) {
  std::shared_ptr<void> memory = AllocateOnCard(view.bytes);
  if (memory == nullptr || card_.Copy(memory.get(), false, view.data, false, view.bytes, stream_) != 0) return nullptr;
  return Make(type, view.rank, view.shape, std::move(memory), true);
}

// Null if there is not enough memory.
DeviceCall::Temporary* DeviceCall::Make(const TypeNumbers& type, int32_t rank, const int64_t* dims,
                                        std::shared_ptr<void> memory, bool is_on_card) const {
  try {
    return new Temporary(host, type, rank, dims, std::move(memory), is_on_card ? ordinal_ : -1, stream_);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Copies what is in XLA's buffers, which XLA reuses; the copies in CPU memory are shared.
int32_t DeviceCall::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const TypeNumbers* const type = FindType(t.dtype);
  if (type == nullptr || t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  const auto& view = static_cast<const View&>(t);
  opsrun_tensor* const made = view.memory == nullptr ? view.call->CopyOf(view, *type)
                                                     : view.call->Make(*type, t.rank, t.shape, view.memory, false);
  if (made == nullptr) return OPSRUN_RESOURCE_EXHAUSTED;
  *kept = made;
  return OPSRUN_OK;
}

}  // namespace opsrun_jax

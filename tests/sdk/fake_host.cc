// tests/sdk/fake_host.cc: tensors, resources and failures of a FakeHost.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/fake_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/sdk/fake_host_table.h"

namespace opsrun_test {
namespace {

constexpr int kSlots = 4;

template <int N = 0>
int TakeSlot(FakeHost* host, opsrun_host* table) {
  if constexpr (N == kSlots) {
    ADD_FAILURE() << "more than " << kSlots << " FakeHosts at once";
    std::abort();
  } else {
    if (FakeTable<N>::host) return TakeSlot<N + 1>(host, table);
    FakeTable<N>::host = host;
    *table = FakeTable<N>::Table();
    return N;
  }
}

template <int N = 0>
void GiveSlotBack(int slot) {
  if constexpr (N < kSlots) {
    if (slot == N)
      FakeTable<N>::host = nullptr;
    else
      GiveSlotBack<N + 1>(slot);
  }
}

bool SameShape(const FakeTensor& t, int32_t rank, const int64_t* dims) {
  return t.view.rank == rank && std::equal(t.shape.begin(), t.shape.end(), dims);
}

uint64_t CountOf(int32_t rank, const int64_t* dims) {
  uint64_t n = 1;
  for (int32_t d = 0; d < rank; ++d) n *= static_cast<uint64_t>(dims[d]);
  return n;
}

bool LegalShape(int32_t rank, const int64_t* dims) {
  return rank >= 0 && rank <= OPSRUN_MAX_RANK && std::all_of(dims, dims + rank, [](int64_t size) { return size >= 0; });
}

}  // namespace

FakeHost::FakeHost() : slot_(TakeSlot(this, &table_)) {}

FakeHost::~FakeHost() {
  std::erase_if(tensors_, [](const auto& entry) { return !entry.second->counted; });
  ForgetResources();
  EXPECT_EQ(held_tensors_, 0) << "tensors that were never released";
  EXPECT_EQ(held_resources_, 0) << "references to resources that were never released";
  GiveSlotBack(slot_);
}

Failure FakeHost::FirstFailure(const void* where) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = failures_.find(where);
  return found == failures_.end() ? Failure() : found->second;
}

void FakeHost::ForgetFailure(const void* where) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_.erase(where);
}

int32_t FakeHost::Fail(void* where, int32_t code, const std::string& text, const std::string& subject) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_.insert({where, {code, text, subject}});
  return code;
}

FakeTensor* FakeHost::NewTensor(int32_t dtype, bool counted) {
  auto tensor = std::make_unique<FakeTensor>(table(), dtype);
  FakeTensor* made = tensor.get();
  tensors_[&made->view] = std::move(tensor);
  made->counted = counted;
  made->references = counted;
  held_tensors_ += counted;
  return made;
}

FakeTensor* FakeHost::NewFrameTensor(int32_t dtype) {
  return NewTensor(dtype, false);
}

FakeTensor* FakeHost::Find(const opsrun_tensor* t) {
  auto found = tensors_.find(t);
  if (found != tensors_.end()) return found->second.get();
  ADD_FAILURE() << "a tensor came through the table of a host that it does not belong to";
  return nullptr;
}

FakeShapeCall* FakeHost::Find(const opsrun_shape_call* call) {
  auto found = shape_calls_.find(call);
  if (found != shape_calls_.end()) return found->second;
  ADD_FAILURE() << "a shape call came through the table of a host that it does not belong to";
  std::abort();
}

int32_t FakeHost::AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                 opsrun_tensor** view) {
  *view = nullptr;
  if (i >= call->n_out || !LegalShape(rank, dims))
    return Fail(call, OPSRUN_INVALID_ARGUMENT, "no such output or shape");
  FakeTensor* out = Find(call->out[i]);
  if (out->made) return Fail(call, OPSRUN_INTERNAL, "output " + std::to_string(i) + " is allocated a second time");
  if (!(out->view.flags & OPSRUN_TENSOR_PLANNED)) {
    out->Allocate(rank, dims);
  } else if (!SameShape(*out, rank, dims)) {
    return Fail(call, OPSRUN_INVALID_ARGUMENT,
                "planned " + ShapeText(out->view.rank, out->view.shape) + ", asked " + ShapeText(rank, dims));
  }
  out->made = true;
  *view = &out->view;
  return OPSRUN_OK;
}

int32_t FakeHost::SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  FakeTensor* from = Find(t);
  if (!from || i >= call->n_out) return Fail(call, OPSRUN_INVALID_ARGUMENT, "no such output or tensor");
  FakeTensor* out = Find(call->out[i]);
  if (out->view.dtype != t->dtype) return Fail(call, OPSRUN_INVALID_ARGUMENT, "an output of another data type");
  if (out->view.flags & OPSRUN_TENSOR_PLANNED && !SameShape(*out, t->rank, t->shape))
    return Fail(call, OPSRUN_INVALID_ARGUMENT, "an output of another shape than the planned one");
  if (from->counted) {
    out->SetShape(t->rank, t->shape);
    out->Share(from->buffer);
  } else {
    out->CopyFrom(*from);
  }
  out->made = true;
  return OPSRUN_OK;
}

int32_t FakeHost::ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                               opsrun_tensor** view) {
  *view = nullptr;
  if (in >= call->n_in || out >= call->n_out || !LegalShape(rank, dims))
    return Fail(call, OPSRUN_INVALID_ARGUMENT, "no such input, output or shape");
  FakeTensor* from = Find(call->in[in]);
  FakeTensor* to = Find(call->out[out]);
  const bool free = in < 64 && (call->forwardable >> in & 1u);
  const bool fits = from->view.dtype == to->view.dtype && from->Count() == CountOf(rank, dims);
  if (!free || !fits || to->made) return OPSRUN_OK;
  to->SetShape(rank, dims);
  to->Share(from->buffer);
  to->made = true;
  *view = &to->view;
  return OPSRUN_OK;
}

int32_t FakeHost::AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  *t = nullptr;
  if (!LegalShape(rank, dims)) return Fail(where, OPSRUN_INVALID_ARGUMENT, "no legal shape");
  FakeTensor* made = NewTensor(dtype, true);
  made->Allocate(rank, dims);
  *t = &made->view;
  return OPSRUN_OK;
}

int32_t FakeHost::Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
  FakeTensor* tensor = Find(t);
  *kept = nullptr;
  if (!tensor || !tensor->allocated()) return OPSRUN_INVALID_ARGUMENT;
  if (tensor->counted) {
    ++tensor->references;
    ++held_tensors_;
  } else {
    FakeTensor* copy = NewTensor(t->dtype, true);
    copy->CopyFrom(*tensor);
    tensor = copy;
  }
  *kept = &tensor->view;
  return OPSRUN_OK;
}

void FakeHost::Release(const opsrun_tensor* t) {
  FakeTensor* tensor = Find(t);
  if (!tensor) return;
  if (!tensor->counted) {
    ADD_FAILURE() << "a tensor of the frame is released";
    return;
  }
  --held_tensors_;
  if (--tensor->references == 0) tensors_.erase(t);
}

int32_t FakeHost::FindOrMake(void* where, const Key& key, int32_t (*make)(void*, void**), void* ctx,
                             void (*destroy)(void*), const opsrun_resource** r) {
  *r = nullptr;
  auto found = resources_.find(key);
  if (found == resources_.end()) {
    if (!make) return Fail(where, OPSRUN_NOT_FOUND, "no resource '" + std::get<1>(key) + "'");
    void* obj = nullptr;
    const int32_t code = make(ctx, &obj);
    if (code != OPSRUN_OK) return code;
    auto resource = std::make_unique<Resource>(Resource{key, {}, 1});
    const auto& [container, name, type] = resource->key;
    resource->handle = {sizeof(opsrun_resource), 0, obj, table(), destroy, Str(container), Str(name), Str(type)};
    found = resources_.insert({key, resource.get()}).first;
    all_resources_[&found->second->handle] = std::move(resource);
  }
  *r = &found->second->handle;
  return ChangeReferences(*r, 1);
}

int32_t FakeHost::ChangeReferences(const opsrun_resource* r, int by) {
  auto found = all_resources_.find(r);
  if (found == all_resources_.end()) {
    ADD_FAILURE() << "a resource came through the table of a host that it does not belong to";
    return OPSRUN_INVALID_ARGUMENT;
  }
  held_resources_ += by;
  found->second->references += by;
  if (found->second->references == 0) Drop(found->second.get());
  return OPSRUN_OK;
}

int32_t FakeHost::DeleteResource(void* where, const Key& key) {
  auto found = resources_.find(key);
  if (found == resources_.end()) return Fail(where, OPSRUN_NOT_FOUND, "no resource '" + std::get<1>(key) + "'");
  Resource* resource = found->second;
  resources_.erase(found);
  if (--resource->references == 0) Drop(resource);
  return OPSRUN_OK;
}

void FakeHost::ForgetResources() {
  while (!resources_.empty()) DeleteResource(nullptr, resources_.begin()->first);
}

void FakeHost::Drop(Resource* resource) {
  auto node = all_resources_.extract(&resource->handle);
  if (resource->handle.destroy) resource->handle.destroy(resource->handle.obj);
}

}  // namespace opsrun_test

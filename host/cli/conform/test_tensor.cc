// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <new>

#include "host/cli/conform/handles.h"
#include "host/cli/conform/test_call.h"
#include "host/plan/call_arrays.h"

namespace opsrun::host {
namespace {

constexpr size_t kLargestTensor = size_t{64} << 20;  // a kernel that asks for more was given values without meaning

}  // namespace

TestTensor::TestTensor(const opsrun_host* host, DType dtype) {
  view.rank = -1;
  view.device = {OPSRUN_DEVICE_CPU, 0};
  view.dl = DTypeToDLPack(dtype);
  view.host = host;
  view.flags = OPSRUN_TENSOR_HOST;
  view.dtype = DTypeNumber(dtype);
}

void TestTensor::SetShape(const Shape& shape) {
  sizes.assign(2 * shape.size(), 0);
  std::copy(shape.begin(), shape.end(), sizes.begin());
  view.rank = static_cast<int32_t>(shape.size());
  view.shape = shape.empty() ? nullptr : sizes.data();
  view.strides = shape.empty() ? nullptr : sizes.data() + shape.size();
  if (!shape.empty()) FillStrides(view.rank, view.shape, view.strides);
}

size_t TestTensor::bytes() const {
  return static_cast<size_t>(*NumElements(shape())) * ElementBytes(dtype());
}

void TestTensor::Allocate(const Shape& shape, const Arrangement& arrangement) {
  SetShape(shape);
  if (bytes() > kLargestTensor) throw std::bad_alloc();
  if (HasSlots(dtype())) {
    Result<Tensor> made = HasHandles(dtype()) ? NullHandles(dtype(), shape) : Tensor::Create(dtype(), shape);
    if (!made.ok()) throw std::bad_alloc();
    slots = *std::move(made);
    view.data = slots.mutable_data();
    return;
  }
  const size_t alignment = std::min<size_t>(ElementBytes(dtype()), 8);
  auto* const owner = static_cast<TestHost*>(const_cast<void*>(GuardedTable::OwnerOf(view.host)));
  block = std::make_unique<GuardedBlock>(owner->pages(), bytes(), alignment, arrangement.fit, arrangement.fill);
  view.data = block->data();
  const bool aligned = reinterpret_cast<uintptr_t>(view.data) % 64 == 0;
  view.flags = OPSRUN_TENSOR_HOST | (aligned ? OPSRUN_TENSOR_ALIGNED64 : 0);
}

void TestTensor::Share(const TestTensor& other, const Shape& shape) {
  SetShape(shape);
  view.data = other.view.data;
  view.flags = other.view.flags & ~OPSRUN_TENSOR_CONST;
}

void TestTensor::Fill(const void* elements) {
  if (!HasSlots(dtype())) {
    if (bytes() > 0) std::memcpy(view.data, elements, bytes());
    return;
  }
  if (HasHandles(dtype())) {
    slots = CopyOfHandles(dtype(), shape(), elements);
    view.data = slots.mutable_data();
    return;
  }
  const auto* const texts = static_cast<const opsrun_str*>(elements);
  for (int64_t i = 0; i < slots.num_elements(); ++i) {
    if (!slots.SetString(i, SlotText(texts[i])).ok()) throw std::bad_alloc();
  }
}

}  // namespace opsrun::host

// host/tensor/tensor.h: a tensor in CPU memory: data type, shape, bytes.
//
// Dense and row-major, 64-byte aligned; strings are slots. Copies share the bytes. Used for feeds, constants and
// results; the tensors of running nodes are views in a lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"
#include "host/base/status.h"

namespace opsrun::host {

using Shape = std::vector<int64_t>;  // sizes; in a declared shape, -1 is an unknown size

// Product of the sizes; nothing if one is negative or the product does not fit int64.
std::optional<int64_t> NumElementsOf(std::span<const int64_t> sizes);
inline std::optional<int64_t> NumElements(const Shape& shape) {
  return NumElementsOf(shape);
}

// True if no size is -1.
inline bool IsWhole(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), -1) == shape.end();
}

// "[2, 3]"; -1 is written "?".
std::string ShapeText(const Shape& shape);

// The machine's memory in bytes. Linux grants more than that and kills the process when it uses it, so larger requests
// are refused here.
size_t MachineMemory();

class Tensor {
 public:
  Tensor() = default;  // no tensor: dtype 0

  // Zeroed numbers, or empty strings. INVALID_ARGUMENT for resources and variants, a rank over OPSRUN_MAX_RANK or a
  // negative size; RESOURCE_EXHAUSTED, naming the bytes, if that much memory is not available.
  static Result<Tensor> Create(DType dtype, Shape shape);
  // Copies dense, row-major elements in CPU memory; elements of strings are opsrun_str. Errors as Create.
  static Result<Tensor> CopyOf(DType dtype, Shape shape, const void* elements);

  // A tensor whose strings are all `text`. They share one copy of it, so no element may be set.
  static Result<Tensor> OfStrings(Shape shape, std::string text);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return num_elements_; }
  // Bytes of the memory at data(); for strings, only the slots.
  size_t num_bytes() const { return static_cast<size_t>(num_elements_) * ElementBytes(dtype_); }
  const void* data() const { return data_.get(); }
  void* mutable_data() { return data_.get(); }

  // Elements of a string tensor, in row-major order. Requires: dtype() is string, 0 <= i < num_elements().
  std::string_view string(int64_t i) const;
  Status SetString(int64_t i, std::string_view text);
  Status CopyStrings(const opsrun_str* from);

 private:
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  int64_t num_elements_ = 0;
  std::shared_ptr<void> data_;
};

// Elements of string tensors: each is an opsrun_str that owns its bytes, allocated with malloc. An empty element has
// none.

inline std::string_view SlotText(const opsrun_str& slot) {
  return slot.size == 0 ? std::string_view() : std::string_view(slot.data, slot.size);
}

// Sets the element to a copy of `text`, which may point into the element. False if memory runs out: the element is then
// unchanged.
inline bool AssignSlot(opsrun_str& slot, std::string_view text) {
  char* bytes = nullptr;
  if (text.size() > PTRDIFF_MAX) return false;
  if (!text.empty()) {
    bytes = static_cast<char*>(std::malloc(text.size()));
    if (bytes == nullptr) return false;
    std::memcpy(bytes, text.data(), text.size());
  }
  std::free(const_cast<char*>(slot.data));
  slot = {bytes, text.size()};
  return true;
}

// Makes every element empty and frees its bytes.
inline void ClearSlots(opsrun_str* slots, int64_t count) {
  for (int64_t i = 0; i < count; ++i) AssignSlot(slots[i], {});
}

}  // namespace opsrun::host

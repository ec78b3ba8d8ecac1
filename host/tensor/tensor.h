// host/tensor/tensor.h: a tensor in CPU memory: data type, shape, bytes; compared, printed, and filled with random
// numbers.
//
// Dense and row-major, aligned to 64 bytes, or for its data type if it is in a file's pages; strings are slots. Copies
// share the bytes. Used for feeds, constants and results; the tensors of running nodes are views in a lane.
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

// Requests pages of 2 MiB for a large block, as NumPy does for its arrays: loops over memory are up to a third faster.
// The system may refuse. Call it before writing to the block.
void UseLargePages(void* block, size_t bytes);

// From now on, the system may take the pages of a block of malloc, whose contents are then lost, if it needs memory; it
// does not take those that were written to since. False if the system cannot do that.
bool LetSystemTakePages(void* block, size_t bytes);

class Tensor {
 public:
  Tensor() = default;  // no tensor: dtype 0

  // Zeroed numbers, or empty strings. INVALID_ARGUMENT for resources and variants, a rank over OPSRUN_MAX_RANK or a
  // negative size; RESOURCE_EXHAUSTED, naming the bytes, if that much memory is not available.
  static Result<Tensor> Create(DType dtype, Shape shape);
  // Copies dense, row-major elements in CPU memory; elements of strings are opsrun_str. Errors as Create.
  static Result<Tensor> CopyOf(DType dtype, Shape shape, const void* elements);

  // Numbers in memory that is there already: dense, row-major, aligned for the data type. Errors as Create.
  static Result<Tensor> Over(DType dtype, Shape shape, std::shared_ptr<void> elements);

  // Handles, const opsrun_resource*[], in memory that owns their references. For hosts that call kernels themselves: such
  // a tensor has no values, and nothing else may be done with it. Errors as Create.
  static Result<Tensor> OfHandles(DType dtype, Shape shape, std::shared_ptr<void> elements);

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
  static Result<Tensor> Of(DType dtype, Shape shape);

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

// An element is correct if |found - expected| <= atol + rtol * |expected|, or if the two are equal.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;  // NaN is correct if NaN is expected
};

// Exact for integers and bools; for floats and complex numbers, about as much as reordering a sum can change.
Tolerance DefaultTolerance(DType dtype);

// Differences of complex numbers are absolute values; strings have none.
struct Comparison {
  int64_t wrong = 0;  // elements
  int64_t place = 0;  // row-major index of the element furthest beyond its tolerance
  double difference = 0;
  double allowed = 0;
};

// Requires: the data types and shapes are equal.
Comparison CompareTensors(const Tensor& found, const Tensor& expected, const Tolerance& tolerance);

// "[1, 2]": the indices of the element at a row-major index.
std::string IndexText(const Shape& shape, int64_t place);

// Tensors as text, in NumPy's format.

// What str() of the same NumPy array prints: aligned columns, lines of at most 75 characters, precision 8, more than
// kMostPrinted elements summarized with "...". No line break at the end.
constexpr int64_t kMostPrinted = 1000;
std::string PrintTensor(const Tensor& tensor);

// One element, printed alone; strings are quoted.
std::string ElementText(const Tensor& tensor, int64_t place);

// Random tensors that are the same on every machine, with every compiler, and in every version.
//
// The numbers are those of SplitMix64 (Steele, Lea and Flood 2014): number k, from 0, is Mix(seed + (k + 1) * gamma) in
// 64 bits. Conversions use no library functions except fma and sqrt, which IEEE 754 defines to the last bit.
// docs/graph_format.md promises this; tensor_test.cc checks it.

// Number k of the sequence for the seed.
uint64_t RandomBits(uint64_t seed, uint64_t k);

// From [0, 1): the upper 53 bits, divided by 2^53.
double UnitFromBits(uint64_t bits);

// Normal, mean 0 and standard deviation 1: the inverse of its distribution function (Wichura's AS 241) at the midpoint
// of the interval that the upper 52 bits select.
double NormalFromBits(uint64_t bits);

struct Distribution {
  enum class Kind { kUniform, kNormal, kInts };
  Kind kind = Kind::kUniform;
  double offset = 0;  // kUniform: fma(scale, unit, offset); kNormal: fma(scale, normal, offset)
  double scale = 1;
  uint64_t low = 0;    // kInts: from low to low + range, inclusive, modulo 2^64
  uint64_t range = 0;  // low + the upper 64 of the 128 bits of number * (range + 1)
};

// Element i, in row-major order, uses number i; a complex element uses numbers 2i and 2i + 1. Floats are computed in
// float64 and rounded to the data type. Requires: kInts for integers and bools, the others for floats and complex
// numbers.
void FillRandom(Tensor& tensor, uint64_t seed, const Distribution& distribution);

}  // namespace opsrun::host

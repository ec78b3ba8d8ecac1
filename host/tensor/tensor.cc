// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/tensor.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

Status CheckShape(DType dtype, const Shape& shape) {
  if (!HasValues(dtype)) {
    return InvalidArgument(fmt::format("a tensor of {} has no values outside a run", DTypeName(dtype)));
  }
  if (shape.size() > OPSRUN_MAX_RANK) {
    return InvalidArgument(fmt::format("rank {} is too high, at most {} is supported", shape.size(), OPSRUN_MAX_RANK));
  }
  for (const int64_t size : shape) {
    if (size < 0) return InvalidArgument(fmt::format("the shape {} has the negative size {}", ShapeText(shape), size));
  }
  return OkStatus();
}

Status NoMemory(DType dtype, const Shape& shape, const std::string& reason) {
  return ResourceExhausted(fmt::format("{} {} {}", DTypeName(dtype), ShapeText(shape), reason));
}

// calloc instead of new: pages that are never written to cost nothing.
std::shared_ptr<void> AllocateZeroed(size_t bytes) {
  void* block = std::calloc(1, bytes + kAlignment);
  if (block == nullptr) return nullptr;
  UseLargePages(block, bytes);
  const std::shared_ptr<void> owner(block, std::free);
  void* aligned = block;
  size_t space = bytes + kAlignment;
  std::align(kAlignment, bytes, aligned, space);
  return {owner, aligned};
}

// The same memory, which frees its strings when it is released.
std::shared_ptr<void> OwnStrings(std::shared_ptr<void> memory, int64_t elements) {
  void* const data = memory.get();
  return {data, [memory = std::move(memory), elements](void* slots) {
            ClearSlots(static_cast<opsrun_str*>(slots), elements);
          }};
}

}  // namespace

std::optional<int64_t> NumElementsOf(std::span<const int64_t> sizes) {
  int64_t product = 1;
  bool empty = false;
  for (const int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::string ShapeText(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == -1 ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

size_t MachineMemory() {
  static const size_t bytes = [] {  // asking takes as long as a small tensor
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_size <= 0) return SIZE_MAX;
    return static_cast<size_t>(pages) * static_cast<size_t>(page_size);
  }();
  return bytes;
}

namespace {

// About the whole pages of the block.
bool AdvisePages(void* block, size_t bytes, int advice) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + bytes) / page * page;
  return madvise(reinterpret_cast<void*>(begin), end - begin, advice) == 0;
}

}  // namespace

void UseLargePages(void* block, size_t bytes) {
  constexpr size_t kLarge = size_t{4} << 20;
  if (bytes >= kLarge) AdvisePages(block, bytes, MADV_HUGEPAGE);
}

bool LetSystemTakePages(void* block, size_t bytes) {
  return AdvisePages(block, bytes, MADV_FREE);
}

// Without memory.
Result<Tensor> Tensor::Of(DType dtype, Shape shape) {
  if (Status status = CheckShape(dtype, shape); !status.ok()) return status;
  const std::optional<int64_t> elements = NumElements(shape);
  int64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, static_cast<int64_t>(ElementBytes(dtype)), &bytes)) {
    return NoMemory(dtype, shape, "is too large: its size in bytes does not fit 64 bits");
  }
  const size_t memory = MachineMemory();
  if (static_cast<size_t>(bytes) > memory) {
    return NoMemory(dtype, shape, fmt::format("needs {} bytes, but this machine has {}", bytes, memory));
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.num_elements_ = *elements;
  return tensor;
}

Result<Tensor> Tensor::Create(DType dtype, Shape shape) {
  Result<Tensor> tensor = Of(dtype, std::move(shape));
  if (!tensor.ok()) return tensor;
  tensor->data_ = AllocateZeroed(tensor->num_bytes());
  if (tensor->data_ == nullptr)
    return NoMemory(dtype, tensor->shape_, fmt::format("needs {} bytes, which are not available", tensor->num_bytes()));
  if (dtype == DType::kString) tensor->data_ = OwnStrings(std::move(tensor->data_), tensor->num_elements_);
  return tensor;
}

Result<Tensor> Tensor::Over(DType dtype, Shape shape, std::shared_ptr<void> elements) {
  Result<Tensor> tensor = Of(dtype, std::move(shape));
  if (tensor.ok()) tensor->data_ = std::move(elements);
  return tensor;
}

Result<Tensor> Tensor::OfHandles(DType dtype, Shape shape, std::shared_ptr<void> elements) {
  Result<Tensor> tensor = Over(DType::kInt64, std::move(shape), std::move(elements));  // of the same size
  if (tensor.ok()) tensor->dtype_ = dtype;
  return tensor;
}

Result<Tensor> Tensor::CopyOf(DType dtype, Shape shape, const void* elements) {
  Result<Tensor> tensor = Create(dtype, std::move(shape));
  if (!tensor.ok()) return tensor;
  if (dtype == DType::kString) {
    if (Status copied = tensor->CopyStrings(static_cast<const opsrun_str*>(elements)); !copied.ok()) return copied;
  } else if (tensor->num_bytes() > 0) {
    std::memcpy(tensor->mutable_data(), elements, tensor->num_bytes());
  }
  return tensor;
}

Result<Tensor> Tensor::OfStrings(Shape shape, std::string text) {
  Result<Tensor> tensor = Create(DType::kString, std::move(shape));
  if (!tensor.ok()) return tensor;
  const auto shared = std::make_shared<const std::string>(std::move(text));
  auto* const slots = static_cast<opsrun_str*>(tensor->mutable_data());
  const int64_t elements = tensor->num_elements();
  std::fill_n(slots, elements, opsrun_str{shared->data(), shared->size()});
  // The slots share the text: they are reset before the memory, which would free the text of each slot, is released.
  tensor->data_ = {
      slots, [memory = tensor->data_, shared, slots, elements](void*) { std::fill_n(slots, elements, opsrun_str{}); }};
  return tensor;
}

std::string_view Tensor::string(int64_t i) const {
  return SlotText(static_cast<const opsrun_str*>(data())[i]);
}

Status Tensor::SetString(int64_t i, std::string_view text) {
  if (AssignSlot(static_cast<opsrun_str*>(mutable_data())[i], text)) return OkStatus();
  return NoMemory(dtype_, shape_, fmt::format("has an element of {} bytes, which are not available", text.size()));
}

Status Tensor::CopyStrings(const opsrun_str* from) {
  const size_t memory = MachineMemory();
  size_t bytes = num_bytes();
  for (int64_t i = 0; i < num_elements_ && bytes <= memory; ++i) bytes += from[i].size;
  if (bytes > memory)
    return NoMemory(dtype_, shape_, fmt::format("needs more than the {} bytes of this machine", memory));
  for (int64_t i = 0; i < num_elements_; ++i) {
    if (Status status = SetString(i, SlotText(from[i])); !status.ok()) return status;
  }
  return OkStatus();
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
double Distance(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // Exact: two integers of 64 bits may be 2^64 - 1 apart.
    const auto wide = [](T x) { return static_cast<uint64_t>(x); };
    return static_cast<double>(a < b ? wide(b) - wide(a) : wide(a) - wide(b));
  } else {
    return std::abs(a - b);
  }
}

template <typename T>
double Magnitude(T x) {
  return std::abs(static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(x));
}

template <typename T>
bool IsNan(T x) {
  return x != x;
}

template <typename T>
Comparison CompareNumbers(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  Comparison comparison;
  double worst = -1;
  for (int64_t i = 0; i < found.num_elements(); ++i) {
    const Wide<T> a = ElementAt<T>(found, i), b = ElementAt<T>(expected, i);
    if (a == b || (tolerance.equal_nan && IsNan(a) && IsNan(b))) continue;
    // If only one side is infinite, no tolerance is enough.
    const bool finite = std::isfinite(Magnitude(a)) && std::isfinite(Magnitude(b));
    const double allowed = tolerance.atol + (finite ? tolerance.rtol * Magnitude(b) : 0);
    const double difference = IsNan(a) || IsNan(b) ? std::numeric_limits<double>::quiet_NaN() : Distance(a, b);
    if (finite && difference <= allowed) continue;
    ++comparison.wrong;
    const double excess = finite ? difference - allowed : kInfinity;
    if (excess <= worst) continue;
    worst = excess;
    comparison.place = i;
    comparison.difference = difference;
    comparison.allowed = allowed;
  }
  return comparison;
}

// Strings are equal or not; the first that differs counts as the worst.
Comparison CompareStrings(const Tensor& found, const Tensor& expected) {
  Comparison comparison;
  comparison.difference = std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = found.num_elements() - 1; i >= 0; --i) {
    if (found.string(i) == expected.string(i)) continue;
    ++comparison.wrong;
    comparison.place = i;
  }
  return comparison;
}

}  // namespace

Tolerance DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-5, false};
    case DType::kBFloat16:
      return {1e-2, 1e-5, false};
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E4M3B11FNUZ:
      return {0.125, 1e-5, false};
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return {0.25, 1e-5, false};
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kComplex64:
    case DType::kComplex128:
      return {1e-5, 1e-8, false};
    default:
      return {};
  }
}

Comparison CompareTensors(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  if (found.dtype() == DType::kString) return CompareStrings(found, expected);
  return WithNumberType(found.dtype(), [&]<typename T>(T) { return CompareNumbers<T>(found, expected, tolerance); });
}

std::string IndexText(const Shape& shape, int64_t place) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return ShapeText(index);
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "host/base/file.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMostOfNoWidth = 1 << 20;  // strings of width 0, which take memory here but none in the file

std::string Described(const NpyHeader& header) {
  return fmt::format("{} {}", DTypeName(header.dtype), ShapeText(header.shape));
}

// Calls visit(i, j) for every element: i in row-major, j in Fortran order.
template <typename Visit>
void ForEachFortranElement(const Shape& shape, int64_t elements, Visit visit) {
  std::vector<int64_t> index(shape.size(), 0);
  std::vector<int64_t> stride(shape.size(), 1);
  for (size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  int64_t from = 0;
  for (int64_t i = 0; i < elements; ++i) {
    visit(i, from);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

void CopyElements(const NpyHeader& header, const char* from, Tensor& tensor) {
  char* to = static_cast<char*>(tensor.mutable_data());
  const size_t size = DTypeSize(header.dtype);
  if (!header.fortran_order || header.shape.size() < 2) {
    std::memcpy(to, from, tensor.num_bytes());
    return;
  }
  ForEachFortranElement(header.shape, tensor.num_elements(), [&](int64_t i, int64_t j) {
    std::memcpy(to + static_cast<size_t>(i) * size, from + static_cast<size_t>(j) * size, size);
  });
}

Status CopyStrings(const NpyHeader& header, const char* from, Tensor& tensor) {
  Status status;
  const auto copy = [&](int64_t i, int64_t j) {
    if (!status.ok()) return;
    const char* const element = from + static_cast<size_t>(j) * header.strings.bytes();
    const Result<std::string> text = NpyStringFrom(header.strings, element, header.swapped);
    status = text.ok() ? tensor.SetString(i, *text) : text.status();
  };
  if (header.fortran_order) {
    ForEachFortranElement(header.shape, tensor.num_elements(), copy);
  } else {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) copy(i, i);
  }
  return status;
}

// A complex number is two numbers, which are swapped separately.
void SwapBytes(Tensor& tensor) {
  const bool complex = tensor.dtype() == DType::kComplex64 || tensor.dtype() == DType::kComplex128;
  const size_t size = DTypeSize(tensor.dtype()) / (complex ? 2 : 1);
  char* const begin = static_cast<char*>(tensor.mutable_data());
  char* const end = begin + tensor.num_bytes();
  for (char* number = begin; number < end; number += size) std::reverse(number, number + size);
}

// In NumPy, any nonzero byte is true; in C++, a bool must be 0 or 1.
void NormalizeBools(Tensor& tensor) {
  auto* const bytes = static_cast<unsigned char*>(tensor.mutable_data());
  std::for_each(bytes, bytes + tensor.num_elements(), [](unsigned char& byte) { byte = byte != 0; });
}

Result<Tensor> Parse(const std::string& bytes, std::optional<DType> as) {
  Result<NpyHeader> header = ParseNpyHeader(bytes, as);
  if (!header.ok()) return header.status();
  if (Status status = CheckNpySize(*header, bytes.size() - header->data_offset); !status.ok()) return status;
  Result<Tensor> tensor = Tensor::Create(header->dtype, header->shape);
  if (!tensor.ok() || tensor->num_elements() == 0) return tensor;
  const char* const data = bytes.data() + header->data_offset;
  if (header->element_bytes() == 0) return tensor;  // strings of width 0, of any number
  if (header->dtype == DType::kString) {
    const Status copied = CopyStrings(*header, data, *tensor);
    return copied.ok() ? tensor : copied;
  }
  CopyElements(*header, data, *tensor);
  if (header->swapped) SwapBytes(*tensor);
  if (header->dtype == DType::kBool) NormalizeBools(*tensor);
  return tensor;
}

Status WriteStrings(const ByteSink& sink, const NpyStrings& form, const Tensor& tensor) {
  std::string bytes = NpyHeaderText(NpyDescr(form), tensor.shape());
  constexpr size_t kPiece = 1 << 20;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    AppendNpyString(form, tensor.string(i), &bytes);
    if (bytes.size() < kPiece) continue;
    if (Status status = sink(bytes.data(), bytes.size()); !status.ok()) return status;
    bytes.clear();
  }
  return sink(bytes.data(), bytes.size());
}

}  // namespace

Status CheckNpySize(const NpyHeader& header, size_t found) {
  const std::optional<int64_t> elements = NumElements(header.shape);
  size_t expected = 0;
  if (!elements || __builtin_mul_overflow(static_cast<size_t>(*elements), header.element_bytes(), &expected)) {
    return InvalidArgument(
        fmt::format("claims to hold {}, whose size in bytes does not fit 64 bits", Described(header)));
  }
  if (expected == 0 && elements > kMostOfNoWidth) {
    return InvalidArgument(fmt::format("claims to hold {}, but contains no data", Described(header)));
  }
  if (found < expected) {
    return InvalidArgument(
        fmt::format("ends too early: {} needs {} bytes, found {}", Described(header), expected, found));
  }
  if (found > expected) {
    return InvalidArgument(fmt::format("is {} bytes too long: {} needs {}, found {}", found - expected,
                                       Described(header), expected, found));
  }
  return OkStatus();
}

Result<Tensor> ParseNpy(const std::string& bytes, const std::string& name, std::optional<DType> as) {
  Result<Tensor> tensor = Parse(bytes, as);
  if (!tensor.ok()) return Named(name, tensor.status());
  return tensor;
}

Result<Tensor> ReadNpy(const std::string& path, std::optional<DType> as) {
  // The file's bytes and the tensor are in memory at the same time.
  Result<std::string> bytes = ReadFileOrPipe(path, MachineMemory() / 2);
  if (!bytes.ok()) return bytes.status();
  return ParseNpy(*bytes, path, as);
}

Status WriteNpyTo(const Tensor& tensor, const std::string& path, const ByteSink& write) {
  if (tensor.dtype() == DType::kString) {
    const Result<NpyStrings> form = NpyFormOf(tensor);
    return form.ok() ? WriteStrings(write, *form, tensor) : Named(path, form.status());
  }
  const std::string header = NpyHeaderText(NpyDescr(tensor.dtype()), tensor.shape());
  if (Status status = write(header.data(), header.size()); !status.ok()) return status;
  return write(tensor.data(), tensor.num_bytes());
}

Result<AtomicFile> WriteNpyAside(const std::string& path, const Tensor& tensor) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file;
  const auto write = [&](const void* data, size_t size) { return file->Write(data, size); };
  if (Status status = WriteNpyTo(tensor, path, write); !status.ok()) return status;
  if (Status status = file->Flush(); !status.ok()) return status;
  return file;
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "host/base/display_text.h"
#include "host/tensor/mapped_files.h"

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
  const size_t size = DTypeSize(tensor.dtype()) / (IsComplex(tensor.dtype()) ? 2 : 1);
  char* const begin = static_cast<char*>(tensor.mutable_data());
  char* const end = begin + tensor.num_bytes();
  for (char* number = begin; number < end; number += size) std::reverse(number, number + size);
}

Result<Tensor> Parse(std::string_view bytes, std::optional<DType> as) {
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

void NormalizeBools(Tensor& tensor) {
  auto* const bytes = static_cast<unsigned char*>(tensor.mutable_data());
  std::for_each(bytes, bytes + tensor.num_elements(), [](unsigned char& byte) { byte = byte != 0; });
}

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

Result<Tensor> ParseNpy(std::string_view bytes, const std::string& name, std::optional<DType> as) {
  Result<Tensor> tensor = Parse(bytes, as);
  if (!tensor.ok()) return Named(name, tensor.status());
  return tensor;
}

bool FitsPages(const NpyHeader& header, const void* elements) {
  return !HasSlots(header.dtype) && header.dtype != DType::kBool && !header.swapped && !header.fortran_order &&
         reinterpret_cast<uintptr_t>(elements) % DTypeSize(header.dtype) == 0;
}

Result<Tensor> ReadNpy(const std::string& path, std::optional<DType> as, MappedFiles* mapped) {
  if (mapped != nullptr) {
    if (std::optional<Tensor> tensor = mapped->Map(path, as)) return *std::move(tensor);
  }
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

Result<AtomicFile> WriteNpyAside(const std::string& path, const Tensor& tensor, bool flush) {
  Result<AtomicFile> file = flush ? AtomicFile::Create(path) : AtomicFile::CreateNew(path);
  if (!file.ok()) return file;
  const auto write = [&](const void* data, size_t size) { return file->Write(data, size); };
  if (Status status = WriteNpyTo(tensor, path, write); !status.ok()) return status;
  if (Status status = file->End(flush); !status.ok()) return status;
  return file;
}

// Archives of arrays.

namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr uint64_t kMostHeader = (uint64_t{1} << 16) + 64;
constexpr size_t kLongestKey = 200;

// NumPy's key for a member.
std::string_view KeyOf(std::string_view member) {
  return member.substr(0, member.size() - (member.ends_with(kSuffix) ? kSuffix.size() : 0));
}

Status NoKey(const ZipReader& zip, const std::string& file, const std::string& key) {
  std::vector<std::string> keys;
  for (const std::string_view member : zip.names()) keys.emplace_back(KeyOf(member));
  return {OPSRUN_NOT_FOUND, fmt::format("'{}' has no array '{}'; {}", file, key, DidYouMean(key, keys, "arrays in it")),
          "key"};
}

Result<size_t> FindKey(const ZipReader& zip, const std::string& file, const std::string& key) {
  const std::vector<std::string_view>& names = zip.names();
  const auto has_key = [&key](std::string_view member) { return KeyOf(member) == key; };
  const auto found = std::find_if(names.begin(), names.end(), has_key);
  if (found == names.end()) return NoKey(zip, file, key);
  if (std::any_of(found + 1, names.end(), has_key)) {
    return InvalidArgument(fmt::format("'{}' has two arrays '{}'", file, key), "key");
  }
  return static_cast<size_t>(found - names.begin());
}

// Its header, after a check that the member is as long as it says, before memory is allocated for all of it.
Result<NpyHeader> ReadHeader(const ZipReader& zip, size_t i, std::optional<DType> as) {
  const Result<uint64_t> size = zip.Size(i);
  if (!size.ok()) return size.status();
  const Result<std::string> head = zip.Read(i, kMostHeader);
  if (!head.ok()) return head.status();
  Result<NpyHeader> header = ParseNpyHeader(*head, as);
  if (!header.ok()) return header.status();
  if (Status status = CheckNpySize(*header, *size - header->data_offset); !status.ok()) return status;
  const uint64_t most = MachineMemory() / 2;
  if (*size <= most) return header;
  return ResourceExhausted(fmt::format("holds {} bytes, more than the {} that fit here", *size, most));
}

// Nothing if the array has to be copied.
std::optional<Tensor> InPages(const ZipReader& zip, size_t i, const NpyHeader& header,
                              const std::shared_ptr<void>& pages) {
  const Result<std::optional<std::string_view>> stored = zip.Stored(i, false);
  if (pages == nullptr || !stored.ok() || !*stored) return std::nullopt;
  const std::string_view elements = (*stored)->substr(std::min((*stored)->size(), header.data_offset));
  if (elements.size() < MappedFiles::kLeastArray || !FitsPages(header, elements.data()) ||
      !CheckNpySize(header, elements.size()).ok())
    return std::nullopt;
  Result<Tensor> tensor = Tensor::Over(header.dtype, header.shape, {pages, const_cast<char*>(elements.data())});
  return tensor.ok() ? std::optional(*std::move(tensor)) : std::nullopt;
}

}  // namespace

Result<Tensor> ParseNpz(std::string_view bytes, const std::string& name, const std::string& key,
                        std::optional<DType> as, const std::shared_ptr<void>& pages) {
  const Result<ZipReader> zip = ZipReader::Open(bytes);
  if (!zip.ok()) return Named(name, zip.status());
  const Result<size_t> member = FindKey(*zip, name, key);
  if (!member.ok()) return member.status();
  const std::string full_name = fmt::format("{}:{}", name, key);
  const Result<NpyHeader> header = ReadHeader(*zip, *member, as);
  if (!header.ok()) return Named(full_name, header.status());
  if (std::optional<Tensor> tensor = InPages(*zip, *member, *header, pages)) return *std::move(tensor);
  const Result<std::optional<std::string_view>> stored = zip->Stored(*member, true);
  if (!stored.ok()) return Named(full_name, stored.status());
  if (*stored) return ParseNpy(**stored, full_name, as);
  const Result<std::string> npy = zip->Read(*member, MachineMemory());
  if (!npy.ok()) return Named(full_name, npy.status());
  return ParseNpy(*npy, full_name, as);
}

Result<Tensor> ReadNpz(const std::string& path, const std::string& key, std::optional<DType> as, MappedFiles* mapped) {
  if (mapped != nullptr) {
    if (std::optional<Result<Tensor>> tensor = mapped->MapMember(path, key, as)) return *std::move(tensor);
  }
  // The archive, one member and its tensor are in memory at the same time.
  Result<std::string> bytes = ReadFileOrPipe(path, MachineMemory() / 2);
  if (!bytes.ok()) return bytes.status();
  return ParseNpz(*bytes, path, key, as);
}

bool IsNpzKey(const std::string& text) {
  const auto is_bad = [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= kLongestKey && std::none_of(text.begin(), text.end(), is_bad);
}

Result<AtomicFile> WriteNpzAside(const std::string& path, const std::vector<NpzEntry>& entries, bool flush) {
  Result<AtomicFile> file = flush ? AtomicFile::Create(path) : AtomicFile::CreateNew(path);
  if (!file.ok()) return file;
  ZipWriter zip(*file);
  for (const NpzEntry& entry : entries) {
    if (Status status = zip.Begin(entry.key + std::string(kSuffix)); !status.ok()) return status;
    const auto write = [&](const void* data, size_t size) { return zip.Write(data, size); };
    if (Status status = WriteNpyTo(entry.tensor, path, write); !status.ok()) return status;
    if (Status status = zip.End(); !status.ok()) return status;
  }
  if (Status status = zip.Finish(); !status.ok()) return status;
  if (Status status = file->End(flush); !status.ok()) return status;
  return file;
}

}  // namespace opsrun::host

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "host/embed/objects.h"
#include "host/tensor/tensor.h"

struct opsrun_strings {
  opsrun::host::SharedMemory memory;
  std::vector<int64_t> shape;
};

namespace opsrun::host {
namespace {

// A result whose owner is a consumer of DLPack. Its sizes and strides follow in the same block.
struct ManagedResult {
  DLManagedTensorVersioned tensor;
  SharedMemory memory;

  int64_t* sizes() { return reinterpret_cast<int64_t*>(this + 1); }

  static void Delete(DLManagedTensorVersioned* self) {
    auto* const result = static_cast<ManagedResult*>(self->manager_ctx);
    result->~ManagedResult();
    std::free(result);
  }
};

std::optional<DType> DTypeOf(opsrun_dldtype dl) {
  for (const DType dtype : kAllDTypes) {
    const opsrun_dldtype one = DTypeToDLPack(dtype);
    if (one.code == dl.code && one.bits == dl.bits && dl.lanes == 1 && HasValues(dtype) && one.code != 3) return dtype;
  }
  return std::nullopt;
}

struct Strided {
  void* data = nullptr;
  DType dtype = DType::kInvalid;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;
  opsrun_device device = {OPSRUN_DEVICE_CPU, 0};
};

Status FromDLPack(const opsrun_dltensor& t, int32_t dtype, Strided* array) {
  const std::optional<DType> own = dtype != 0 ? DTypeFromNumber(dtype) : DTypeOf(t.dtype);
  if (!own) {
    return InvalidArgument(fmt::format("DLPack's data type (code {}, {} bits, {} lanes) is not supported", t.dtype.code,
                                       t.dtype.bits, t.dtype.lanes));
  }
  if (IsDType(*own) && HasValues(*own) && !HasSlots(*own) && t.dtype.bits * t.dtype.lanes != 8 * DTypeSize(*own)) {
    return InvalidArgument(
        fmt::format("a tensor with {} bits per element cannot be {}", t.dtype.bits, DTypeName(*own)));
  }
  void* const data = t.data == nullptr ? nullptr : static_cast<char*>(t.data) + t.byte_offset;
  *array = {data, *own, t.ndim, t.shape, t.strides, t.device};
  return OkStatus();
}

Status Check(const Strided& array, std::optional<int64_t>* elements) {
  if (Status status = CheckType(array.dtype, array.rank, array.shape, elements); !status.ok()) return status;
  if (**elements > 0 && array.data == nullptr) return InvalidArgument("data is NULL, but there are elements");
  return OkStatus();
}

bool IsDense(const Strided& array) {
  return opsrun::host::IsDense({array.shape, static_cast<size_t>(array.rank)}, array.strides);
}

size_t Alignment(DType dtype) {
  if (HasSlots(dtype)) return alignof(opsrun_str);
  return DTypeSize(dtype) / (IsComplex(dtype) ? 2 : 1);
}

// Calls fn(address of the element) in row-major order. Requires: there are elements.
template <typename Fn>
void ForEach(const Strided& array, Fn fn) {
  const auto size = static_cast<int64_t>(ElementBytes(array.dtype));
  int64_t index[OPSRUN_MAX_RANK] = {};
  int64_t strides[OPSRUN_MAX_RANK];
  int64_t stride = 1;
  for (int32_t i = array.rank - 1; i >= 0; --i) {
    strides[i] = array.strides == nullptr ? stride : array.strides[i];
    stride *= array.shape[i];
  }
  const char* at = static_cast<const char*>(array.data);
  while (true) {
    fn(at);
    int32_t axis = array.rank - 1;
    for (; axis >= 0; --axis) {
      at += strides[axis] * size;
      if (++index[axis] < array.shape[axis]) break;
      at -= index[axis] * strides[axis] * size;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

Result<Tensor> Copy(const Strided& array) {
  Shape shape(array.shape, array.shape + array.rank);
  if (IsDense(array)) return Tensor::CopyOf(array.dtype, std::move(shape), array.data);
  Result<Tensor> copy = Tensor::Create(array.dtype, std::move(shape));
  if (!copy.ok()) return copy;
  const size_t size = ElementBytes(array.dtype);
  Status status;
  int64_t i = 0;
  ForEach(array, [&](const char* element) {
    if (!HasSlots(array.dtype)) {
      std::memcpy(static_cast<char*>(copy->mutable_data()) + static_cast<size_t>(i) * size, element, size);
    } else if (status.ok()) {
      status = copy->SetString(i, SlotText(*reinterpret_cast<const opsrun_str*>(element)));
    }
    ++i;
  });
  return status.ok() ? copy : status;
}

// Strings are read in place, so every element must be valid.
Status CheckStrings(const Strided& array) {
  if (reinterpret_cast<uintptr_t>(array.data) % alignof(opsrun_str) != 0) {
    return InvalidArgument("the array of opsrun_str is not aligned");
  }
  Status status;
  int64_t i = 0;
  ForEach(array, [&](const char* element) {
    const auto& text = *reinterpret_cast<const opsrun_str*>(element);
    if (status.ok() && text.data == nullptr && text.size > 0) {
      status = InvalidArgument(fmt::format("string {} has a size of {}, but its data is NULL", i, text.size));
    }
    ++i;
  });
  return status;
}

}  // namespace

Status CheckType(DType dtype, int32_t rank, const int64_t* shape, std::optional<int64_t>* elements) {
  if (!IsDType(dtype) || !HasValues(dtype)) {
    return InvalidArgument(fmt::format("there are no such tensors: {}", DTypeName(dtype)));
  }
  if (rank < 0 || rank > OPSRUN_MAX_RANK) {
    return InvalidArgument(fmt::format("rank {} is out of range: tensors have rank 0 to {}", rank, OPSRUN_MAX_RANK));
  }
  if (rank > 0 && shape == nullptr) return InvalidArgument(fmt::format("a shape of rank {} without sizes", rank));
  *elements = NumElementsOf(std::span(shape, static_cast<size_t>(rank)));
  if (!*elements) return InvalidArgument("the shape has a negative size, or more elements than can be counted");
  return OkStatus();
}

void ReportInput(const std::string& name, const Status& status, Diagnostics& diagnostics) {
  diagnostics
      .Error(status.code() == OPSRUN_UNAVAILABLE ? Code("D201") : Code("F305"),
             fmt::format("{}: {}", name, status.message()))
      .help.push_back(status.subject().empty()
                          ? "give an array of a data type of opsrun/c_api.h, with a rank and sizes "
                            "from 0 on, in memory of the device that it names"
                          : status.subject());
}

Result<Device*> DeviceOf(const opsrun_device& device, Devices& devices) {
  Result<Device*> found = devices.Find(device);
  return found.ok() && *found == &devices.cpu() ? Result<Device*>(nullptr) : found;
}

namespace {

// A tensor on a device can neither be copied nor looked at by the CPU. A card reads complex numbers as a whole.
Status CheckOnDevice(const Strided& array, bool is_empty, void* stream, const Device& device) {
  if (HasSlots(array.dtype)) return InvalidArgument("strings are on the CPU only");
  if (stream != nullptr) {
    if (Status status = device.CheckStream(stream); !status.ok()) return status;
  }
  if (is_empty) return OkStatus();
  if (Status status = device.CheckMemory(array.data); !status.ok()) return status;
  if (IsDense(array) && reinterpret_cast<uintptr_t>(array.data) % DTypeSize(array.dtype) == 0) return OkStatus();
  return InvalidArgument(fmt::format("it is on {} and neither dense and row-major nor aligned", device.name()));
}

}  // namespace

Status ReadTensor(const opsrun_in& in, Devices* devices, TensorRef* ref, Tensor* copy) {
  RequireZero("opsrun_in.flags", in.flags);
  RequireZero("opsrun_in.reserved", in.reserved[0] | in.reserved[1]);
  Strided array;
  if (in.tensor != nullptr && in.array != nullptr) {
    return InvalidArgument("two tensors are given: both tensor and array are set");
  }
  if (in.tensor != nullptr) {
    if (Status status = FromDLPack(*in.tensor, in.dtype, &array); !status.ok()) return status;
  } else if (in.array != nullptr) {
    if (in.dtype != 0) return InvalidArgument("opsrun_in.dtype is only for DLPack's tensors");
    array = {in.array->data,  DTypeFromNumber(in.array->dtype), in.array->rank, in.array->shape, in.array->strides,
             in.array->device};
  } else {
    return InvalidArgument("no tensor is given: tensor and array are both NULL");
  }
  std::optional<int64_t> elements;
  if (Status status = Check(array, &elements); !status.ok()) return status;
  *ref = {array.data, array.dtype, array.rank, array.shape};
  if (devices == nullptr && !IsCpu(array.device)) return InvalidArgument("it is not on the CPU");
  const Result<Device*> device = devices == nullptr ? Result<Device*>(nullptr) : DeviceOf(array.device, *devices);
  if (!device.ok()) return device.status();
  if (*device != nullptr) {
    ref->device = *device;
    ref->stream = in.stream;
    return CheckOnDevice(array, *elements == 0, in.stream, **device);
  }
  if (in.stream != nullptr)
    return {OPSRUN_INVALID_ARGUMENT, "it has a stream, but is on the CPU", "give a stream only with memory of a GPU"};
  const bool aligned = reinterpret_cast<uintptr_t>(array.data) % Alignment(array.dtype) == 0;
  if (*elements == 0 || (aligned && IsDense(array) && !HasSlots(array.dtype))) return OkStatus();
  if (HasSlots(array.dtype)) {
    if (Status status = CheckStrings(array); !status.ok()) return status;
  }
  Result<Tensor> copied = Copy(array);
  if (!copied.ok()) return copied.status();
  *copy = *std::move(copied);
  ref->data = copy->mutable_data();
  return OkStatus();
}

bool ReadPlain(const opsrun_in& in, const FeedType& type, TensorRef* ref) {
  const opsrun_array* const array = in.array;
  if (array == nullptr || in.tensor != nullptr || array->strides != nullptr || array->data == nullptr) return false;
  if (!IsCpu(array->device) || in.dtype != 0 || in.stream != nullptr) return false;
  if ((in.flags | in.reserved[0] | in.reserved[1]) != 0) return false;
  if (array->dtype != DTypeNumber(type.dtype) || HasSlots(type.dtype)) return false;
  if (static_cast<size_t>(array->rank) != type.shape.size() || (array->rank > 0 && array->shape == nullptr))
    return false;
  if (!std::equal(type.shape.begin(), type.shape.end(), array->shape)) return false;
  if (reinterpret_cast<uintptr_t>(array->data) % Alignment(type.dtype) != 0) return false;
  *ref = {array->data, type.dtype, array->rank, array->shape};
  return true;
}

Status PlaceResult(const opsrun_out& out, Devices& devices, CallOutput* output) {
  RequireZero("opsrun_out.reserved", out.reserved[0] | out.reserved[1]);
  const bool by_into = out.into != nullptr && out.device.type == 0 && out.device.id == 0;
  const opsrun_device& wanted = by_into ? out.into->device : out.device;
  const Result<Device*> device = DeviceOf(wanted, devices);
  if (!device.ok()) {
    RefuseArgument(device.status().code(), fmt::format("the device of opsrun_out: {}", device.status().message()),
                   device.status().subject());
  }
  output->into.device = *device;
  output->into.stream = out.stream;
  if (out.stream != nullptr) {
    const Status status =
        *device == nullptr ? InvalidArgument("the result is on the CPU") : (*device)->CheckStream(out.stream);
    if (!status.ok()) {
      RefuseArgument(status.code(), fmt::format("opsrun_out.stream: {}", status.message()),
                     "give a stream of the result's GPU, or NULL");
    }
  }
  if (out.into == nullptr) return OkStatus();
  if (!by_into && (out.into->device.type != wanted.type || out.into->device.id != wanted.id)) {
    RefuseArgument(OPSRUN_INVALID_ARGUMENT, "opsrun_out.device is not the device of opsrun_out.into",
                   "leave opsrun_out.device zero: that of `into` is used");
  }
  const Strided into{out.into->data, DTypeFromNumber(out.into->dtype), out.into->rank, out.into->shape,
                     out.into->strides};
  std::optional<int64_t> elements;
  if (Status status = Check(into, &elements); !status.ok()) return status;
  if (HasSlots(into.dtype)) return InvalidArgument("strings cannot be written into the caller's memory");
  if (!IsDense(into)) return InvalidArgument("the memory for the result is not dense and row-major");
  if (*device != nullptr && *elements > 0) {
    if (Status status = (*device)->CheckMemory(into.data); !status.ok()) return status;
  }
  output->into = {into.data, into.dtype, into.rank, into.shape, *device, out.stream};
  return OkStatus();
}

Status GiveResult(CallOutput& output, opsrun_out* out) {
  const std::span<const int64_t> shape(output.shape, static_cast<size_t>(output.rank));
  out->tensor = nullptr;
  out->strings = nullptr;
  if (out->into != nullptr) {
    out->array = *out->into;
    return OkStatus();
  }
  if (HasSlots(output.dtype)) {
    out->strings = new opsrun_strings{std::move(output.memory), {shape.begin(), shape.end()}};
    out->array = {output.data, out->strings->shape.data(), nullptr, DTypeNumber(output.dtype),
                  output.rank, {OPSRUN_DEVICE_CPU, 0}};
    return OkStatus();
  }
  void* const block = std::malloc(sizeof(ManagedResult) + 2 * shape.size() * sizeof(int64_t));
  if (block == nullptr) return ResourceExhausted("not enough memory for a result");
  auto* const result = new (block) ManagedResult{{}, std::move(output.memory)};
  int64_t* const sizes = result->sizes();
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    sizes[i] = shape[i];
    sizes[shape.size() + i] = stride;
    stride *= shape[i];
  }
  const opsrun_device device =
      output.into.device == nullptr ? opsrun_device{OPSRUN_DEVICE_CPU, 0} : output.into.device->id();
  constexpr uint64_t kIsCopied = 2;  // the memory is not shared
  result->tensor = {
      1,         1,
      result,    ManagedResult::Delete,
      kIsCopied, {output.data, device, output.rank, DTypeToDLPack(output.dtype), sizes, sizes + shape.size(), 0}};
  out->tensor = &result->tensor;
  out->array = {output.data, sizes, nullptr, DTypeNumber(output.dtype), output.rank, device};
  return OkStatus();
}

}  // namespace opsrun::host

extern "C" void opsrun_outs_free(opsrun_out* outs, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    if (outs[i].tensor != nullptr) outs[i].tensor->deleter(outs[i].tensor);
    delete outs[i].strings;
    outs[i].tensor = nullptr;
    outs[i].strings = nullptr;
  }
}

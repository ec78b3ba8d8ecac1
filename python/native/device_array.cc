// python/native/device_array.cc
// SPDX-License-Identifier: Apache-2.0
#include "device_array.h"

#include <cstring>
#include <utility>

#include "running.h"

namespace nb = nanobind;

namespace opsrun::python {
namespace {

// The structs of DLPack: https://dmlc.github.io/dlpack/latest/c_api.html

struct DLTensor {
  void* data;
  opsrun_device device;
  int32_t ndim;
  opsrun_dldtype dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct Managed {
  DLTensor tensor;
  void* manager_ctx;
  void (*deleter)(Managed* self);
};

struct ManagedVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(ManagedVersioned* self);
  uint64_t flags;
  DLTensor tensor;
};

constexpr char kName[] = "dltensor", kVersionedName[] = "dltensor_versioned";

// What deleter() ends.
template <typename T>
void End(void* owner) {
  T* const managed = static_cast<T*>(owner);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

constexpr struct {
  uint8_t code, bits;
  int32_t dtype;
} kTypes[] = {
    {0, 8, OPSRUN_DT_INT8},       {0, 16, OPSRUN_DT_INT16},       {0, 32, OPSRUN_DT_INT32},
    {0, 64, OPSRUN_DT_INT64},     {1, 8, OPSRUN_DT_UINT8},        {1, 16, OPSRUN_DT_UINT16},
    {1, 32, OPSRUN_DT_UINT32},    {1, 64, OPSRUN_DT_UINT64},      {2, 16, OPSRUN_DT_HALF},
    {2, 32, OPSRUN_DT_FLOAT},     {2, 64, OPSRUN_DT_DOUBLE},      {4, 16, OPSRUN_DT_BFLOAT16},
    {5, 64, OPSRUN_DT_COMPLEX64}, {5, 128, OPSRUN_DT_COMPLEX128}, {6, 8, OPSRUN_DT_BOOL},
};

int32_t NumberOf(const opsrun_dldtype& dl) {
  for (const auto& type : kTypes) {
    if (type.code == dl.code && type.bits == dl.bits && dl.lanes == 1) return type.dtype;
  }
  return 0;
}

bool IsDense(const DLTensor& tensor) {
  int64_t stride = 1;
  for (int32_t i = tensor.ndim; tensor.strides != nullptr && i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

void Order(const EnginePtr& engine, const opsrun_device& device, void* first, void* then) {
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_order(engine.get(), device, first, then, &report);
  if (code == OPSRUN_OK) return;
  SetError(code, report);
  throw nb::python_error();
}

// What a consumer of DLPack holds.
struct Exported {
  ManagedVersioned versioned = {};
  Managed managed = {};
  PyObject* self = nullptr;  // keeps the memory
  EnginePtr engine;
  void *own = nullptr, *consumer = nullptr;  // streams
  std::vector<int64_t> sizes;

  // From any thread.
  void End() {
    if (Py_IsInitialized() == 0) return;  // the memory goes with the process
    const PyGILState_STATE state = PyGILState_Ensure();
    // The memory is freed in the order of our stream: after the consumer's work.
    if (consumer != nullptr) (void)opsrun_engine_order(engine.get(), versioned.tensor.device, consumer, own, nullptr);
    Py_DECREF(self);
    delete this;
    PyGILState_Release(state);
  }
};

template <typename T>
void EndUnused(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // a consumer has taken it
  End<T>(PyCapsule_GetPointer(capsule, name));
}

}  // namespace

DeviceArray::DeviceArray(EnginePtr engine, opsrun_out* out, void* stream)
    : engine_(std::move(engine)), array_(out->array), stream_(stream), end_(End<ManagedVersioned>) {
  shape_.assign(array_.shape, array_.shape + array_.rank);
  array_.shape = shape_.data();
  owner_ = std::exchange(out->tensor, nullptr);
  dl_ = static_cast<ManagedVersioned*>(owner_)->tensor.dtype;
}

DeviceArray::DeviceArray(EnginePtr engine, const nb::object& capsule) : engine_(std::move(engine)) {
  const bool versioned = PyCapsule_IsValid(capsule.ptr(), kVersionedName) != 0;
  if (!versioned && PyCapsule_IsValid(capsule.ptr(), kName) == 0) throw nb::type_error("not a tensor of DLPack");
  void* const taken = PyCapsule_GetPointer(capsule.ptr(), versioned ? kVersionedName : kName);
  const DLTensor& tensor =
      versioned ? static_cast<ManagedVersioned*>(taken)->tensor : static_cast<Managed*>(taken)->tensor;
  if (!IsDense(tensor))
    throw nb::value_error("it is not contiguous, as arrays on a GPU must be: make a contiguous copy");
  dl_ = tensor.dtype;
  array_.dtype = NumberOf(dl_);
  if (array_.dtype == 0) throw nb::type_error("its data type is not one of opsrun");
  shape_.assign(tensor.shape, tensor.shape + tensor.ndim);
  array_.data = tensor.data == nullptr ? nullptr : static_cast<char*>(tensor.data) + tensor.byte_offset;
  array_.shape = shape_.data();
  array_.rank = tensor.ndim;
  array_.device = tensor.device;
  stream_ = StreamOf(engine_.get(), array_.device);
  PyCapsule_SetName(capsule.ptr(), versioned ? "used_dltensor_versioned" : "used_dltensor");
  owner_ = taken;
  end_ = versioned ? End<ManagedVersioned> : End<Managed>;
}

DeviceArray::~DeviceArray() {
  if (owner_ != nullptr) end_(owner_);
}

nb::tuple DeviceArray::Shape() const {
  nb::list sizes;
  for (const int64_t size : shape_) sizes.append(size);
  return nb::tuple(sizes);
}

nb::object DeviceArray::Capsule(nb::handle self, uintptr_t stream, bool versioned) {
  const auto& array = *nb::cast<const DeviceArray*>(self);
  void* const consumer = reinterpret_cast<void*>(stream);
  if (consumer != nullptr && consumer != array.stream_)
    Order(array.engine_, array.array_.device, array.stream_, consumer);
  auto made = std::make_unique<Exported>();
  const size_t rank = array.shape_.size();
  made->sizes = array.shape_;
  made->sizes.resize(2 * rank, 1);
  for (size_t i = rank; i-- > 1;) made->sizes[rank + i - 1] = made->sizes[rank + i] * made->sizes[i];
  const DLTensor tensor = {array.array_.data,
                           array.array_.device,
                           array.array_.rank,
                           array.dl_,
                           made->sizes.data(),
                           made->sizes.data() + rank,
                           0};
  made->versioned = {1, 0,     made.get(), [](ManagedVersioned* it) { static_cast<Exported*>(it->manager_ctx)->End(); },
                     0, tensor};
  made->managed = {tensor, made.get(), [](Managed* it) { static_cast<Exported*>(it->manager_ctx)->End(); }};
  made->engine = array.engine_;
  made->own = array.stream_;
  made->consumer = consumer == array.stream_ ? nullptr : consumer;
  made->self = Py_NewRef(self.ptr());
  void* const tensor_of_capsule = versioned ? static_cast<void*>(&made->versioned) : static_cast<void*>(&made->managed);
  PyObject* const capsule =
      versioned ? PyCapsule_New(tensor_of_capsule, kVersionedName,
                                [](PyObject* it) { EndUnused<ManagedVersioned>(it, kVersionedName); })
                : PyCapsule_New(tensor_of_capsule, kName, [](PyObject* it) { EndUnused<Managed>(it, kName); });
  if (capsule == nullptr) {
    made.release()->End();
    throw nb::python_error();
  }
  (void)made.release();
  return nb::steal(capsule);
}

const DeviceArray* DeviceArrayOf(PyObject* object) {
  if (PyArray_CheckExact(object)) return nullptr;
  const nb::object native = nb::steal(PyObject_GetAttrString(object, "_native"));
  if (!native.is_valid()) PyErr_Clear();
  const bool is_one = native.is_valid() && nb::isinstance<DeviceArray>(native);
  return is_one ? nb::cast<const DeviceArray*>(native) : nullptr;  // `object` keeps it
}

nb::object Wrapped(std::unique_ptr<DeviceArray> array) {
  const nb::object native = nb::cast(array.release(), nb::rv_policy::take_ownership);
  return nb::module_::import_("opsrun._device").attr("DeviceArray")(native);
}

void* StreamOf(opsrun_engine* engine, const opsrun_device& device) {
  void* stream = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_stream(engine, device, &stream, &report);
  if (code == OPSRUN_OK) return stream;
  SetError(code, report);
  throw nb::python_error();
}

}  // namespace opsrun::python

// python/native/device_array.h: arrays in the memory of a GPU: results of the library, and tensors of other packages.
//
// All work of Python on a GPU is ordered by one stream, opsrun_engine_stream: results are made and freed in its order,
// tensors of other packages are made before its work, and what reads a result waits for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// First, so that Python.h comes first.
#include "numpy.h"
// After it.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "opsrun/embed.h"

namespace opsrun::python {

using EnginePtr = std::shared_ptr<opsrun_engine>;

class DeviceArray {
 public:
  // The result of a call, which *out owns no longer. Throws std::bad_alloc.
  DeviceArray(EnginePtr engine, opsrun_out* out, void* stream);
  // A tensor of another package: a capsule of DLPack, made for the engine's stream of its device. Throws an exception
  // of Python.
  DeviceArray(EnginePtr engine, const nanobind::object& capsule);
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray();

  const opsrun_array& array() const { return array_; }
  void* stream() const { return stream_; }

  nanobind::tuple Shape() const;
  int32_t dtype() const { return array_.dtype; }
  // DLPack's type of the device, and its number.
  std::pair<int32_t, int32_t> Device() const { return {array_.device.type, array_.device.id}; }
  uintptr_t Pointer() const { return reinterpret_cast<uintptr_t>(array_.data); }
  uintptr_t StreamNumber() const { return reinterpret_cast<uintptr_t>(stream_); }

  // A capsule of DLPack for a consumer on `stream`: 0: who does not want to be ordered. self: this object. versioned:
  // of DLPack 1.0. The consumer may free it when its work that uses the tensor is on the stream.
  static nanobind::object Capsule(nanobind::handle self, uintptr_t stream, bool versioned);

 private:
  EnginePtr engine_;
  opsrun_array array_ = {};
  opsrun_dldtype dl_ = {};
  std::vector<int64_t> shape_;
  void* stream_ = nullptr;
  void* owner_ = nullptr;  // a DLManagedTensor
  void (*end_)(void* owner) = nullptr;
};

// The array in an opsrun.DeviceArray; null, without an exception, for any other object.
const DeviceArray* DeviceArrayOf(PyObject* object);
// An opsrun.DeviceArray of it, whose module is imported on first use. Throws an exception of Python.
nanobind::object Wrapped(std::unique_ptr<DeviceArray> array);

// The engine's stream of a GPU. Throws an exception of Python.
void* StreamOf(opsrun_engine* engine, const opsrun_device& device);

}  // namespace opsrun::python

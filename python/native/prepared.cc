// python/native/prepared.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"
// After it, so that Python.h comes first.
#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "arrays.h"
#include "running.h"

namespace nb = nanobind;

namespace opsrun::python {
namespace {

// An array that is stored inline if it is small.
template <typename T, size_t kSmall>
class Scratch {
 public:
  explicit Scratch(size_t n) : data_(n <= kSmall ? small_ : new T[n]()) {}
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    if (data_ != small_) delete[] data_;
  }
  T& operator[](size_t i) { return data_[i]; }
  T* data() { return data_; }

 private:
  T small_[kSmall] = {};
  T* data_;
};

constexpr size_t kSmall = 4;

void Forget(PyObject** results, size_t n) {
  for (size_t i = 0; i < n; ++i) Py_CLEAR(results[i]);
}

int32_t CallPrepared(void* handle, const opsrun_in* inputs, uint32_t n_inputs, opsrun_out* outputs, uint32_t n_outputs,
                     const opsrun_run_options* options, opsrun_report** report) {
  return opsrun_prepared_call(static_cast<opsrun_prepared*>(handle), inputs, n_inputs, outputs, n_outputs, options,
                              report);
}

void Destroy(PyObject* self) {
  auto* const prepared = reinterpret_cast<Prepared*>(self);
  PyTypeObject* const type = Py_TYPE(self);
  // In a forked child, the parent's threads that hold locks do not exist, so this would deadlock.
  if (prepared->fork_number == ForkNumber()) opsrun_prepared_destroy(prepared->handle);
  prepared->engine.~EnginePtr();
  prepared->inputs.~vector();
  prepared->outputs.~vector();
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

PyObject* CallMethod(PyObject* self, PyObject* arrays) {
  auto* const prepared = reinterpret_cast<Prepared*>(self);
  const nb::object list = nb::steal(PySequence_Tuple(arrays));  // a tuple, so that other threads cannot change it
  if (!list.is_valid()) return nullptr;
  std::vector<PyObject*> items(static_cast<size_t>(PyTuple_Size(list.ptr())));
  for (size_t i = 0; i < items.size(); ++i) items[i] = PyTuple_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
  bool fits = items.size() == prepared->inputs.size();
  for (size_t i = 0; fits && i < items.size(); ++i) {
    const bool plain = IsPlainArray(items[i]);
    fits = plain ? prepared->inputs[i].Fits(reinterpret_cast<PyArrayObject*>(items[i])) : IsUsable(items[i]);
  }
  if (!fits) {
    PyErr_SetString(PyExc_TypeError, "the arrays are not those that the op was prepared for");
    return nullptr;
  }
  std::vector<PyObject*> results(prepared->outputs.size());
  return Call(prepared, items.data(), results.data()) ? ListOf(results) : nullptr;
}

PyObject* OutputNames(PyObject* self, void*) {
  opsrun_prepared* const handle = reinterpret_cast<Prepared*>(self)->handle;
  std::vector<PyObject*> names;
  for (uint32_t i = 0; i < opsrun_prepared_n_outputs(handle); ++i) {
    const opsrun_str name = opsrun_prepared_output(handle, i)->name;
    names.push_back(PyUnicode_FromStringAndSize(name.data, static_cast<Py_ssize_t>(name.size)));
  }
  return ListOf(names);
}

PyGetSetDef properties[] = {{"output_names", OutputNames, nullptr, "\"y\", or \"parts.0\" of a list", nullptr}, {}};
PyMethodDef methods[] = {{"call", CallMethod, METH_O, "call(arrays) -> list of the outputs"}, {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(Destroy)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_doc, const_cast<char*>("An op that is prepared for inputs of certain types and shapes.")},
                       {0, nullptr}};
PyType_Spec spec = {"opsrun._native.Prepared", sizeof(Prepared), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};

Known KnownOf(const opsrun_tensor_info& info) {
  Known known;
  known.dtype = info.dtype;
  known.number = info.dtype == OPSRUN_DT_RESOURCE ? -1 : TypeNumber(info.dtype);
  known.shape_known = info.rank >= 0 && info.dtype != OPSRUN_DT_STRING && known.number >= 0;
  for (int32_t i = 0; i < info.rank; ++i) {
    known.shape.push_back(info.shape[i]);
    known.shape_known = known.shape_known && info.shape[i] >= 0;
  }
  return known;
}

}  // namespace

void CallTime::Add(int64_t nanoseconds) {
  nanoseconds_ = nanoseconds_ == 0 ? nanoseconds : (3 * nanoseconds_ + nanoseconds) / 4;
}

int64_t CallTime::Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

bool Known::Fits(PyArrayObject* array) const {
  return PyArray_DESCR(array)->type_num == number && static_cast<size_t>(PyArray_NDIM(array)) == shape.size() &&
         std::equal(shape.begin(), shape.end(), PyArray_DIMS(array));
}

namespace {

// Where a call's results go, and what orders it.
struct Placement {
  opsrun_device device = {};  // of the results; all zero: the CPU
  void* stream = nullptr;     // of the run
  void* of_results = nullptr;

  bool is_on_gpu() const { return device.type == OPSRUN_DEVICE_CUDA; }
};

// False after an exception.
bool Place(const Callee& callee, PyObject* const* arrays, size_t n, Placement* placement) {
  const DeviceArray* first = nullptr;
  for (size_t i = 0; first == nullptr && i < n; ++i) first = DeviceArrayOf(arrays[i]);
  if (callee.results != nullptr) placement->device = *callee.results;
  if (callee.results == nullptr && first != nullptr) placement->device = first->array().device;
  if (first != nullptr) placement->stream = first->stream();
  if (!placement->is_on_gpu()) return true;
  try {
    placement->of_results = StreamOf(callee.engine.get(), placement->device);
  } catch (nb::python_error& error) {
    error.restore();
    return false;
  }
  if (first == nullptr) placement->stream = placement->of_results;
  return true;
}

PyObject* TakeDeviceArray(const EnginePtr& engine, opsrun_out* out, void* stream) {
  try {
    return Wrapped(std::make_unique<DeviceArray>(engine, out, stream)).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  opsrun_outs_free(out, 1);
  return nullptr;
}

}  // namespace

bool IsUsable(PyObject* object) {
  return IsPlainArray(object) || DeviceArrayOf(object) != nullptr;
}

bool Run(const Callee& callee, PyObject* const* arrays, const std::vector<Known>& inputs,
         const std::vector<Known>& outputs, CallTime& time, PyObject** results) {
  Scratch<Input, kSmall> made(inputs.size());
  Scratch<opsrun_in, kSmall> ins(inputs.size());
  Scratch<opsrun_array, kSmall> into(outputs.size());
  Scratch<opsrun_out, kSmall> outs(outputs.size());
  std::fill(results, results + outputs.size(), nullptr);
  Placement placement;
  if (!Place(callee, arrays, inputs.size(), &placement)) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const DeviceArray* const there = DeviceArrayOf(arrays[i])) {
      ins[i].array = &there->array();
      if (there->stream() != placement.stream) ins[i].stream = there->stream();
      continue;
    }
    const npy_intp* const shape = inputs[i].number >= 0 ? inputs[i].shape.data() : nullptr;
    if (!MakeInput(reinterpret_cast<PyArrayObject*>(arrays[i]), inputs[i].dtype, shape, &made[i])) return false;
    ins[i].array = &made[i].array;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Known& known = outputs[i];
    if (placement.is_on_gpu() && known.dtype != OPSRUN_DT_STRING) {
      outs[i].device = placement.device;
      outs[i].stream = placement.of_results;
      continue;
    }
    if (!known.shape_known) continue;
    const auto rank = static_cast<int>(known.shape.size());
    results[i] = NewArray(known.number, rank, known.shape.data());
    if (results[i] == nullptr) {
      Forget(results, outputs.size());
      return false;
    }
    auto* const array = reinterpret_cast<PyArrayObject*>(results[i]);
    into[i] = {PyArray_DATA(array), known.shape.data(), nullptr, known.dtype, rank};
    outs[i].into = &into[i];
  }
  opsrun_report* report = nullptr;
  const bool measured = time.IsMeasured();
  const bool release = time.Releases();
  const int64_t begin = measured ? CallTime::Now() : 0;
  time.Count();
  const int32_t code = RunWith(release, [&](opsrun_stop* stop) {
    opsrun_run_options options{};
    options.size = sizeof(options);
    options.stop = stop;
    options.stream = placement.stream;
    return callee.run(callee.handle, ins.data(), static_cast<uint32_t>(inputs.size()), outs.data(),
                      static_cast<uint32_t>(outputs.size()), &options, &report);
  });
  if (measured) time.Add(CallTime::Now() - begin);
  if (code != OPSRUN_OK) {
    Forget(results, outputs.size());
    if (code == OPSRUN_CANCELLED && SetInterruption()) {
      opsrun_report_free(report);
    } else {
      SetError(code, report);
    }
    return false;
  }
  bool ok = report == nullptr || IssueWarnings(report);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (results[i] != nullptr) continue;
    if (ok && outs[i].array.device.type == OPSRUN_DEVICE_CUDA) {
      results[i] = TakeDeviceArray(callee.engine, &outs[i], placement.of_results);
    } else if (ok) {
      results[i] = TakeResult(&outs[i]);
    } else {
      opsrun_outs_free(&outs[i], 1);
    }
    ok = ok && results[i] != nullptr;
  }
  if (!ok) Forget(results, outputs.size());
  return ok;
}

PyObject* ListOf(const std::vector<PyObject*>& objects) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(objects.size()));
  bool ok = list != nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    ok = ok && objects[i] != nullptr;
    if (list == nullptr) {
      Py_XDECREF(objects[i]);
    } else {
      PyList_SetItem(list, static_cast<Py_ssize_t>(i), objects[i]);
    }
  }
  if (ok) return list;
  Py_XDECREF(list);
  return nullptr;
}

PyTypeObject* PreparedType() {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

bool IsPrepared(PyObject* object) {
  return Py_TYPE(object) == PreparedType();
}

PyObject* NewPrepared(opsrun_prepared* handle, const EnginePtr& engine, std::vector<Known> inputs, bool may_wait) {
  std::vector<Known> outputs;
  for (uint32_t i = 0; i < opsrun_prepared_n_outputs(handle); ++i) {
    outputs.push_back(KnownOf(*opsrun_prepared_output(handle, i)));
    if (PyErr_Occurred() != nullptr) {
      opsrun_prepared_destroy(handle);
      return nullptr;
    }
  }
  auto* const prepared = PyObject_New(Prepared, PreparedType());
  if (prepared == nullptr) {
    opsrun_prepared_destroy(handle);
    return nullptr;
  }
  prepared->handle = handle;
  new (&prepared->engine) EnginePtr(engine);
  prepared->fork_number = ForkNumber();
  new (&prepared->inputs) std::vector<Known>(std::move(inputs));
  new (&prepared->outputs) std::vector<Known>(std::move(outputs));
  new (&prepared->time) CallTime(may_wait);
  return reinterpret_cast<PyObject*>(prepared);
}

bool Call(Prepared* prepared, PyObject* const* arrays, PyObject** results) {
  if (!CheckFork(prepared->fork_number)) return false;
  return Run({prepared->handle, CallPrepared, prepared->engine}, arrays, prepared->inputs, prepared->outputs,
             prepared->time, results);
}

}  // namespace opsrun::python

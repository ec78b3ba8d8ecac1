// python/native/op.h: Python objects for ops: functions, and ops prepared for inputs of fixed types and shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device_array.h"
#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// Measures calls to decide whether to release the GIL: getting it back from a busy thread takes up to 5 ms, so short
// calls keep it. Calls that may wait for another call always release it.
class CallTime {
 public:
  explicit CallTime(bool may_wait) : may_wait_(may_wait) {}
  bool Releases() const { return may_wait_ || calls_ < kMeasured || nanoseconds_ > kShort; }
  bool IsMeasured() const { return calls_ < kMeasured || calls_ % kEvery == 0; }
  void Add(int64_t nanoseconds);
  void Count() { ++calls_; }
  static int64_t Now();

 private:
  static constexpr uint32_t kMeasured = 4, kEvery = 256;
  static constexpr int64_t kShort = 50'000;
  const bool may_wait_;
  uint32_t calls_ = 0;
  int64_t nanoseconds_ = 0;
};

// What is known about an input or output before the call.
struct Known {
  int32_t dtype = 0;
  int number = -1;  // NumPy's type number
  bool shape_known = false;
  std::vector<npy_intp> shape;
  bool Fits(PyArrayObject* array) const;
};

// Calls the library with plain arrays and arrays on GPUs and returns new arrays, which the caller owns. run: a function
// such as opsrun_prepared_call. results: where the results go; null: to the GPU of the first array that is on one, or
// to the CPU. On failure sets an exception, and `results` are null.
struct Callee {
  void* handle = nullptr;
  int32_t (*run)(void* handle, const opsrun_in*, uint32_t, opsrun_out*, uint32_t, const opsrun_run_options*,
                 opsrun_report**);
  const EnginePtr& engine;
  const opsrun_device* results = nullptr;
};
// Whether it is a plain array, or one on a GPU.
bool IsUsable(PyObject* object);
bool Run(const Callee& callee, PyObject* const* arrays, const std::vector<Known>& inputs,
         const std::vector<Known>& outputs, CallTime& time, PyObject** results);

struct Prepared {
  PyObject_HEAD opsrun_prepared* handle;
  EnginePtr engine;
  uint32_t fork_number;
  std::vector<Known> inputs, outputs;
  CallTime time;
};

// A list of the objects, which takes over the references, even on failure. Null after an exception, also that of an
// object that is null.
PyObject* ListOf(const std::vector<PyObject*>& objects);

// The type of Prepared; null after an exception. Its objects have a method call(list of arrays) -> list of arrays.
PyTypeObject* PreparedType();
bool IsPrepared(PyObject* object);
// Takes ownership of the handle.
PyObject* NewPrepared(opsrun_prepared* handle, const EnginePtr& engine, std::vector<Known> inputs, bool may_wait);
// Requires: the arrays fit the inputs.
bool Call(Prepared* prepared, PyObject* const* arrays, PyObject** results);

// The type opsrun.Op. Op(slow, n_inputs): an op with that many inputs, none of which is a list; otherwise -1. A call
// that resembles an earlier one, with plain arrays of the same types and shapes and the same keyword arguments, uses
// what was prepared for that call. All others are forwarded to slow(args, kwargs), which calls _remember(...) to
// register the prepared op. Attributes can be set, as on a function. Null after an exception.
PyTypeObject* OpType();

}  // namespace opsrun::python

// python/native/prepared.h: an op that is prepared for inputs of certain types and shapes, as a Python object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// How long calls take, which decides whether other Python threads may run meanwhile: getting the GIL back from a thread
// that computes takes up to 5 ms, so a short call keeps it. A call that may wait for another one never does.
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

// What is known of an input or output of a call before it.
struct Known {
  int32_t dtype = 0;
  int number = -1;  // NumPy's
  bool shape_known = false;
  std::vector<npy_intp> shape;
  bool Fits(PyArrayObject* array) const;
};

// Calls the library with plain arrays and gives new arrays, which the caller owns. Run: a function such as
// opsrun_prepared_call. Null pointers in `results` and an exception, if it fails.
struct Callee {
  void* handle = nullptr;
  int32_t (*run)(void* handle, const opsrun_in*, uint32_t, opsrun_out*, uint32_t, opsrun_stop*, opsrun_report**);
};
bool Run(const Callee& callee, PyObject* const* arrays, const std::vector<Known>& inputs,
         const std::vector<Known>& outputs, CallTime& time, PyObject** results);

struct Prepared {
  PyObject_HEAD opsrun_prepared* handle;
  uint32_t fork_number;
  std::vector<Known> inputs, outputs;
  CallTime time;
};

// The type of Prepared; null after an exception. Its objects have the method call(list of arrays) -> list of arrays.
PyTypeObject* PreparedType();
bool IsPrepared(PyObject* object);
// Takes the handle over.
PyObject* NewPrepared(opsrun_prepared* handle, std::vector<Known> inputs, bool may_wait);
// Requires: arrays that fit the inputs.
bool Call(Prepared* prepared, PyObject* const* arrays, PyObject** results);

}  // namespace opsrun::python

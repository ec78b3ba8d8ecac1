// python/native/running.h: calls of the library: without the GIL, until Ctrl-C, with its reports as Python's
// exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"
// After it, so that Python.h comes first.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "opsrun/embed.h"

namespace opsrun::python {

// Call once, on the thread that imports the module.
void PrepareRunning();

// The number of forks that led to this process. An engine created with a different number has lost its threads.
uint32_t ForkNumber();
// False, with an exception, if the process was forked since `number` was taken.
bool CheckFork(uint32_t number);

// Calls call(stop) and returns its code. release: release the GIL; on the main thread, SIGINT then stops the run. Holds
// no Python references in between, since the interpreter may end the thread when it requests the GIL again.
template <typename Call>
int32_t RunWith(bool release, const Call& call);

// Sets the exception for a run that ended with OPSRUN_CANCELLED: the one that Python's signal handler raises, such as
// KeyboardInterrupt. False if no signal stopped the run.
bool SetInterruption();

namespace internal {
opsrun_stop* BeginInterruptible();  // null on other threads than the main thread
void EndInterruptible(opsrun_stop* stop);
}  // namespace internal

template <typename Call>
int32_t RunWith(bool release, const Call& call) {
  if (!release) return call(static_cast<opsrun_stop*>(nullptr));
  opsrun_stop* const stop = internal::BeginInterruptible();
  PyThreadState* const state = PyEval_SaveThread();
  const int32_t code = call(stop);
  PyEval_RestoreThread(state);
  internal::EndInterruptible(stop);
  return code;
}

// Sets the exception of opsrun.errors for the code, with the messages of the report. Frees the report. Returns null.
PyObject* SetError(int32_t code, opsrun_report* report);

// Issues the warnings in the report of a successful call, and frees it. False if a warning became an exception.
bool IssueWarnings(opsrun_report* report);

// Paths and kernels' messages may contain bytes that are not UTF-8.
inline nanobind::object TextOf(opsrun_str text) {
  return nanobind::steal(PyUnicode_DecodeUTF8(text.data, static_cast<Py_ssize_t>(text.size), "surrogateescape"));
}

}  // namespace opsrun::python

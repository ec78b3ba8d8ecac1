// python/native/running.h: calls of the library: without the GIL, until Ctrl-C, with its reports as Python's
// exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"
// After it, so that Python.h comes first.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

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

inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

inline std::string TakeText(opsrun_text* text) {
  const opsrun_str from = opsrun_text_get(text);
  std::string copy(from.data, from.size);
  opsrun_text_free(text);
  return copy;
}

// Throws the exception of a failed call, and issues the warnings of a successful one.
inline void Require(int32_t code, opsrun_report* report) {
  if (code != OPSRUN_OK) SetError(code, report);
  if (code != OPSRUN_OK || !IssueWarnings(report)) throw nanobind::python_error();
}

// Releases the GIL during a call that opens files or may take long.
template <typename Call>
void CallReleased(uint32_t fork_number, const Call& call) {
  if (!CheckFork(fork_number)) throw nanobind::python_error();
  opsrun_report* report = nullptr;
  const int32_t code = RunWith(true, [&](opsrun_stop*) { return call(&report); });
  Require(code, report);
}

// The same for a call that returns a text.
template <typename Call>
std::string TextReleased(uint32_t fork_number, const Call& call) {
  opsrun_text* text = nullptr;
  const auto release = [](opsrun_text** it) { opsrun_text_free(*it); };
  const std::unique_ptr<opsrun_text*, decltype(release)> owner(&text, release);
  CallReleased(fork_number, [&](opsrun_report** report) { return call(&text, report); });
  return TakeText(std::exchange(text, nullptr));
}

}  // namespace opsrun::python

// python/native/running.cc
// SPDX-License-Identifier: Apache-2.0
#include "running.h"

#include <nanobind/stl/string.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>

namespace nb = nanobind;

namespace opsrun::python {
namespace {

// One per process, like signals and forks.
unsigned long main_thread = 0;
std::atomic<uint32_t> fork_number{0};
opsrun_stop* stop_of_main = nullptr;  // for runs on the main thread; replaced after each signal
std::atomic<bool> interrupted{false};
struct sigaction handler_of_python = {};  // Python's handler, saved during a run on the main thread

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  interrupted = true;
  opsrun_stop_now(stop_of_main);
  if ((handler_of_python.sa_flags & SA_SIGINFO) != 0) {
    handler_of_python.sa_sigaction(signal, info, context);
  } else if (handler_of_python.sa_handler != SIG_DFL && handler_of_python.sa_handler != SIG_IGN) {
    handler_of_python.sa_handler(signal);
  }
}

nb::tuple PlaceOf(const opsrun_place& place) {
  return nb::make_tuple(place.line, place.column, place.end_line, place.end_column);
}

nb::list TextsOf(const opsrun_str* texts, uint32_t n) {
  nb::list list;
  for (uint32_t i = 0; i < n; ++i) list.append(TextOf(texts[i]));
  return list;
}

nb::object DiagnosticOf(const opsrun_diagnostic& d) {
  nb::list also;
  for (uint32_t i = 0; i < d.n_also; ++i) also.append(nb::make_tuple(PlaceOf(d.also[i].place), TextOf(d.also[i].text)));
  return nb::module_::import_("opsrun.errors")
      .attr("Diagnostic")(TextOf(d.code), d.severity == OPSRUN_SEVERITY_ERROR ? "error" : "warning", TextOf(d.message),
                          TextOf(d.file), PlaceOf(d.where), TextOf(d.label), also, TextsOf(d.help, d.n_help),
                          TextsOf(d.notes, d.n_notes), TextOf(d.suggestion));
}

nb::list AllOf(const opsrun_report* report) {
  nb::list all;
  for (uint32_t i = 0; i < opsrun_report_count(report); ++i) all.append(DiagnosticOf(*opsrun_report_get(report, i)));
  return all;
}

struct ReportOwner {
  opsrun_report* report;
  ~ReportOwner() { opsrun_report_free(report); }
};

}  // namespace

void PrepareRunning() {
  // Not the current thread, since any thread may import the module.
  const auto main = nb::module_::import_("threading").attr("main_thread")();
  main_thread = nb::cast<unsigned long>(main.attr("ident"));
  pthread_atfork(nullptr, nullptr, [] { ++fork_number; });
}

uint32_t ForkNumber() {
  return fork_number;
}

bool CheckFork(uint32_t number) {
  if (number == fork_number) return true;
  PyErr_SetString(PyExc_RuntimeError,
                  "opsrun was used before this process was forked, and its threads are not in the child; start "
                  "processes with multiprocessing.get_context('spawn')");
  return false;
}

bool SetInterruption() {
  if (!interrupted.exchange(false)) return false;
  if (PyErr_CheckSignals() == 0) PyErr_SetString(PyExc_KeyboardInterrupt, "a signal stopped the run");
  return true;
}

namespace internal {

opsrun_stop* BeginInterruptible() {
  if (PyThread_get_thread_ident() != main_thread) return nullptr;
  if (stop_of_main == nullptr && opsrun_stop_create(&stop_of_main) != OPSRUN_OK) return nullptr;
  interrupted = false;
  struct sigaction current = {};
  if (sigaction(SIGINT, nullptr, &current) != 0) return nullptr;
  const bool handled =
      (current.sa_flags & SA_SIGINFO) != 0 || (current.sa_handler != SIG_DFL && current.sa_handler != SIG_IGN);
  if (!handled) return nullptr;  // the signal would end the process or be ignored
  handler_of_python = current;
  struct sigaction ours = {};
  ours.sa_sigaction = OnInterrupt;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGINT, &ours, nullptr) == 0 ? stop_of_main : nullptr;
}

void EndInterruptible(opsrun_stop* stop) {
  if (stop == nullptr) return;
  sigaction(SIGINT, &handler_of_python, nullptr);
  if (!interrupted) return;
  opsrun_stop_destroy(stop_of_main);
  stop_of_main = nullptr;
}

}  // namespace internal

PyObject* SetError(int32_t code, opsrun_report* report) {
  const ReportOwner owner{report};
  try {
    const nb::object text = TextOf(opsrun_report_text(report, OPSRUN_FORMAT_HUMAN));
    const nb::object error = nb::module_::import_("opsrun.errors").attr("make_error")(code, text, AllOf(report));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  } catch (nb::python_error& error) {
    error.restore();
  }
  return nullptr;
}

bool IssueWarnings(opsrun_report* report) {
  if (report == nullptr) return true;
  const ReportOwner owner{report};
  try {
    nb::module_::import_("opsrun.errors").attr("warn")(AllOf(report));
  } catch (nb::python_error& error) {
    error.restore();
    return false;
  }
  return true;
}

}  // namespace opsrun::python

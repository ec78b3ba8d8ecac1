// python/native/failure.cc
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace opsrun::python {
namespace {

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

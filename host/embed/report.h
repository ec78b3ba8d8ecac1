// host/embed/report.h: what functions of the C interface return: codes, reports and texts. No exception crosses the
// interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "opsrun/embed.h"

struct opsrun_report {
  opsrun::host::Diagnostics diagnostics;
  std::shared_ptr<const opsrun::host::SourceFile> source;  // the file that the diagnostics refer to; may be null
  std::vector<opsrun_diagnostic> views;
  std::deque<std::vector<opsrun_label>> labels;
  std::deque<std::vector<opsrun_str>> lists;
  std::string texts[3];  // one per format, filled on demand
};

struct opsrun_text {
  std::string text;
};

namespace opsrun::host {

inline opsrun_str StrOf(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string TextOf(opsrun_str text) {
  return text.data == nullptr ? std::string() : std::string(text.data, text.size);
}

// A list passed by the caller. Invalid if it is NULL and its count is not 0.
template <typename T>
std::span<T> ListOf(T* items, size_t n) {
  if (items == nullptr && n > 0) throw std::invalid_argument("the list is NULL");
  return {items, n};
}

template <typename List>
uint32_t CountOf(const List& list) {
  return static_cast<uint32_t>(list.size());
}

// Copies as much of a caller's struct as the caller's header defines; all zero if it is NULL.
template <typename T>
T Known(const T* given) {
  T known{};
  if (given != nullptr) std::memcpy(&known, given, std::min<size_t>(given->size, sizeof(known)));
  return known;
}

// Returns the result of `body`. RESOURCE_EXHAUSTED if it runs out of memory, INTERNAL after any other exception.
// INVALID_ARGUMENT, without calling it, if `object` (the subject of the function) is null or if a list is invalid.
// First sets *report to null, if `report` is not null.
template <typename Body>
int32_t Guarded(const void* object, opsrun_report** report, Body body) {
  if (report != nullptr) *report = nullptr;
  if (object == nullptr) return OPSRUN_INVALID_ARGUMENT;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  } catch (const std::invalid_argument&) {
    return OPSRUN_INVALID_ARGUMENT;
  } catch (...) {
    return OPSRUN_INTERNAL;
  }
}

// Sets *report, unless `report` is null, to a report of the diagnostics, if there are any. Returns OPSRUN_OK without
// errors, or a code for the first error: NOT_FOUND for a missing op or file, UNIMPLEMENTED for a missing kernel,
// INVALID_ARGUMENT for other errors in a graph, FAILED_PRECONDITION for plugins, RESOURCE_EXHAUSTED for memory,
// otherwise `otherwise`.
int32_t Report(Diagnostics diagnostics, std::shared_ptr<const SourceFile> source, opsrun_report** report,
               int32_t otherwise = OPSRUN_INTERNAL);

// The same for one error without a place; help may be empty. Returns status.code().
int32_t ReportStatus(Code code, const Status& status, opsrun_report** report, const std::string& help = {});

// The parts of functions that make an object; first, they set *made to null.

// make(): a unique_ptr to the object.
template <typename T, typename Make>
int32_t Making(const void* object, T** made, Make make) {
  *made = nullptr;
  return Guarded(object, nullptr, [&] {
    *made = make().release();
    return OPSRUN_OK;
  });
}

// make(): the text.
template <typename Make>
int32_t MakingText(const void* object, opsrun_text** text, Make make) {
  return Making(object, text, [&] { return std::make_unique<opsrun_text>(opsrun_text{make()}); });
}

// make(diagnostics, &source): what the object is constructed from; ignored after errors, which refer to the text
// source.
template <typename T, typename Make>
int32_t MakingWithReport(const void* object, T** made, opsrun_report** report, Make make) {
  *made = nullptr;
  return Guarded(object, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    auto from = make(diagnostics, &source);
    const int32_t code = Report(std::move(diagnostics), source, report);
    if (code == OPSRUN_OK) *made = new T(std::move(from));
    return code;
  });
}

}  // namespace opsrun::host

// host/embed/guard.h: nothing that is thrown crosses the C interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "opsrun/embed.h"

namespace opsrun::host {

// The caller's list, which is not there where its count says so.
template <typename T>
std::span<T> ListOf(T* items, size_t n) {
  if (items == nullptr && n > 0) throw std::invalid_argument("the list is NULL");
  return {items, n};
}

// A struct of the caller's as far as the caller's header knows it; all of it is zero where it is NULL.
template <typename T>
T Known(const T* given) {
  T known{};
  if (given != nullptr) std::memcpy(&known, given, std::min<size_t>(given->size, sizeof(known)));
  return known;
}

// What `body` answers; RESOURCE_EXHAUSTED where memory ran out, INTERNAL after anything else that is thrown, and
// INVALID_ARGUMENT without a call if `object`, what a function is about, is null, and for lists that are. *report,
// unless it is null, becomes null first.
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

}  // namespace opsrun::host

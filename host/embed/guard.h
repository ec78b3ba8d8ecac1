// host/embed/guard.h: prevents exceptions from crossing the C interface. Private to this room.
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

// A list passed by the caller. Invalid if it is NULL and its count is not 0.
template <typename T>
std::span<T> ListOf(T* items, size_t n) {
  if (items == nullptr && n > 0) throw std::invalid_argument("the list is NULL");
  return {items, n};
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

}  // namespace opsrun::host

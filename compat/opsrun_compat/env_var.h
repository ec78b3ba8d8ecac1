// opsrun_compat/env_var.h: ReadBoolFromEnvVar and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/numbers.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Sets *value to read(text, value) of the variable; if it is not set, or invalid (INVALID_ARGUMENT), to `unless`.
template <typename Value, typename Read>
Status ReadVariable(StringPiece name, const char* what, const Value& unless, Value* value, Read read) {
  *value = unless;
  const char* const text = getenv(std::string(name).c_str());
  if (text == nullptr || read(std::string_view(text), value)) return Status();
  *value = unless;
  return errors::InvalidArgument("The environment variable ", name, " is '", text, "', expected ", what);
}

}  // namespace internal

inline ReturnedStatus ReadBoolFromEnvVar(StringPiece name, bool unless, bool* value) {
  return internal::ReadVariable(name, "0, 1, false or true", unless, value, [](std::string_view text, bool* to) {
    *to = text == "1" || text == "true" || text == "True" || text == "TRUE";
    return *to || text == "0" || text == "false" || text == "False" || text == "FALSE";
  });
}
template <typename Int64>
ReturnedStatus ReadInt64FromEnvVar(StringPiece name, int64 unless, Int64* value) {
  return internal::ReadVariable(name, "an integer", static_cast<Int64>(unless), value,
                                [](std::string_view text, Int64* to) { return internal::ReadInteger(text, 10, to); });
}
inline ReturnedStatus ReadFloatFromEnvVar(StringPiece name, float unless, float* value) {
  return internal::ReadVariable(name, "a number", unless, value,
                                [](std::string_view text, float* to) { return internal::ReadReal(text, to); });
}
inline ReturnedStatus ReadStringFromEnvVar(StringPiece name, StringPiece unless, std::string* value) {
  return internal::ReadVariable(name, "text", std::string(unless), value, [](std::string_view text, std::string* to) {
    *to = text;
    return true;
  });
}

// How TensorFlow could have been built, and whether ops must be deterministic.

// Whether the source is compiled for CUDA cards.
constexpr bool IsGoogleCudaEnabled() {
#if defined(GOOGLE_CUDA) && GOOGLE_CUDA
  return true;
#else
  return false;
#endif
}
constexpr bool IsBuiltWithROCm() {
  return false;
}
constexpr bool IsMklEnabled() {
  return false;
}
constexpr bool IsMKLEnabled() {
  return false;
}

// The environment variable TF_DETERMINISTIC_OPS, read once.
inline bool OpDeterminismRequired() {
  static const bool is_required = [] {
    bool value = false;
    ReadBoolFromEnvVar("TF_DETERMINISTIC_OPS", false, &value).IgnoreError();
    return value;
  }();
  return is_required;
}

}  // namespace OPSRUN_HIDDEN

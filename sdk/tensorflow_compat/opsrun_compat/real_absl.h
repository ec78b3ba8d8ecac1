// opsrun_compat/real_absl.h: abseil's own Status and string_view next to the SDK's. Included after both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "opsrun/status.h"
#include "opsrun/tstring.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <>
struct ForeignStatus<absl::Status> {
  typedef absl::Status Foreign;
  static error::Code Code(const absl::Status& status) { return static_cast<error::Code>(status.code()); }
  static std::string_view Message(const absl::Status& status) {
    return {status.message().data(), status.message().size()};
  }
  static absl::Status Make(error::Code code, std::string_view message) {
    return absl::Status(static_cast<absl::StatusCode>(code), absl::string_view(message.data(), message.size()));
  }
};

template <>
struct ForeignText<absl::string_view> {
  typedef absl::string_view Foreign;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// A lambda whose other returns are abseil's must return the same type here. A function that says what it returns gets
// what it says.
#undef TF_RETURN_IF_ERROR
#define TF_RETURN_IF_ERROR(...)                                                      \
  do {                                                                               \
    ::OPSRUN_NAMESPACE::Status opsrun_status = (__VA_ARGS__);                        \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) return ::absl::Status(opsrun_status); \
  } while (false)

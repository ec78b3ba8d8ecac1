// opsrun_compat/real_absl.h: abseil's own Status and string_view next to the SDK's.
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
  static std::string Subject(const absl::Status& status) {
    const auto subject = status.GetPayload(kSubject);
    return subject.has_value() ? std::string(*subject) : std::string();
  }
  static absl::Status Make(error::Code code, std::string_view message, const std::string& subject) {
    absl::Status made(static_cast<absl::StatusCode>(code), absl::string_view(message.data(), message.size()));
    if (!subject.empty()) made.SetPayload(kSubject, absl::Cord(subject));
    return made;
  }
  static constexpr const char* kSubject = "opsrun.subject";  // the type of the payload that holds it
};

template <>
struct ForeignText<absl::string_view> {
  typedef absl::string_view Foreign;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

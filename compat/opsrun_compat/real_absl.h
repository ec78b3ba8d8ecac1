// opsrun_compat/real_absl.h: abseil's own string_view next to the SDK's tstring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/strings/string_view.h"
#include "opsrun/tstring.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <>
struct ForeignText<absl::string_view> {
  typedef absl::string_view Foreign;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

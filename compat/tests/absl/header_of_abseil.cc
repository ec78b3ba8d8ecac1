// compat/tests/absl/header_of_abseil.cc: abseil's own headers cannot be mixed with the SDK's layer.
// SPDX-License-Identifier: Apache-2.0
#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
class Cord;
ABSL_NAMESPACE_END
}  // namespace absl

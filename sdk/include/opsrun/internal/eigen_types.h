// opsrun/internal/eigen_types.h: makes Eigen's 16-bit floats element types. Included after both Eigen and types.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

OPSRUN_MATCH_TYPE(Eigen::half, DT_HALF)
OPSRUN_MATCH_TYPE(Eigen::bfloat16, DT_BFLOAT16)

}  // namespace OPSRUN_HIDDEN

#undef OPSRUN_HALF
#undef OPSRUN_BFLOAT16
#define OPSRUN_HALF ::Eigen::half
#define OPSRUN_BFLOAT16 ::Eigen::bfloat16

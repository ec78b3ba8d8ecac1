// opsrun/internal/eigen_types.h: makes Eigen's 16-bit floats element types, and the SDK's 8-bit and 16-bit floats
// scalars of Eigen. Included after both Eigen and types.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

OPSRUN_MATCH_TYPE(Eigen::half, DT_HALF)
OPSRUN_MATCH_TYPE(Eigen::bfloat16, DT_BFLOAT16)

}  // namespace OPSRUN_HIDDEN

template <typename Format>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::Float8<Format>>
    : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::Float8<Format>> {
  enum { RequireInitialization = 0 };
};

template <>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::Half> : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::Half> {
  enum { RequireInitialization = 0 };
};
template <>
struct Eigen::NumTraits<OPSRUN_NAMESPACE::internal::BFloat16>
    : Eigen::GenericNumTraits<OPSRUN_NAMESPACE::internal::BFloat16> {
  enum { RequireInitialization = 0 };
};

#ifdef OPSRUN_EIGEN_ASKED_FOR
#undef OPSRUN_HALF
#undef OPSRUN_BFLOAT16
#define OPSRUN_HALF ::Eigen::half
#define OPSRUN_BFLOAT16 ::Eigen::bfloat16
#endif

// opsrun/internal/complex.h: the name std::complex, without the cost of <complex>.
//
// libstdc++'s <complex> brings <sstream> in, a fifth of a small plugin's compile time. A source that computes with
// complex numbers includes <complex> itself, or register_types.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#ifdef __GLIBCXX__
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <typename T> class complex;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// clang-format on
#else
#include <complex>
#endif

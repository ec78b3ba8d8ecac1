// opsrun/internal/complex.h: declares std::complex without the cost of <complex>.
//
// <complex> of libstdc++ includes <sstream>, which takes a fifth of the compile time of a small plugin. A source that
// computes with complex numbers includes <complex> itself, or register_types.h.
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

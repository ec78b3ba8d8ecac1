// tests/sdk/light_map_test.cc: maps in a file without Eigen. eigen_map_test.cc, in the same program, has the others.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/map_surface.h"

namespace opsrun_test {
namespace {

TEST(LightMap, ServesKernels) {
  TestMaps();
}

TEST(LightMap, IsWhatFlatReturns) {
  static_assert(std::is_same_v<TTypes<float, 2>::Tensor, internal::LightMap<float, 2>>);
  static_assert(std::is_convertible_v<TTypes<float>::Flat, TTypes<float>::ConstFlat>);
  static_assert(!std::is_convertible_v<TTypes<float>::ConstFlat, TTypes<float>::Flat>);
}

}  // namespace
}  // namespace opsrun_test

// tests/sdk/eigen_first_test.cc: maps in a file that includes Eigen before the SDK, by the path that guides use.
// SPDX-License-Identifier: Apache-2.0
// clang-format off
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"
#include "third_party/eigen3/unsupported/Eigen/CXX11/ThreadPool"
#include "tests/sdk/map_surface.h"
// clang-format on

namespace opsrun_test {
namespace {

TEST(EigenFirst, ServesKernels) {
  TestMaps();
}

TEST(EigenFirst, NamesEigensSmallFloats) {
  static_assert(std::is_same_v<opsrun::bfloat16, Eigen::bfloat16>);
}

TEST(EigenFirst, HasEigensThreadPool) {
  Eigen::ThreadPool pool(1);
  EXPECT_EQ(pool.NumThreads(), 1);
}

}  // namespace
}  // namespace opsrun_test

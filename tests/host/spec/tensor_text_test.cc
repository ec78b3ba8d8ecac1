// tests/host/spec/tensor_text_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/tensor_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opsrun::host::spec {
namespace {

template <typename T>
TensorValue Of(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  return {dtype,
          std::move(shape),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)),
          {}};
}

TEST(TensorText, ShowsAScalar) {
  EXPECT_EQ(TensorText(Of<int32_t>(DType::kInt32, {}, {-5})), "int32 -5");
}

TEST(TensorText, ShowsAShortVector) {
  EXPECT_EQ(TensorText(Of<float>(DType::kFloat32, {2}, {1, 2.5})), "float32 [1, 2.5]");
}

TEST(TensorText, ShowsOnlyTheShapeOfOthers) {
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {9}, std::vector<int64_t>(9))), "int64 of shape [9]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {1, 1}, {1})), "int64 of shape [1, 1]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {0}, {})), "int64 of shape [0]");
  EXPECT_EQ(TensorText({DType::kString, {}, "", {"x"}}), "string of shape []");
}

}  // namespace
}  // namespace opsrun::host::spec

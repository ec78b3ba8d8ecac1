// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace opsrun::host {
namespace {

TEST(Shape, HasANumberOfElementsAndAText) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3, 4}), 24);
  EXPECT_EQ(NumElements({2, 0, 4}), 0);
  const int64_t large = int64_t{1} << 32;
  for (const Shape& shape : {Shape{-1, 2}, Shape{large, large}, Shape{large, large, 0}})
    EXPECT_EQ(NumElements(shape), std::nullopt) << ShapeText(shape);
  EXPECT_EQ(ShapeText({}), "[]");
  EXPECT_EQ(ShapeText({2, -1, 3}), "[2, ?, 3]");
}

TEST(Tensor, IsZeroedAlignedMemoryThatCopiesShare) {
  Result<Tensor> tensor = Tensor::Create(DType::kInt16, {5, 7});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_elements(), 35);
  EXPECT_EQ(tensor->num_bytes(), 70u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  const char* bytes = static_cast<const char*>(tensor->data());
  EXPECT_TRUE(std::all_of(bytes, bytes + 70, [](char byte) { return byte == 0; }));
  const Tensor copy = *tensor;
  static_cast<uint8_t*>(tensor->mutable_data())[3] = 7;
  EXPECT_EQ(static_cast<const uint8_t*>(copy.data())[3], 7);
  EXPECT_EQ(Tensor::Create(DType::kFloat32, {3, 0})->num_bytes(), 0u);
}

TEST(Tensor, RefusesWhatCannotBeHeld) {
  const int64_t large = int64_t{1} << 31;
  const struct {
    DType dtype;
    Shape shape;
    const char* why;
  } rows[] = {{DType::kResource, {1}, "a tensor of resource has no values outside a run"},
              {DTypeFromNumber(99), {1}, "a tensor of dtype 99 has no values outside a run"},
              {DType::kFloat32, Shape(33, 1), "rank 33 is too high, at most 32 is supported"},
              {DType::kFloat32, {2, -3}, "the shape [2, -3] has the negative size -3"},
              {DType::kFloat64,
               {large, large},
               "float64 [2147483648, 2147483648] is too large: its size in bytes does not fit 64 bits"}};
  for (const auto& row : rows) EXPECT_EQ(Tensor::Create(row.dtype, row.shape).status().message(), row.why);
  const Status status = Tensor::Create(DType::kFloat64, {int64_t{1} << 50}).status();
  EXPECT_EQ(status.code(), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.message().substr(0, 72), "float64 [1125899906842624] needs 9007199254740992 bytes, but this machin");
}

TEST(Tensor, OwnsItsStrings) {
  Result<Tensor> tensor = Tensor::Create(DType::kString, {2});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->string(0), "");
  ASSERT_TRUE(tensor->SetString(0, "long enough to need memory of its own").ok());
  ASSERT_TRUE(tensor->SetString(1, tensor->string(0).substr(5)).ok());
  ASSERT_TRUE(tensor->SetString(0, tensor->string(0).substr(0, 4)).ok());
  const Tensor shared = *tensor;
  *tensor = Tensor();
  EXPECT_EQ(shared.string(0), "long");
  EXPECT_EQ(shared.string(1), "enough to need memory of its own");
}

}  // namespace
}  // namespace opsrun::host

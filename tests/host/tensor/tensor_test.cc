// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace opsrun::host {
namespace {

TEST(NumElements, IsTheProductOfTheSizes) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3, 4}), 24);
  EXPECT_EQ(NumElements({2, 0, 4}), 0);
}

TEST(NumElements, IsNothingForWhatCannotBeCounted) {
  const int64_t large = int64_t{1} << 32;
  EXPECT_EQ(NumElements({-1, 2}), std::nullopt);
  EXPECT_EQ(NumElements({large, large}), std::nullopt);
  EXPECT_EQ(NumElements({large, large, 0}), std::nullopt);
}

TEST(ShapeText, WritesUnknownSizesAsAQuestionMark) {
  EXPECT_EQ(ShapeText({}), "[]");
  EXPECT_EQ(ShapeText({2, -1, 3}), "[2, ?, 3]");
}

TEST(Tensor, IsZeroedAlignedMemory) {
  Result<Tensor> tensor = Tensor::Create(DType::kInt16, {5, 7});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_elements(), 35);
  EXPECT_EQ(tensor->num_bytes(), 70u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  const char* bytes = static_cast<const char*>(tensor->data());
  EXPECT_TRUE(std::all_of(bytes, bytes + 70, [](char byte) { return byte == 0; }));
}

TEST(Tensor, SharesItsBytesWithItsCopies) {
  Result<Tensor> tensor = Tensor::Create(DType::kUInt8, {1});
  ASSERT_TRUE(tensor.ok());
  const Tensor copy = *tensor;
  *static_cast<uint8_t*>(tensor->mutable_data()) = 7;
  EXPECT_EQ(*static_cast<const uint8_t*>(copy.data()), 7);
}

TEST(Tensor, MayHoldNothing) {
  Result<Tensor> tensor = Tensor::Create(DType::kFloat32, {3, 0});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_bytes(), 0u);
}

TEST(Tensor, RefusesDataTypesThatOnlyARunHas) {
  EXPECT_EQ(Tensor::Create(DType::kResource, {1}).status().message(),
            "a tensor of resource has no values outside a run");
  EXPECT_EQ(Tensor::Create(DTypeFromNumber(99), {1}).status().message(), "a tensor of dtype 99 has no values outside a run");
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

TEST(Tensor, RefusesShapesThatAreNone) {
  EXPECT_EQ(Tensor::Create(DType::kFloat32, Shape(33, 1)).status().message(),
            "rank 33 is too high, at most 32 is supported");
  EXPECT_EQ(Tensor::Create(DType::kFloat32, {2, -3}).status().message(), "the shape [2, -3] has the negative size -3");
}

TEST(Tensor, SaysHowMuchMemoryIsMissing) {
  const Status status = Tensor::Create(DType::kFloat64, {int64_t{1} << 50}).status();
  EXPECT_EQ(status.code(), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.message().substr(0, 68), "float64 [1125899906842624] needs 9007199254740992 bytes, this machin");
}

TEST(Tensor, RefusesSizesBeyond64Bits) {
  const int64_t large = int64_t{1} << 31;
  EXPECT_EQ(Tensor::Create(DType::kFloat64, {large, large}).status().message(),
            "float64 [2147483648, 2147483648] has more bytes than 64 bits can count");
}

}  // namespace
}  // namespace opsrun::host

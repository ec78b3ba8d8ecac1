// tests/host/embed/dlpack_test.cc: feeds that are DLPack's tensors, and results that become such.
// SPDX-License-Identifier: Apache-2.0
#include "host/embed/dlpack.h"

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

TEST(DLPack, FeedsResultsStridesAndDLPack) {
  const Graph graph = ZeroOut();
  std::vector<int32_t> x = {1, 2, 3, 4};
  const Tensor first = std::move(graph.Run({View(x.data(), OPSRUN_DT_INT32, {2}, {2})})[0]);
  EXPECT_THAT(All(first), ElementsAre(1, 0));
  EXPECT_THAT(All(graph.Run({first.view()})[0]), ElementsAre(1, 0));
  EXPECT_THAT(All(graph.Run({View(&x[3], kInt32, {3}, {-1})})[0]), ElementsAre(4, 0, 0));
  int64_t shape[] = {3};
  opsrun_dltensor tensor{x.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {0, 32, 1}, shape, nullptr, sizeof(int32_t)};
  EXPECT_THAT(All(graph.Run({View(&tensor)})[0]), ElementsAre(2, 0, 0));
  tensor.device.type = OPSRUN_DEVICE_CUDA;
  EXPECT_EQ(Refusal([&] { graph.Run({View(&tensor)}); }), "F305 ");
  tensor.device.type = OPSRUN_DEVICE_CPU;
  tensor.dtype = {0, 24, 1};
  EXPECT_EQ(Refusal([&] { graph.Run({View(&tensor)}); }), "F305 ");
  EXPECT_THROW(View(x.data(), OPSRUN_DT_INT32, {2, 2}, {1}), std::invalid_argument);
}

TEST(DLPack, ResultsOutliveGraphAndEngineAndAreHandedOverToDLPack) {
  const int32_t x[] = {12, -3};
  std::vector<Tensor> results =
      GraphOf(
          "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\n"
          "  s: {op: NumberToString, in: x}\noutputs: {a: z, b: z, c: x, d: s}\n")
          .Run({{x, {2}}});
  EXPECT_THAT(All(results[0]), ElementsAre(12, 0));
  EXPECT_THAT(All(results[1]), ElementsAre(12, 0));
  EXPECT_THAT(All(results[2]), ElementsAre(12, -3));
  EXPECT_NE(results[0].data(), results[1].data()) << "one tensor, but not one memory";
  EXPECT_EQ(Text(results[3].data<opsrun_str>()[1]), "-3");
  DLManagedTensorVersioned* const tensor = results[0].release();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(results[0].release(), nullptr);
  results.clear();
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->dl_tensor.ndim, 1);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->dl_tensor.data) % 64, 0u);
  EXPECT_EQ(*static_cast<int32_t*>(tensor->dl_tensor.data), 12);
  tensor->deleter(tensor);
}

TEST(DLPack, ExchangesFloatsOf8BitsWithDLPack) {
  const Graph graph = GraphOf("opsrun: 1\nfeeds:\n  x: {dtype: float8_e4m3fn, shape: [-1]}\nnodes: {}\noutputs: [x]\n");
  std::vector<uint8_t> memory = {0x38, 0x7e};
  int64_t shape[] = {2};
  opsrun_dltensor x{memory.data(), {OPSRUN_DEVICE_CPU, 0}, 1, {}, shape, nullptr, 0};
  const auto refusal = [&](opsrun_dldtype dtype, int32_t as = 0) {
    x.dtype = dtype;
    return Refusal([&] { graph.Run({View(&x, as)}); });
  };
  constexpr opsrun_dldtype kE4M3FN = {10, 8, 1}, kE5M2 = {12, 8, 1}, kUInt8 = {1, 8, 1}, kInt4 = {0, 4, 1};
  x.dtype = kE4M3FN;
  Tensor result = std::move(graph.Run({View(&x)})[0]);
  EXPECT_EQ(result.dtype(), OPSRUN_DT_FLOAT8_E4M3FN);
  EXPECT_EQ(static_cast<const uint8_t*>(result.data())[1], 0x7e);
  DLManagedTensorVersioned* const tensor = result.release();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->dl_tensor.dtype.code, 10);
  EXPECT_EQ(tensor->dl_tensor.dtype.bits, 8);
  tensor->deleter(tensor);
  x.dtype = kUInt8;
  graph.Run({View(&x, OPSRUN_DT_FLOAT8_E4M3FN)});
  EXPECT_EQ(refusal(kUInt8), "F202 3:14 ");
  EXPECT_EQ(refusal(kE5M2), "F202 3:14 ");
  EXPECT_EQ(refusal(kInt4), "F305 ");
  EXPECT_EQ(refusal(kInt4, OPSRUN_DT_INT4), "F305 ");
}

}  // namespace
}  // namespace opsrun_test

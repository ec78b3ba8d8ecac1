// tests/host/embed/embed_op_test.cc: an op that prepares itself for the tensors that it is called with.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/embed_op.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "host/embed/dlpack.h"

namespace opsrun_test {
namespace {

using namespace opsrun::embed;
using ::testing::ElementsAre;

// With the ops of the tests beside those that are bundled.
Engine WithTestOps() {
  const std::string_view test_ops = OPSRUN_GRADIENT_OPS;
  EngineOptions options;
  options.plugins = {OPSRUN_BUNDLED_PLUGINS, std::string(test_ops.substr(0, test_ops.rfind('/')))};
  options.default_plugins = false;
  options.threads = 1;
  return Engine(options);
}

template <typename T>
std::vector<T> All(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.size()};
}

TEST(EmbedOp, TakesTensorsOfAnyTypeAndShape) {
  const Engine engine = WithTestOps();
  const Op zero_out(engine, "ZeroOut", {Attr::Int("preserve_index", 1)});
  const std::vector<int32_t> ints = {1, 2, 3};
  const std::vector<float> floats = {1, 2, 3, 4};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(All<int32_t>(zero_out.Call({{"to_zero", View(ints.data(), {3})}}).Take()), ElementsAre(0, 2, 0));
    EXPECT_THAT(All<float>(zero_out.Call({{"to_zero", View(floats.data(), {2, 2})}}).Take()), ElementsAre(0, 2, 0, 0));
  }
}

TEST(EmbedOp, TakesAndGivesLists) {
  const Engine engine = WithTestOps();
  const std::vector<int32_t> x = {1, 2, 3, 4};
  const Op add(engine, "AddN");
  const std::vector<View> both = {{x.data(), {4}}, {x.data(), {4}}};
  const Tensor sum = add.Call({{"inputs", both}}).Take();
  EXPECT_THAT(All<int32_t>(sum), ElementsAre(2, 4, 6, 8));
  const Op split(engine, "Split", {Attr::Int("num_split", 2)});
  const int32_t axis = 0;
  OpResults results = split.Call({{"split_dim", View(&axis, {})}, {"value", sum}});  // a result is an argument
  const std::vector<Tensor> parts = results.TakeList("output");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(All<int32_t>(parts[1]), ElementsAre(6, 8));
  EXPECT_TRUE(results.TakeList("output").empty());
}

TEST(EmbedOp, ThrowsWhatTheOpReports) {
  const Engine engine = WithTestOps();
  const float x[] = {1, 2};
  Op concat(engine, "Concat");
  EXPECT_THROW(concat.Call({{"concat_dim", View(x, {2})}}), Error);
  EXPECT_THROW(Op(engine, "Nothing").Call({}), Error);
  int64_t shape[] = {2};
  const opsrun_dltensor tensor{const_cast<float*>(x), {OPSRUN_DEVICE_CPU, 0}, 1, {2, 32, 1}, shape, nullptr, 0};
  EXPECT_THROW(Op(engine, "ZeroOut").Call({{"to_zero", View(&tensor)}}), std::invalid_argument);
}

TEST(EmbedOp, MayBeCalledByManyThreads) {
  const Engine engine = WithTestOps();
  const Op zero_out(engine, "ZeroOut");
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& each : wrong) {
    threads.emplace_back([&] {
      const std::vector<int32_t> x(100, 7);
      for (int64_t n = 1; n <= 100; ++n) {  // more shapes than it keeps
        const Tensor z = zero_out.Call({{"to_zero", View(x.data(), {n})}}).Take();
        each += z.data<int32_t>()[0] != 7 || z.size() != static_cast<size_t>(n);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST(EmbedOp, AttrsOfEveryKindReachTheOp) {
  const Engine engine = WithTestOps();
  const std::vector<float> value = {1, 2, 3};
  EXPECT_THAT(All<float>(Op(engine, "TestConst",
                            {Attr::Tensor("value", View(value.data(), {3})), Attr::Type("T", OPSRUN_DT_FLOAT)})
                             .Call({})
                             .Take()),
              ElementsAre(1, 2, 3));
  EXPECT_THROW(Attr::Tensor("value", View(value.data(), OPSRUN_DT_FLOAT, {2}, {2})), std::invalid_argument);
  const Attr shapes = Attr::Shapes("s", {PartialShape{2, -1}, PartialShape::UnknownRank(), PartialShape{}});
  ASSERT_EQ(shapes.get().count, 3u);
  EXPECT_EQ(shapes.get().v.shapes[0].dims[1], -1);
  EXPECT_EQ(shapes.get().v.shapes[1].rank, -1);
  EXPECT_EQ(shapes.get().v.shapes[2].rank, 0);
  EXPECT_EQ(Attr::Funcs("f", {"g"}).get().kind, OPSRUN_ATTR_FUNC | OPSRUN_ATTR_LIST);
  EXPECT_EQ(Attr::Func("f", "g").get().kind, OPSRUN_ATTR_FUNC);
}

}  // namespace
}  // namespace opsrun_test

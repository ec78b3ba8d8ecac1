// tests/wrap/cpp_test.cc: the classes that opsrun wrap --cpp writes of the bundled plugins run their ops.
// SPDX-License-Identifier: Apache-2.0
#include "bundled.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

namespace embed = opsrun::embed;

TEST(WrapCpp, CallsOpsLikeFunctions) {
  const embed::Engine engine = Bundled();
  // [calls]
  const math_ops::Add add(engine);  // prepares itself for the types and shapes that it is called with
  const math_ops::Mul mul(engine);
  const zero_out::ZeroOut keep_second(engine, zero_out::ZeroOut::Attrs().PreserveIndex(1));
  const cast::Cast to_ints(engine, cast::Cast::Attrs(OPSRUN_DT_INT32));  // attrs without a default are arguments

  const std::vector<float> x = {1, 2, 3};
  const embed::View view(x.data(), {3});
  const embed::Tensor sum = add(mul(view, view), view);  // 2, 6, 12
  const embed::Tensor ints = to_ints(keep_second(sum));  // 0, 6, 0
  // [/calls]
  EXPECT_THAT(All<float>(sum), ElementsAre(2, 6, 12));
  EXPECT_THAT(All<int32_t>(ints), ElementsAre(0, 6, 0));
}

TEST(WrapCpp, SeveralOutputsAreAStruct) {
  const embed::Engine engine = Bundled();
  // [outputs]
  const array_ops::Unique unique(engine, array_ops::Unique::Attrs().OutIdx(OPSRUN_DT_INT64));
  const std::vector<int32_t> x = {7, 7, 8};
  const array_ops::Unique::Result found = unique({x.data(), {3}});
  // found.y: 7, 8; found.idx: 0, 0, 1
  // [/outputs]
  EXPECT_THAT(All<int32_t>(found.y), ElementsAre(7, 8));
  EXPECT_THAT(All<int64_t>(found.idx), ElementsAre(0, 0, 1));
}

TEST(WrapCpp, ListsAreVectors) {
  const embed::Engine engine = Bundled();
  const std::vector<int32_t> x = {1, 2, 3, 4};
  const int32_t axis = 0;
  const list_ops::Split split(engine, list_ops::Split::Attrs(2));
  const std::vector<embed::Tensor> parts = split(embed::View(&axis, {}), embed::View(x.data(), {4}));
  ASSERT_EQ(parts.size(), 2u);
  const list_ops::AddN add(engine);
  EXPECT_THAT(All<int32_t>(add({parts[0], parts[1], parts[1]})), ElementsAre(7, 10));
  const array_ops::Squeeze squeeze(engine, array_ops::Squeeze::Attrs().SqueezeDims({0}));
  EXPECT_THAT(squeeze(embed::View(x.data(), {1, 4})).shape(), ElementsAre(4));
}

TEST(WrapCpp, Strings) {
  const embed::Engine engine = Bundled();
  const string_to_number::StringToNumber parse(engine,
                                               string_to_number::StringToNumber::Attrs().OutType(OPSRUN_DT_DOUBLE));
  const string_to_number::NumberToString write(engine);
  const std::vector<opsrun_str> words = {embed::Str("0.5"), embed::Str("2")};
  const embed::Tensor numbers = parse({words.data(), {2}});
  EXPECT_THAT(All<double>(numbers), ElementsAre(0.5, 2));
  EXPECT_EQ(embed::Text(write(numbers).data<opsrun_str>()[0]), "0.5");
}

TEST(WrapCpp, StatefulOpsKeepTheirState) {
  const embed::Engine engine = Bundled();
  const array_ops::RandomUniform random(engine, array_ops::RandomUniform::Attrs(OPSRUN_DT_FLOAT).Seed(1));
  const std::vector<int32_t> shape = {2};
  const embed::View view(shape.data(), {1});
  EXPECT_NE(All<float>(random(view)), All<float>(random(view)));
}

TEST(WrapCpp, ErrorsAreThoseOfOpsrun) {
  const embed::Engine engine = Bundled();
  const math_ops::Add add(engine);
  const std::vector<float> x = {1, 2, 3};
  try {
    add({x.data(), {2}}, {x.data(), {3}});
    FAIL();
  } catch (const embed::Error& error) {
    EXPECT_EQ(error.code(), OPSRUN_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("G217"));
  }
  const zero_out::ZeroOut negative(engine, zero_out::ZeroOut::Attrs().PreserveIndex(-1));
  EXPECT_THROW(negative({x.data(), {3}}), embed::Error);
  embed::Stop stop;
  stop.Now();
  EXPECT_THROW(add({x.data(), {3}}, {x.data(), {3}}, &stop), embed::Error);
}

}  // namespace
}  // namespace opsrun_test

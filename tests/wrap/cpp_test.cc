// tests/wrap/cpp_test.cc: the classes that opsrun wrap --cpp writes run ops; names and texts of ops arrive as they are,
// whatever the classes call them.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bundled.h"
#include "hostile.h"
#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

namespace embed = opsrun::embed;
namespace hostile = test::hostile;

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

Engine WithHostile() {
  Engine engine = EngineOf({});
  engine.AddPlugin(OPSRUN_HOSTILE_PLUGIN);
  return engine;
}

// The op knows all inputs and attrs: the only thing that it lacks is a kernel.
template <typename Call>
void ExpectOnlyNoKernel(Call call) {
  try {
    call();
    FAIL();
  } catch (const embed::Error& error) {
    EXPECT_EQ(error.code(), OPSRUN_UNIMPLEMENTED) << error.what();
  }
}

TEST(WrapHostile, NamesOfTheOpAreUsed) {
  const embed::Engine engine = WithHostile();
  const float zero = 0;
  const embed::View x(&zero, {});
  const hostile::Template all(engine, hostile::Template::Attrs(true, 1, 2).Class(3).Attrs__(4).NULL__(5).Value(6));
  ExpectOnlyNoKernel([&] { all(x, {x, x}, x, x, x, x, x, x, x, x, x); });
  ExpectOnlyNoKernel([&] { hostile::Attrs_(engine, hostile::Attrs_::Attrs().Attrs_(2))(); });
  ExpectOnlyNoKernel([&] { hostile::Name_Space{engine}(); });
  ExpectOnlyNoKernel([&] { hostile::Name_Space_{engine}(); });
}

TEST(WrapHostile, DefaultsAreThoseOfTheOp) {
  const hostile::Defaults::Attrs attrs;
  EXPECT_EQ(attrs.text_, std::string("a\"b\\c\?\?/\0\n\t*/ \"\"\" \\", 19));
  EXPECT_FALSE(attrs.bytes_.has_value());  // a graph cannot say it
  EXPECT_THAT(attrs.texts_, ElementsAre("", "a", std::string(1, '\0')));
  EXPECT_EQ(attrs.tenth_, 0.1f);
  ASSERT_EQ(attrs.floats_.size(), 4u);
  EXPECT_TRUE(std::isinf(attrs.floats_[1]) && attrs.floats_[1] < 0 && std::isnan(attrs.floats_[2]));
  EXPECT_EQ(attrs.ints_[0], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(attrs.dtype_, OPSRUN_DT_HALF);
  EXPECT_THAT(attrs.shape_.sizes, ElementsAre(2, -1));
  EXPECT_TRUE(attrs.scalar_.rank_known);
  EXPECT_FALSE(attrs.unknown_.has_value());  // a graph cannot say it
  const embed::Engine engine = WithHostile();
  ExpectOnlyNoKernel([&] { hostile::Defaults{engine}(); });
}

TEST(WrapHostile, RequiredAttrsOfEveryKind) {
  const embed::Engine engine = WithHostile();
  const int32_t seven = 7;
  const embed::View tensor(&seven, {});
  const hostile::Required::Attrs attrs("text", {"a", "b"}, {2, -1}, {{2}, {-1}}, tensor, {tensor, tensor}, "f",
                                       {"f", "g"}, {OPSRUN_DT_INT32}, {0.5f}, {true, false});
  ExpectOnlyNoKernel([&] { hostile::Required(engine, attrs)(); });
  ExpectOnlyNoKernel([&] { hostile::Defaults(engine, hostile::Defaults::Attrs().Tensor(tensor))(); });
}

}  // namespace
}  // namespace opsrun_test

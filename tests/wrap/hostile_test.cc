// tests/wrap/hostile_test.cc: names and texts of ops arrive as they are, whatever the classes call them.
// SPDX-License-Identifier: Apache-2.0
#include "hostile.h"

#include <cmath>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

namespace embed = opsrun::embed;
namespace hostile = test::hostile;

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

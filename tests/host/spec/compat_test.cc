// SPDX-License-Identifier: Apache-2.0
#include "host/spec/compat.h"

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

// "safe rule" or "unsafe rule" of every difference.
Specs Rules(const std::vector<OpChange>& changes) {
  Specs rules;
  for (const OpChange& change : changes) rules.push_back((change.safe ? "safe " : "unsafe ") + change.rule);
  return rules;
}

Specs Compare(const OpDef& before, const OpDef& now) {
  return Rules(CompareOps(before, now));
}

OpDef WithAttr(const std::string& attr) {
  return MakeOp({attr}, {}, {});
}

TEST(CompareOps, PutsWhatIsUnsafeFirst) {
  const OpDef op = MakeOp({"T: type", "k: int = 3"}, {"x: T"}, {"y: T"});
  EXPECT_EQ(Compare(op, op), Specs{});
  const OpDef before = MakeOp({"a: {'x'}", "b: int"}, {}, {});
  const OpDef now = MakeOp({"a: string", "c: int"}, {}, {});
  EXPECT_EQ(Compare(before, now),
            (Specs{"unsafe attr_removed", "unsafe attr_added_without_default", "safe allowed_wider"}));
}

TEST(CompareOps, LooksAtWhatAnAttrAllows) {
  EXPECT_EQ(Compare(WithAttr("T: type"), WithAttr("T: {int32}")), Specs{"unsafe allowed_stricter"});
  EXPECT_EQ(Compare(WithAttr("T: {int32, half}"), WithAttr("T: {half, int32}")), Specs{});
  EXPECT_EQ(Compare(WithAttr("m: {'a'}"), WithAttr("m: {'a', 'b'}")), Specs{"safe allowed_wider"});
  EXPECT_EQ(Compare(WithAttr("m: {'a', 'c'}"), WithAttr("m: {'a', 'b'}")), Specs{"unsafe allowed_stricter"});
  EXPECT_EQ(Compare(WithAttr("l: list(int)"), WithAttr("l: list(int) >= 0")), Specs{"unsafe minimum_raised"});
  EXPECT_EQ(Compare(WithAttr("k: int >= 3"), WithAttr("k: int")), Specs{"safe minimum_lowered"});
  EXPECT_EQ(Compare(WithAttr("k: int >= 3"), WithAttr("k: int >= 4")), Specs{"unsafe minimum_raised"});
  const std::vector<OpChange> changes = CompareOps(WithAttr("T: {int32, half}"), WithAttr("T: {half}"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].message, "attr 'T' allowed int32, float16 and now allows float16");
}

TEST(CompareOps, PutsDefaultsInPlaceOfNewAttrs) {
  const OpDef before = MakeOp({}, {"a: int32", "b: float"}, {});
  const OpDef list = MakeOp({"T: list(type) = [DT_INT32, DT_FLOAT]"}, {"ab: T"}, {});
  const OpDef wrong = MakeOp({"T: list(type) = [DT_INT32]"}, {"ab: T"}, {});
  EXPECT_EQ(Compare(before, list), (Specs{"safe attr_added_with_default", "safe inputs_by_default"}));
  EXPECT_EQ(Compare(before, wrong), (Specs{"unsafe input_signature", "safe attr_added_with_default"}));
  const OpDef empty_list = MakeOp({"N: int >= 0 = 0"}, {"more: N * float"}, {"extra: N * float"});
  EXPECT_EQ(Compare(MakeOp({}, {}, {}), empty_list),
            (Specs{"safe attr_added_with_default", "safe inputs_by_default", "safe outputs_by_default"}));
}

TEST(CompareOps, LetsInputsBeRenamedOrLoseTheirReferenceAndOutputsGetOne) {
  EXPECT_EQ(Compare(MakeOp({}, {"x: float"}, {}), MakeOp({}, {"y: float"}, {})), Specs{"safe input_renamed"});
  EXPECT_EQ(Compare(MakeOp({}, {}, {"x: float"}), MakeOp({}, {}, {"y: float"})), Specs{"unsafe output_signature"});
  const OpDef plain = MakeOp({}, {"x: float"}, {"y: float"});
  const OpDef ref = MakeOp({}, {"x: Ref(float)"}, {"y: Ref(float)"});
  EXPECT_EQ(Compare(plain, ref), (Specs{"unsafe input_made_ref", "safe output_made_ref"}));
  EXPECT_EQ(Compare(ref, plain), (Specs{"unsafe output_unref", "safe input_not_ref"}));
}

TEST(CompareDefaults, LetsADefaultOnlyBeAdded) {
  auto compare = [](const char* before, const char* now) {
    return Rules(CompareDefaults(WithAttr(before), WithAttr(now)));
  };
  EXPECT_EQ(compare("k: int", "k: int = 1"), Specs{"safe default_added"});
  EXPECT_EQ(compare("k: int = 1", "k: int"), Specs{"unsafe default_removed"});
  EXPECT_EQ(compare("k: int = 1", "k: int = 2"), Specs{"unsafe default_changed"});
  EXPECT_EQ(compare("k: int = 1", "k: float = 1"), Specs{"unsafe default_changed"});
  EXPECT_EQ(compare("k: float = nan", "k: float = nan"), Specs{});
  EXPECT_EQ(compare("k: float = 0", "k: float = -0"), Specs{"unsafe default_changed"});
}

TEST(CompareAddedDefaults, HoldsTheVersionBetweenToItsDefaults) {
  const OpDef none = MakeOp({}, {}, {});
  auto compare = [&](const OpDef& mid, const OpDef& now) { return Rules(CompareAddedDefaults(none, mid, now)); };
  EXPECT_EQ(compare(WithAttr("k: int = 1"), WithAttr("k: int = 1")), Specs{});
  EXPECT_EQ(compare(WithAttr("k: int = 1"), WithAttr("k: int = 2")), Specs{"unsafe added_default_changed"});
  EXPECT_EQ(compare(WithAttr("k: int = 1"), none), Specs{"unsafe added_default_removed"});
  EXPECT_EQ(compare(WithAttr("k: int"), WithAttr("k: int = 2")), Specs{"unsafe added_without_default"});
  EXPECT_EQ(compare(none, WithAttr("k: int = 2")), Specs{});
}

}  // namespace
}  // namespace opsrun::host::spec

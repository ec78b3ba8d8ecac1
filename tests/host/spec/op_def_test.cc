// tests/host/spec/op_def_test.cc: ops as values and texts, their names in other languages, their types in a node, and
// how versions of them differ.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/op_def.h"

#include <cmath>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(OpDef, FindsAttrsByName) {
  OpDef op = MakeOp({"T: type", "N: int"}, {}, {});
  EXPECT_EQ(op.FindAttr("N"), &op.attrs[1]);
  EXPECT_EQ(op.FindAttr("n"), nullptr);
}

TEST(SignatureText, ShowsArgumentsSetsAndDefaults) {
  const OpDef op = MakeOp({"N: int", "T: type", "TL: list(type)"}, {"a: N * T", "b: TL", "c: Ref(double)"}, {});
  EXPECT_EQ(SignatureText(op), "Op(a: N * T, b: TL, c: Ref(float64)) -> (); N: int >= 1, T: type, TL: list(type) >= 1");
  const OpDef sets = MakeOp({"m: {'a', 'b'} = 'b'", "T: numerictype", "l: list({int8, half}) = [DT_HALF]"}, {}, {});
  EXPECT_EQ(SignatureText(sets),
            "Op() -> (); m: {'a', 'b'} = 'b', T: numbertype, l: list({int8, float16}) = [float16]");
}

TEST(AttrTypeName, IsTheLanguagesWord) {
  EXPECT_EQ(AttrTypeName({OPSRUN_ATTR_INT, false}), "int");
  EXPECT_EQ(AttrTypeName({OPSRUN_ATTR_TYPE, true}), "list(type)");
  EXPECT_EQ(AttrTypeName({99, false}), "kind 99");
}

TEST(AttrValue, IsEqualToOneOfTheSameTypeAndElements) {
  EXPECT_EQ(AttrValue::Int(3).size(), 1u);
  EXPECT_EQ(AttrValue::TypeList({DType::kFloat32, DType::kInt32}).size(), 2u);
  EXPECT_EQ(AttrValue().size(), 0u);
  EXPECT_EQ(AttrValue::Int(1), AttrValue::Int(1));
  EXPECT_NE(AttrValue::Int(1), AttrValue::Bool(true));
  EXPECT_NE(AttrValue::Type(DType::kFloat32), AttrValue::TypeList({DType::kFloat32}));
}

TEST(AttrValueText, IsWhatAGraphFileHolds) {
  EXPECT_EQ(AttrValueText(AttrValue::Int(-3)), "-3");
  EXPECT_EQ(AttrValueText(AttrValue::Bool(false)), "false");
  EXPECT_EQ(AttrValueText(AttrValue::Type(DType::kFloat32)), "float32");
  EXPECT_EQ(AttrValueText(AttrValue::TypeList({DType::kBool, DType::kFloat16})), "[bool, float16]");
  EXPECT_EQ(AttrValueText(AttrValue::TypeList({})), "[]");
  for (const auto& [number, text] : {std::pair(double{0.1f}, "0.1"), std::pair(0.1, "0.1"), std::pair(1e300, "1e+300"),
                                     std::pair(-HUGE_VAL, "-.inf"), std::pair(std::nan(""), ".nan")})
    EXPECT_EQ(AttrValueText(AttrValue::Float(number)), text);
  EXPECT_EQ(AttrValueText(AttrValue::String("a b\\c")), "'a b\\c'");
  EXPECT_EQ(AttrValueText(AttrValue::String("it's")), "\"it's\"");
  EXPECT_EQ(AttrValueText(AttrValue::String("a\n\t\"\x1B")), "\"a\\n\\t\\\"\\x1b\"");
  AttrValue value;
  value.type = {OPSRUN_ATTR_SHAPE, true};
  value.shapes = {{true, {2, -1}}, {true, {}}, {}};
  EXPECT_EQ(AttrValueText(value), "[[2, -1], [], ?]");
}

template <typename T>
TensorValue Of(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return {dtype, std::move(shape), bytes, {}};
}

std::string TensorText(TensorValue tensor) {
  return AttrValueText({.type = {OPSRUN_ATTR_TENSOR, false}, .tensors = {std::move(tensor)}});
}

TEST(AttrValueText, ShowsTensorsThatAreShort) {
  EXPECT_EQ(TensorText(Of<int32_t>(DType::kInt32, {}, {-5})), "int32 -5");
  EXPECT_EQ(TensorText(Of<float>(DType::kFloat32, {2}, {1, 2.5})), "float32 [1, 2.5]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {9}, std::vector<int64_t>(9))), "int64 of shape [9]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {1, 1}, {1})), "int64 of shape [1, 1]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {0}, {})), "int64 of shape [0]");
  EXPECT_EQ(TensorText({DType::kString, {}, "", {"x"}}), "string of shape []");
}

TEST(SetterName, RaisesLettersAndKeepsOffTheNamesOfTheWrapper) {
  EXPECT_EQ(SetterName("use_bias_2"), "UseBias2");
  EXPECT_EQ(SetterName("Tidx"), "Tidx");
  EXPECT_EQ(SetterName("attrs"), "Attrs_");
  EXPECT_EQ(SetterName("pad", "Pad"), "Pad_");
}

using Inputs = std::vector<std::optional<InputTypes>>;
using Given = std::map<std::string, AttrValue>;
using Types = std::vector<DType>;

constexpr DType kFloat = DType::kFloat32;
constexpr DType kInt = DType::kInt32;

InputTypes One(DType dtype) {
  return {.list = false, .types = {dtype}};
}
InputTypes Many(Types types) {
  return {.list = true, .types = std::move(types)};
}

// "kind subject" of every error.
Specs Mistakes(const OpDef& op, const Inputs& inputs, const Given& given = {}) {
  Specs found;
  for (const InferError& error : InferAttrs(op, inputs, given).errors)
    found.push_back(Word(error.kind) + " " + error.subject);
  return found;
}

InferError OnlyError(const OpDef& op, const Inputs& inputs, const Given& given = {}) {
  std::vector<InferError> errors = InferAttrs(op, inputs, given).errors;
  EXPECT_EQ(errors.size(), 1u);
  return errors.empty() ? InferError() : errors[0];
}

TEST(InferAttrs, CountsLists) {
  OpDef op = MakeOp({"N: int", "T: type"}, {"a: float", "xs: N * T"}, {"ys: N * T", "z: T"});
  Signature signature = InferAttrs(op, {One(kFloat), Many({kInt, kInt})}, {}).signature;
  EXPECT_EQ(signature.attrs[0], AttrValue::Int(2));
  EXPECT_EQ(signature.in_args[1].first, 1u);
  EXPECT_EQ(signature.in_args[1].count, 2u);
  EXPECT_TRUE(signature.in_args[1].list);
  EXPECT_EQ(signature.out_args[1].first, 2u);
  EXPECT_FALSE(signature.out_args[1].list);
}

TEST(InferAttrs, FillsDefaultsAndTakesAnEmptyListForAnyList) {
  OpDef op = MakeOp({"k: int = 5", "s: string"}, {}, {});
  Inference found = InferAttrs(op, {}, {{"s", AttrValue::String("hello")}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.signature.attrs, (std::vector<AttrValue>{AttrValue::Int(5), AttrValue::String("hello")}));
  const OpDef list = MakeOp({"l: list(string)"}, {}, {});
  found = InferAttrs(list, {}, {{"l", AttrValue::TypeList({})}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.signature.attrs[0].type, list.attrs[0].type);
}

TEST(InferAttrs, TellsWrongLengthsFromWrongTypes) {
  OpDef op = MakeOp({"N: int >= 2", "T: type"}, {"xs: N * T", "ys: N * int32"}, {});
  EXPECT_TRUE(OnlyError(op, {Many({kInt, kInt}), Many({kInt, kInt, kInt})}).length);
  const InferError error = OnlyError(op, {Many({kInt, kFloat}), Many({kInt, kInt})});
  EXPECT_FALSE(error.length);
  EXPECT_EQ(error.input_index, 1);
}

TEST(InferAttrs, NamesTheKindsOfAttrsAndMakesNoListWithoutEnd) {
  EXPECT_EQ(OnlyError(MakeOp({"T: type"}, {}, {}), {}).message, "op 'Op' needs attr 'T', a data type");
  EXPECT_EQ(OnlyError(MakeOp({"k: int"}, {}, {}), {}, {{"k", AttrValue::String("3")}}).message,
            "attr 'k' must be int, but '3' is of type string");
  OpDef op = MakeOp({"N: int"}, {}, {"ys: N * float"});
  EXPECT_EQ(Mistakes(op, {}, {{"N", AttrValue::Int(int64_t{1} << 40)}}), Specs{"above_maximum attr:N"});
  EXPECT_TRUE(InferAttrs(op, {}, {{"N", AttrValue::Int(kMaxListLength)}}).ok());
}

TEST(InferAttrs, FindsIndependentErrorsInOneGo) {
  OpDef op = MakeOp({"T: {float}", "k: int", "m: int"}, {"x: T", "y: int32"}, {});
  EXPECT_EQ(Mistakes(op, {One(kInt), One(kFloat)}, {{"k", AttrValue::Bool(true)}, {"p", AttrValue::Int(1)}}),
            (Specs{"wrong_input_type input:y", "unknown_attr attr:p", "not_allowed attr:T", "wrong_attr_kind attr:k",
                   "missing_attr attr:m"}));
}

TEST(InferAttrs, IsSilentAboutWhatHangsOnAnUnknownInput) {
  OpDef op = MakeOp({"T: type = DT_BOOL", "N: int"}, {"x: T", "xs: N * float"}, {"y: T", "z: int32", "ys: N * T"});
  Inference found = InferAttrs(op, {std::nullopt, std::nullopt}, {});
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(found.signature.attrs[0].type.kind, 0u);
  EXPECT_EQ(found.signature.out_types, (Types{DType::kInvalid, kInt}));
}

TEST(SharedSignatures, ShareWhatIsEqual) {
  const OpDef op = MakeOp({"T: type", "a: float = 1.0"}, {"x: T"}, {"y: T"}), other = op;
  SharedSignatures signatures;
  std::vector<InferError> errors;
  const auto infer = [&](const OpDef& of, DType type, const std::map<std::string, AttrValue>& attrs) {
    return signatures.Infer(of, {One(type)}, attrs, &errors);
  };
  const auto first = infer(op, kFloat, {});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->out_types, Types{kFloat});
  EXPECT_EQ(infer(op, kFloat, {}), first);
  EXPECT_NE(infer(op, kInt, {}), first);
  EXPECT_NE(infer(other, kFloat, {}), first);
  const auto zero = infer(op, kFloat, {{"a", AttrValue::Float(0.0)}});
  EXPECT_EQ(infer(op, kFloat, {{"a", AttrValue::Float(0.0)}}), zero);
  EXPECT_NE(infer(op, kFloat, {{"a", AttrValue::Float(-0.0)}}), zero);
  EXPECT_EQ(infer(op, kFloat, {{"b", AttrValue::Float(0.0)}}), nullptr);
  ASSERT_EQ(errors.size(), 1u);
  for (int i = 0; i < 100; ++i) infer(op, kFloat, {{"a", AttrValue::Float(i)}});
  EXPECT_EQ(first->out_types, Types{kFloat});
  EXPECT_EQ(infer(op, kFloat, {})->attrs, first->attrs);
}

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

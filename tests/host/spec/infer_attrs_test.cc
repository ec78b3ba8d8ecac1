// SPDX-License-Identifier: Apache-2.0
#include "host/spec/infer_attrs.h"

#include <gtest/gtest.h>

#include "host/spec/parse_arg.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

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

TEST(InferAttrs, TakesTypesFromInputs) {
  Inference found = InferAttrs(MakeOp({"T: type"}, {"x: T"}, {"y: T", "n: int64"}), {One(kFloat)}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.signature.attrs[0], AttrValue::Type(kFloat));
  EXPECT_EQ(found.signature.in_types, Types{kFloat});
  EXPECT_EQ(found.signature.out_types, (Types{kFloat, DType::kInt64}));
  const OpDef mixed = MakeOp({"TL: list(type)"}, {"xs: TL"}, {"ys: TL"});
  EXPECT_EQ(InferAttrs(mixed, {Many({kFloat, kInt})}, {}).signature.out_types, (Types{kFloat, kInt}));
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

TEST(InferAttrs, LearnsNoTypeFromAnEmptyList) {
  OpDef op = MakeOp({"N: int >= 0", "T: type = DT_BOOL"}, {"xs: N * T"}, {});
  EXPECT_EQ(InferAttrs(op, {Many({})}, {}).signature.attrs[1], AttrValue::Type(DType::kBool));
  EXPECT_EQ(Mistakes(MakeOp({"N: int >= 0", "T: type"}, {"xs: N * T"}, {}), {Many({})}), Specs{"missing_attr attr:T"});
}

TEST(InferAttrs, ChecksLengths) {
  EXPECT_EQ(OnlyError(MakeOp({"N: int >= 1", "T: type"}, {"xs: N * T"}, {}), {Many({})}).message,
            "input 'xs' holds 0 tensors, but op 'Op' asks for at least 1");
  EXPECT_EQ(OnlyError(MakeOp({"N: int >= 2"}, {"xs: N * float"}, {}), {Many({kFloat})}).message,
            "input 'xs' holds 1 tensor, but op 'Op' asks for at least 2");
  const AttrValue list_of_one{{OPSRUN_ATTR_INT, true}, {1}, {}, {}, {}, {}};
  EXPECT_EQ(OnlyError(MakeOp({"l: list(int) >= 2"}, {}, {}), {}, {{"l", list_of_one}}).message,
            "attr 'l' is [1] here, but op 'Op' asks for a length of at least 2");
  OpDef op = MakeOp({"N: int >= 2", "T: type"}, {"xs: N * T", "ys: N * int32"}, {});
  EXPECT_TRUE(OnlyError(op, {Many({kInt, kInt}), Many({kInt, kInt, kInt})}).length);
  EXPECT_FALSE(OnlyError(op, {Many({kInt, kFloat}), Many({kInt, kInt})}).length);
}

// "kind subject inferred_from: message" of the only error.
std::string ErrorText(const OpDef& op, const Inputs& inputs, const Given& given = {}) {
  const InferError error = OnlyError(op, inputs, given);
  return Word(error.kind) + " " + error.subject + " " + error.inferred_from + ": " + error.message;
}

TEST(InferAttrs, RefusesTypesThatDoNotAgree) {
  const OpDef one = MakeOp({"T: type"}, {"x: T"}, {}), two = MakeOp({"T: type"}, {"x: T", "y: T"}, {});
  EXPECT_TRUE(InferAttrs(one, {One(kInt)}, {{"T", AttrValue::Type(kInt)}}).ok());
  EXPECT_EQ(ErrorText(one, {One(kInt)}, {{"T", AttrValue::Type(kFloat)}}),
            "inconsistent_attr attr:T x: attr 'T' is float32 here, but input 'x' makes it int32");
  EXPECT_EQ(ErrorText(two, {One(kFloat), One(kInt)}),
            "inconsistent_attr input:y x: input 'y' makes attr 'T' int32, but input 'x' makes it float32");
  EXPECT_EQ(ErrorText(MakeOp({"T: {float, int32}"}, {"x: T"}, {}), {One(DType::kFloat64)}),
            "not_allowed attr:T x: input 'x' makes attr 'T' float64, but op 'Op' allows float32, int32");
  EXPECT_EQ(ErrorText(MakeOp({}, {"x: int32"}, {}), {One(kFloat)}),
            "wrong_input_type input:x : input 'x' takes int32, but gets float32");
  const InferError error = OnlyError(MakeOp({"N: int"}, {"xs: N * int32"}, {}), {Many({kInt, kFloat})});
  EXPECT_EQ(error.input_index, 1);
  EXPECT_EQ(error.message, "input 'xs' takes int32, but its tensor 1 is float32");
}

TEST(InferAttrs, CountsInputsAndTellsListsFromSingleTensors) {
  EXPECT_EQ(Mistakes(MakeOp({"N: int"}, {"xs: N * int32"}, {}), {One(kInt)}), Specs{"list_expected input:xs"});
  EXPECT_EQ(Mistakes(MakeOp({"T: type"}, {"x: T"}, {}), {Many({kInt})}), Specs{"single_expected input:x"});
  OpDef op = MakeOp({"T: type"}, {"x: T", "y: T"}, {});
  EXPECT_EQ(Mistakes(op, {One(kInt)}), Specs{"too_few_inputs input:y"});
  EXPECT_EQ(Mistakes(op, {One(kInt), One(kInt), One(kInt)}), Specs{"too_many_inputs "});
}

TEST(InferAttrs, MakesNoListWithoutEnd) {
  OpDef op = MakeOp({"N: int"}, {}, {"ys: N * float"});
  EXPECT_EQ(Mistakes(op, {}, {{"N", AttrValue::Int(int64_t{1} << 40)}}), Specs{"above_maximum attr:N"});
  EXPECT_TRUE(InferAttrs(op, {}, {{"N", AttrValue::Int(kMaxListLength)}}).ok());
}

TEST(InferAttrs, RefusesAttrsThatAreMissingUnknownOrOfAnotherKind) {
  EXPECT_EQ(OnlyError(MakeOp({"k: int"}, {}, {}), {}).message, "op 'Op' needs attr 'k' of type int");
  EXPECT_EQ(OnlyError(MakeOp({"T: type"}, {}, {}), {}).message, "op 'Op' needs attr 'T', a data type");
  OpDef op = MakeOp({"k: int"}, {}, {});
  EXPECT_EQ(OnlyError(op, {}, {{"k", AttrValue::String("3")}}).message,
            "attr 'k' takes int, but '3' is of type string");
  EXPECT_EQ(OnlyError(op, {}, {{"k", AttrValue::Int(3)}, {"l", AttrValue::Int(3)}}).message, "op 'Op' has no attr 'l'");
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

TEST(InferAttrs, KnowsReferences) {
  OpDef op = MakeOp({"T: type"}, {"v: Ref(T)", "x: T"}, {"w: Ref(T)"});
  Inference found = InferAttrs(op, {One(RefType(kFloat)), One(kFloat)}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.signature.attrs[0], AttrValue::Type(kFloat));
  EXPECT_EQ(found.signature.out_types, Types{RefType(kFloat)});
  EXPECT_EQ(Mistakes(op, {One(kFloat), One(kFloat)}), Specs{"ref_expected input:v"});
}

}  // namespace
}  // namespace opsrun::host::spec

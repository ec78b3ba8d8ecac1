// SPDX-License-Identifier: Apache-2.0
#include "host/spec/infer_attrs.h"

#include "host/spec/type_words.h"
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

}  // namespace
}  // namespace opsrun::host::spec

// tests/sdk/shape_values_test.cc: values of inputs that a shape function can request.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(InputTensor, IsNullUntilTheValueIsKnown) {
  TestShapeCall call("[2]");
  InContext(call, [](InferenceContext* c) { EXPECT_EQ(c->input_tensor(0), nullptr); });
  EXPECT_EQ(call.wanted(), std::set<uint32_t>{0});
}

TEST(InputTensor, CanBeReadAndKept) {
  InContext("[2]=<7,8>", [](InferenceContext* c) {
    const opsrun::Tensor* t = c->input_tensor(0);
    const opsrun::Tensor kept = *t;
    EXPECT_EQ(t->flat<int32_t>()(1), 8);
    EXPECT_EQ(kept.flat<int32_t>()(0), 7);
  });
}

TEST(MakeShapeFromShapeTensor, ReadsTheValueOrItsLength) {
  const auto shape_from =
      ShapeOf([](InferenceContext* c, ShapeHandle* out) { return c->MakeShapeFromShapeTensor(0, out); });
  ExpectShapes(shape_from, R"(
[3] -> [?,?,?] | [?] -> ? | ? -> ? | [2]=<2,-1> -> [2,?] | [1]=<1099511627776>L -> [1099511627776] | [0]=<> -> []
[4294967296] -> error: A shape of 4294967296 dimensions; there may be 0 to 32
[2]=<2,-2> -> error: Dimension 1 has size -2, below -1
[1]=<1>f -> error: Sizes and positions must be int32 or int64, but are float32
[]=<-1> -> error: Shape must be rank 1 but is rank 0: []
[2]=[3,?] -> [3,?] | [2]=? -> [?,?] | [4]=[3,?,-1,nothing] -> [3,?,?,?]
[2]=[3,-2] -> error: Dimension 1 has size -2, below -1
)");
  const auto of_unknown = [&](const std::vector<int64_t>& shape, const std::vector<int32_t>& values) {
    TestShapeCall call("?");
    call.Value<int32_t>(0, shape, values);
    return Infer(call, shape_from);
  };
  EXPECT_EQ(of_unknown({}, {-1}), "?");
  EXPECT_EQ(of_unknown({}, {3}),
            "error: A shape is spelled by a vector, or by the scalar -1 if it is unknown, but not by the scalar 3");
  EXPECT_EQ(of_unknown({1, 1}, {3}), "error: A shape is spelled by a vector, but the tensor is rank 2");
  EXPECT_EQ(of_unknown({33}, std::vector<int32_t>(33, 1)), "error: A shape of 33 dimensions; there may be 32");
}

// The same for a tensor that the function already has: after a failure there is no shape.
TEST(MakeShapeFromTensor, ReadsTheValueOrGivesNothing) {
  const auto from_tensor = [](InferenceContext* c, ShapeHandle* out) {
    return c->MakeShapeFromTensor(c->input_tensor(0), c->input(0), out);
  };
  ExpectShapes(ShapeOf(from_tensor), R"(
?=<2,-1> -> [2,?] | ?=<-2> -> INVALID_ARGUMENT | ?=<> -> [] | ?=<1> -> [1]
[2]=<1,2>f -> error: Sizes and positions must be int32 or int64, but are float32
)");
  std::string ones = "1";
  for (int i = 1; i < OPSRUN_MAX_RANK; ++i) ones += ",1";
  ExpectShapes(ShapeOf(from_tensor), "?=<" + ones + "> -> [" + ones + "] | ?=<" + ones + ",1> -> INVALID_ARGUMENT");
}

TEST(MakeShapeFromShapeTensor, MayTakeAScalarForAnUnknownShape) {
  const auto shape_from = [](InferenceContext* c, ShapeHandle* out) {
    return c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, out);
  };
  ExpectShapes(ShapeOf(shape_from), R"(
[]=<-1> -> ? | [] -> ?
[1,1] -> error: Shape must be at most rank 1 but is rank 2: [1,1]
)");
}

TEST(GetScalarFromTensor, ReadsAScalarOrAnElement) {
  InContext("[]=<5>L;[2]=<6,7>;[]", [](InferenceContext* c) {
    int64_t value = 0;
    long long wide = 0;
    EXPECT_TRUE(c->GetScalarFromTensor(c->input_tensor(0), &value).ok());
    EXPECT_TRUE(c->GetScalarFromTensor(c->input_tensor(1), 1, &wide).ok());
    EXPECT_EQ(value, 5);
    EXPECT_EQ(wide, 7);
    EXPECT_EQ(c->GetScalarFromTensor(c->input_tensor(1), &value).message(), "Tensor must be a scalar but is rank 1");
    for (const int64_t i : {kLeast, int64_t{-1}, int64_t{2}, kGreatest}) {
      EXPECT_EQ(c->GetScalarFromTensor(c->input_tensor(1), i, &value).message(),
                "Tensor of 2 elements has no element " + std::to_string(i));
    }
    EXPECT_EQ(c->GetScalarFromTensor(c->input_tensor(0), 0, &value).message(), "Tensor must be a vector but is rank 0");
    const char* const unknown = "The tensor is NULL: its value is not known before the run";
    EXPECT_EQ(c->GetScalarFromTensor(c->input_tensor(2), 0, &value).message(), unknown);
    EXPECT_EQ(c->GetScalarFromTensor(c->input_tensor(2), &value).message(), unknown);
  });
}

TEST(MakeDimForScalarInput, ReadsASizeOrAnAxis) {
  const auto size = [](InferenceContext* c, DimensionHandle* out) { return c->MakeDimForScalarInput(0, out); };
  const auto axis = [](int rank) {
    return DimOf([=](InferenceContext* c, DimensionHandle* out) {
      return c->MakeDimForScalarInputWithNegativeIndexing(0, rank, out);
    });
  };
  ExpectShapes(DimOf(size), R"(
[]=<4>L -> [4] | [] -> [?]
[]=<-1>L -> error: A size must be 0 or more, but is -1
[]=<0>f -> error: Sizes and positions must be int32 or int64, but are float32
)");
  ExpectShapes(axis(3), R"(
[]=<-1>L -> [2] | []=<2>L -> [2]
[]=<3>L -> error: A tensor of rank 3 has no axis 3
[]=<-4>L -> error: A tensor of rank 3 has no axis -4
[]=<0>f -> error: Sizes and positions must be int32 or int64, but are float32
)");
  ExpectShapes(axis(-1), "[]=<-1>L -> [?] | []=<5>L -> [5]");
}

TEST(ValuesOfAnotherType, FailTheFunctionThatMapsThem) {
  EXPECT_EQ(InferBody("[]=<1>f", [](InferenceContext* c) { c->input_tensor(0)->scalar<int32_t>()(); }),
            "error: The kernel asks for int32 elements of a tensor of float32");
}

TEST(AttrsOutOfRange, AreErrors) {
  TestShapeCall call("[2]");
  call.attrs.Int("n", int64_t{1} << 40).Shape("shape", std::vector<int64_t>(3, -7)).Float("x", std::nan(""));
  InContext(call, [](InferenceContext* c) {
    int n = 0;
    opsrun::PartialTensorShape shape;
    ShapeHandle out;
    EXPECT_FALSE(c->GetAttr("n", &n).ok());
    EXPECT_FALSE(c->GetAttr("x", &n).ok());
    EXPECT_TRUE(c->GetAttr("shape", &shape).ok());
    EXPECT_EQ(c->MakeShapeFromPartialTensorShape(shape, &out).message(), "No dimension has size -7");
    EXPECT_FALSE(out.IsSet());
  });
}

TEST(IndicesOutOfRange, FailTheFunction) {
  const auto failing = [](auto use) { return InferBody("[1]", use); };
  const std::string none = "error: The shape function uses input 4294967296 (counted from 0); the op has 1 input";
  constexpr int64_t kFar = int64_t{1} << 32;  // would become input 0 if truncated to 32 bits
  EXPECT_EQ(failing([](InferenceContext* c) { c->input(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->request_input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->requested_input_tensor(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->request_input_tensor_as_partial_shape(kFar); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->SetInput(kFar, c->input(0)); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->MergeInput(kFar, c->input(0)); }), none);
  EXPECT_EQ(failing([](InferenceContext* c) { c->output(kLeast); }),
            "error: The shape function uses output -9223372036854775808 (counted from 0); the op has 1 output");
}

}  // namespace
}  // namespace opsrun_test

// tests/sdk/shape_context_test.cc: inputs, outputs and attrs by name, handles that were never set, and values of
// inputs that a shape function can request.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

TEST(InferenceContext, GivesTheInputsOfANamedList) {
  TestShapeCall call("[1];[2];[3]");
  call.InArg("first", 1).InArg("rest", 2, OPSRUN_ARG_LIST);
  EXPECT_EQ(InferShape(call,
                       [](InferenceContext* c, ShapeHandle* out) {
                         std::vector<ShapeHandle> rest;
                         TF_RETURN_IF_ERROR(c->input("rest", &rest));
                         EXPECT_EQ(rest.size(), 2u);
                         *out = ShapeHandle();
                         return c->Concatenate(rest[0], rest[1], out);
                       }),
            "[d1_0,d2_0]");
}

TEST(InferenceContext, SetsTheOutputsOfANamedList) {
  TestShapeCall call("[1];[2]", 3);
  call.OutArg("one", 1).OutArg("two", 2, OPSRUN_ARG_LIST);
  EXPECT_EQ(Infer(call,
                  [](InferenceContext* c) {
                    TF_RETURN_IF_ERROR(c->set_output("two", {c->input(1), c->input(0)}));
                    std::vector<ShapeHandle> two;
                    TF_RETURN_IF_ERROR(c->output("two", &two));
                    EXPECT_TRUE(two[0].SameHandle(c->input(1)));
                    EXPECT_TRUE(c->output(2).SameHandle(c->input(0)));
                    EXPECT_FALSE(c->output(0).IsSet());
                    return Status::OK();
                  }),
            "?;in1;in0");
}

TEST(InferenceContext, RefusesAListOfTheWrongLength) {
  for (const size_t count : {0u, 1u, 3u}) {
    TestShapeCall call("[1]", 3);
    call.OutArg("y", 1).OutArg("parts", 2, OPSRUN_ARG_LIST);
    const std::string said = Infer(call, [=](InferenceContext* c) {
      return c->set_output("parts", std::vector<ShapeHandle>(count, c->input(0)));
    });
    EXPECT_EQ(said, "error: Output 'parts' has 2 tensors, but is given " + std::to_string(count) + " shapes");
    EXPECT_EQ(call.failure().subject, "output:parts");
  }
}

TEST(InferenceContext, NamesTheArgumentsThatThereAre) {
  EXPECT_EQ(Infer("[1];[2]",
                  [](InferenceContext* c) {
                    std::vector<ShapeHandle> shapes;
                    return c->input("x", &shapes);
                  }),
            "error: The shape function uses input 'x'; the op has: in0, in1");
  EXPECT_EQ(Infer("", [](InferenceContext* c) { return c->set_output("y", {}); }),
            "error: The shape function uses output 'y'; the op has: out0");
}

TEST(InferenceContext, FailsTheFunctionForAnIndexOutOfRange) {
  const std::string uses = "error: The shape function uses ", has = " (counted from 0); the op has 1 ";
  EXPECT_EQ(InferBody("[1]", [](InferenceContext* c) { c->input(1); }), uses + "input 1" + has + "input");
  EXPECT_EQ(InferBody("[1]", [](InferenceContext* c) { c->input(-1); }), uses + "input -1" + has + "input");
  EXPECT_EQ(InferBody("[1]", [](InferenceContext* c) { c->set_output(1, c->input(0)); }),
            uses + "output 1" + has + "output");
}

TEST(InferenceContext, ReadsAttrs) {
  TestShapeCall call("");
  call.attrs.Int("rank", 2).Shape("shape", {4, -1}).Strings("names", {"a", "b"});
  EXPECT_EQ(Infer(call,
                  [](InferenceContext* c) {
                    opsrun::PartialTensorShape shape;
                    std::vector<std::string> names;
                    ShapeHandle out;
                    TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
                    TF_RETURN_IF_ERROR(c->GetAttr("names", &names));
                    EXPECT_EQ(names.size(), 2u);
                    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
                    c->set_output(0, out);
                    return Status::OK();
                  }),
            "[4,?]");
}

TEST(InferenceContext, BlamesAnAttrThatIsNotThere) {
  TestShapeCall call("");
  Infer(call, [](InferenceContext* c) {
    int rank = 0;
    return c->GetAttr("rank", &rank);
  });
  EXPECT_EQ(call.failure().code, OPSRUN_NOT_FOUND);
  EXPECT_EQ(call.failure().subject, "plugin");
}

TEST(InferenceContext, TellsWhatIsKnown) {
  InContext("[2,?];[1,2];?", [](InferenceContext* c) {
    EXPECT_EQ(c->num_inputs(), 3);
    EXPECT_EQ(c->num_outputs(), 1);
    EXPECT_EQ(c->Rank(c->input(0)), 2);
    EXPECT_EQ(c->Rank(c->input(2)), c->kUnknownRank);
    EXPECT_EQ(c->Value(c->Dim(c->input(0), -2)), 2);
    EXPECT_EQ(c->Value(c->Dim(c->input(0), 1)), c->kUnknownDim);
    EXPECT_FALSE(c->FullyDefined(c->input(0)));
    EXPECT_TRUE(c->FullyDefined(c->input(1)));
    EXPECT_FALSE(c->FullyDefined(c->input(2)));
    EXPECT_EQ(c->DebugString(c->input(0)), "[2,?]");
    EXPECT_EQ(c->DebugString(c->input(2)), "?");
    EXPECT_EQ(c->DebugString(c->Dim(c->input(0), 0)), "2");
    EXPECT_FALSE(c->Dim(c->input(2), 0).SameHandle(c->Dim(c->input(2), 0))) << "each is a new unknown";
    EXPECT_FALSE(c->ValueKnown(c->UnknownDim()));
  });
}

TEST(InferenceContext, IsKnownByTheGuidesName) {
  EXPECT_EQ(Infer("[5,?]",
                  [](::tensorflow::shape_inference::InferenceContext* c) {
                    c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 3));
                    return ::tensorflow::Status::OK();
                  }),
            "[d0_0,3]");
}

TEST(Handles, PointAtTheirValue) {
  InContext("[7,8,9]", [](InferenceContext* c) {
    const DimensionHandle dim = c->Dim(c->input(0), 1);
    EXPECT_EQ(*reinterpret_cast<const int64_t*>(dim.Handle()), 8);
    EXPECT_EQ(*reinterpret_cast<const int32_t*>(c->input(0).Handle()), 3);
  });
}

TEST(UnsetHandles, ActAsUnknown) {
  InContext("[2]", [](InferenceContext* c) {
    const ShapeHandle unset;
    const DimensionHandle unset_dim;
    EXPECT_FALSE(c->RankKnown(unset));
    EXPECT_FALSE(c->FullyDefined(unset));
    EXPECT_EQ(c->DebugString(unset), "?");
    EXPECT_EQ(c->DebugString(unset_dim), "?");
    EXPECT_FALSE(c->ValueKnown(unset_dim));
    EXPECT_FALSE(c->ValueKnown(c->Dim(unset, 0)));
    EXPECT_FALSE(c->ValueKnown(c->NumElements(unset)));
    EXPECT_EQ(c->DebugString(c->Matrix(unset_dim, 3)), "[?,3]");
  });
}

TEST(UnsetHandles, MergeIntoTheOther) {
  EXPECT_EQ(InferShape("[2]",
                       [](InferenceContext* c, ShapeHandle* out) { return c->Merge(ShapeHandle(), c->input(0), out); }),
            "in0");
  EXPECT_EQ(
      InferDim("[2]", [](InferenceContext* c,
                         DimensionHandle* out) { return c->Merge(DimensionHandle(), c->Dim(c->input(0), 0), out); }),
      "d0_0");
}

TEST(UnsetHandles, NeverReachTheHost) {
  EXPECT_EQ(Infer("[2]",
                  [](InferenceContext* c) {
                    DimensionHandle sum, product, made;
                    ShapeHandle slice;
                    c->set_output(0, c->input(0));
                    c->set_output(0, ShapeHandle());
                    TF_RETURN_IF_ERROR(c->Add(DimensionHandle(), 1, &sum));
                    TF_RETURN_IF_ERROR(c->Multiply(DimensionHandle(), DimensionHandle(), &product));
                    TF_RETURN_IF_ERROR(c->WithValue(DimensionHandle(), 3, &made));
                    EXPECT_EQ(c->Value(made), 3);
                    return c->Subshape(ShapeHandle(), 1, &slice);
                  }),
            "?");
}

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
[4294967296] -> error: A shape of 4294967296 dimensions; there may be 0 to 64
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
            "error: A shape is given by a vector, or by the scalar -1 if it is unknown, but not by the scalar 3");
  EXPECT_EQ(of_unknown({1, 1}, {3}), "error: A shape is given by a vector, but the tensor is rank 2");
  EXPECT_EQ(of_unknown({65}, std::vector<int32_t>(65, 1)), "error: A shape of 65 dimensions; there may be 64");
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
[]=<-1> -> [2] | []=<2>L -> [2]
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
    EXPECT_EQ(c->MakeShapeFromPartialTensorShape(shape, &out).message(), "A dimension cannot have size -7");
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

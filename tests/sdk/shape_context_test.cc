// tests/sdk/shape_context_test.cc: inputs, outputs and attrs by name, and handles that were never set.
// SPDX-License-Identifier: Apache-2.0
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
  EXPECT_EQ(call.failure().subject, "attr:rank");
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

}  // namespace
}  // namespace opsrun_test

// tests/sdk/shape_inputs_test.cc: inputs that a shape function replaces or queries, and a context's description of
// itself.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

TEST(SetInput, ReplacesTheShapeThatTheFunctionSees) {
  InContext("[2];[3]", [](InferenceContext* c) {
    c->SetInput(0, c->input(1));
    EXPECT_TRUE(c->input(0).SameHandle(c->input(1)));
    c->SetInput(0, ShapeHandle());
    EXPECT_FALSE(c->RankKnown(c->input(0)));
    EXPECT_FALSE(c->ValueKnown(c->Dim(c->input(0), 0)));
  });
}

TEST(SetInput, StillKnowsWhichInputIsToBlame) {
  TestShapeCall call("[2];[3]");
  Infer(call, [](InferenceContext* c) {
    c->SetInput(1, c->Matrix(4, 5));
    ShapeHandle out;
    return c->WithRank(c->input(1), 3, &out);
  });
  EXPECT_EQ(call.failure().subject, "input:in1");
}

TEST(MergeInput, TellsWhetherItLearntAnything) {
  InContext("[2,?];[?,3]", [](InferenceContext* c) {
    EXPECT_TRUE(c->MergeInput(0, c->input(1)));
    EXPECT_EQ(c->DebugString(c->input(0)), "[2,3]");
    EXPECT_FALSE(c->MergeInput(0, c->input(1)));
    EXPECT_FALSE(c->MergeInput(0, ShapeHandle()));
    for (const ShapeHandle other : {c->Vector(3), c->Scalar()}) EXPECT_FALSE(c->MergeInput(0, other));
    EXPECT_EQ(c->DebugString(c->input(0)), "[2,3]") << "it cannot be another shape";
  });
}

TEST(RequestInputTensor, IsAMarkThatReadingSetsToo) {
  TestShapeCall call("[];[];[]");
  InContext(call, [](InferenceContext* c) {
    c->request_input_tensor(1);
    c->input_tensor(2);
    EXPECT_FALSE(c->requested_input_tensor(0));
    EXPECT_TRUE(c->requested_input_tensor(1));
    EXPECT_TRUE(c->requested_input_tensor(2));
    EXPECT_FALSE(c->requested_input_tensor_as_partial_shape(1));
  });
  EXPECT_EQ(call.wanted(), (std::set<uint32_t>{1, 2}));
}

TEST(RequestInputTensor, MayBeForTheShapeThatItSpells) {
  TestShapeCall call("[2];[2]");
  InContext(call, [](InferenceContext* c) {
    c->request_input_tensor_as_partial_shape(1);
    EXPECT_FALSE(c->requested_input_tensor_as_partial_shape(0));
    EXPECT_TRUE(c->requested_input_tensor_as_partial_shape(1));
    EXPECT_FALSE(c->requested_input_tensor(1));
  });
  EXPECT_EQ(call.wanted(), std::set<uint32_t>{1});
}

TEST(InputTensorsAsShapes, AreUnsetWhereNothingIsKnown) {
  InContext("[2];[2]=[3,?]", [](InferenceContext* c) {
    ASSERT_EQ(c->input_tensors_as_shapes().size(), 2u);
    EXPECT_FALSE(c->input_tensors_as_shapes()[0].IsSet());
    EXPECT_EQ(c->DebugString(c->input_tensors_as_shapes()[1]), "[3,?]");
  });
}

TEST(SetInputTensors, TakesWhatTheCallerKnows) {
  TestShapeCall call("[2]=<7,8>;[2];[2]");
  EXPECT_EQ(InferShape(call,
                       [](InferenceContext* c, ShapeHandle* out) {
                         const opsrun::Tensor* known = c->input_tensor(0);
                         c->set_input_tensors({nullptr, known});
                         EXPECT_EQ(c->input_tensor(0), known);
                         EXPECT_EQ(c->input_tensor(1), known);
                         EXPECT_EQ(c->input_tensor(2), nullptr);
                         return c->MakeShapeFromShapeTensor(1, out);
                       }),
            "[7,8]");
  EXPECT_EQ(InferShape(call,
                       [](InferenceContext* c, ShapeHandle* out) {
                         c->set_input_tensors_as_shapes({ShapeHandle(), c->Matrix(4, -1)});
                         return c->MakeShapeFromShapeTensor(1, out);
                       }),
            "[4,?]");
}

TEST(ExpandOutputs, TakesOnlyTheNumberThatThereIs) {
  InContext("", [](InferenceContext* c) {
    EXPECT_TRUE(c->ExpandOutputs(1).ok());
    EXPECT_EQ(c->ExpandOutputs(0).code(), opsrun::error::INVALID_ARGUMENT);
    const Status more = c->ExpandOutputs(3);
    EXPECT_EQ(more.code(), opsrun::error::UNIMPLEMENTED);
    EXPECT_EQ(
        more.message(),
        "The op has 1 outputs, not 3: a shape function cannot change that; declare an output that is a list, whose "
        "length an attr says");
  });
}

TEST(InferenceContext, DescribesItself) {
  const auto describe = [](InferenceContext* c) {
    EXPECT_EQ(c->DebugString(), "[2,?];[1] -> ?;?");
    c->input_tensor(1);
    c->set_output(0, c->Vector(3));
    EXPECT_EQ(c->DebugString(), "[2,?];[1]=<3> -> [3];?");
    const opsrun::shape_inference::ShapeAndType pointee(c->input(0), opsrun::DT_FLOAT);
    EXPECT_EQ(c->DebugString(pointee), "[2,?]:float32");
    EXPECT_EQ(c->DebugString({pointee, pointee}), "[[2,?]:float32,[2,?]:float32]");
  };
  EXPECT_EQ(InferBody("[2,?];[1]=<3> outputs=2", describe), "[3];?");
}

TEST(InferenceContext, AddsWhatAFunctionSawToItsFailure) {
  TestShapeCall call("[2];?");
  EXPECT_EQ(Infer(call,
                  [](InferenceContext* c) {
                    return c->Run([](InferenceContext* inner) {
                      ShapeHandle out;
                      return inner->WithRank(inner->input(0), 2, &out);
                    });
                  }),
            "error: Shape must be rank 2 but is rank 1: [2] (while inferring [2];? -> ?)");
  EXPECT_EQ(call.failure().subject, "input:in0");
}

TEST(InferenceContext, IsOfTheNewestGraphs) {
  InContext("", [](InferenceContext* c) {
    EXPECT_TRUE(c->construction_status().ok());
    EXPECT_GE(c->graph_def_version(), 21);
    EXPECT_TRUE(c->ret_types().empty());
    EXPECT_EQ(c->attrs().Names(), "none");
  });
}

TEST(HandleShapes, AreNotFollowed) {
  InContext("[]", [](InferenceContext* c) {
    c->set_output_handle_shapes_and_types(0, {{c->Vector(2), opsrun::DT_FLOAT}});
    c->set_input_handle_shapes_and_types(0, {{c->Vector(2), opsrun::DT_FLOAT}});
    EXPECT_EQ(c->output_handle_shapes_and_types(0), nullptr);
    EXPECT_EQ(c->input_handle_shapes_and_types(0), nullptr);
    EXPECT_FALSE(c->MergeInputHandleShapesAndTypes(0, {}));
    EXPECT_FALSE(c->MergeOutputHandleShapesAndTypes(0, {}));
  });
  EXPECT_EQ(InferBody("", [](InferenceContext* c) { c->input_handle_shapes_and_types(0); }),
            "error: The shape function uses input 0 (counted from 0); the op has 0 inputs");
}

TEST(InputTensors, OfStringsAreReadAgainAtNoCost) {
  ExpectNoLeak([] {
    TestShapeCall call("[2]");
    call.Value<opsrun_str>(0, {2}, {{"a", 1}, {"two", 3}}, OPSRUN_DT_STRING);
    InContext(call, [](InferenceContext* c) {
      for (int time = 0; time < 3; ++time) EXPECT_EQ(c->input_tensor(0)->flat<opsrun::tstring>()(1), "two");
    });
  });
}

TEST(WithValue, IsNoWayToForgetAValue) {
  for (const int64_t value : {int64_t{-1}, int64_t{0}, int64_t{2}, int64_t{4}}) {
    TestShapeCall call("[3]");
    InferDim(call, [=](InferenceContext* c, DimensionHandle* out) {
      return c->WithValue(c->Dim(c->input(0), 0), value, out);
    });
    EXPECT_EQ(call.failure().code, OPSRUN_INVALID_ARGUMENT) << value;
    EXPECT_EQ(call.failure().subject, "input:in0") << value;
  }
}

TEST(Equate, BlamesBothInputs) {
  TestShapeCall call("[?];[?]");
  Infer(call, [&](InferenceContext* c) {
    ShapeHandle merged;
    call.host.FailIn(0);
    return c->Merge(c->input(0), c->input(1), &merged);
  });
  EXPECT_EQ(call.failure().code, OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(call.failure().subject, "input:in0 input:in1");
}

TEST(SetInputTensors, IgnoresThoseOfInputsThatThereAreNot) {
  TestShapeCall call("[2]");
  InContext(call, [&](InferenceContext* c) {
    c->set_input_tensors(std::vector<const opsrun::Tensor*>(100'000, nullptr));
    c->set_input_tensors_as_shapes(std::vector<ShapeHandle>(100'000));
    EXPECT_EQ(c->input_tensor(0), nullptr);
  });
}

template <typename Relax>
void ExpectUnimplemented(const std::string& name, Relax relax) {
  TestShapeCall call("[2]");
  EXPECT_EQ(
      InferBody(call, relax),
      "error: " + name +
          " is for loops, which graphs do not have: leave the call out, or make what may change with UnknownDim() or "
          "UnknownShape()");
  EXPECT_EQ(call.failure().code, OPSRUN_UNIMPLEMENTED);
}

TEST(Relax, SaysWhatToDoInstead) {
  ExpectUnimplemented("RelaxInput", [](InferenceContext* c) { c->RelaxInput(0, c->input(0)); });
  ExpectUnimplemented("RelaxInputHandleShapesAndMergeTypes",
                      [](InferenceContext* c) { c->RelaxInputHandleShapesAndMergeTypes(0, {}); });
  ExpectUnimplemented("RelaxOutputHandleShapesAndMergeTypes",
                      [](InferenceContext* c) { c->RelaxOutputHandleShapesAndMergeTypes(0, {}); });
}

}  // namespace
}  // namespace opsrun_test

// plugins/array_ops/kernels_test.cc: what tests/numpy cannot see: cut loops, forwarded memory, state.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

class ArrayOps : public OpTest {
 protected:
  static std::vector<int32_t> UpTo(int64_t n) {
    std::vector<int32_t> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  // Runs the current node. tests/numpy compares whole outputs.
  void GivesTheSameHoweverItIsCut() {
    Run();
    const Array whole = Output(0);
    Threads(4);
    CutLoops();
    RunGives(last(), 0, whole);
  }
};

TEST_F(ArrayOps, TransposeTheSameHoweverTheLoopIsCut) {
  Op("Transpose").Input<int32_t>({333, 257}, UpTo(333 * 257)).Input<int32_t>({2}, {1, 0});
  GivesTheSameHoweverItIsCut();
}

TEST_F(ArrayOps, SliceTheSameHoweverTheLoopIsCut) {
  Op("Slice").Input<int32_t>({500, 100}, UpTo(50000)).Input<int32_t>({2}, {3, 10}).Input<int32_t>({2}, {-1, 80});
  GivesTheSameHoweverItIsCut();
}

TEST_F(ArrayOps, SpaceToBatchPassesItsInputOnIfThereIsNothingToDo) {
  Op("SpaceToBatchND").Input<float>({2, 1}, {1, 2}).Late().Input<int32_t>({1}, {1}).Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {2, 1}, {1, 2});
}

TEST_F(ArrayOps, RandomNumbersAreThoseOfTheSeed) {
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  const auto first = Output(0);
  Threads(3);
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  EXPECT_EQ(Output(0).bytes, first.bytes);
  Run();
  EXPECT_NE(Output(0).bytes, first.bytes);
}

class Variables : public OpTest {
 protected:
  Node Make(const std::string& shared_name = "", const std::string& dtype = "float32") {
    return Op("Variable", "w")
        .Attr("shared_name", shared_name)
        .Attr("dtype", dtype)
        .Attr("shape", opsrun::test::Shape{-1});
  }
  Node Use(const std::string& op, const Node& variable, const Array& value) {
    return Add(op).Input(variable).Input(value);
  }
  Node Read(const Node& variable, const std::string& dtype = "float32") {
    return Add("ReadVariable").Input(variable).Attr("dtype", dtype);
  }
};

TEST_F(Variables, KeepWhatIsAssigned) {
  const Node w = Make();
  const Node first = Use("Assign", w, ArrayOf<float>({2}, {5, 6}));
  const Node sum = Use("AssignAdd", w, ArrayOf<float>({2}, {1, 0.5F})).After(first);
  const Node rest = Use("AssignSub", w, ArrayOf<float>({2}, {2, 2})).After(sum);
  const Node value = Read(w).After(rest);
  RunGives(value, 0, ArrayOf<float>({2}, {4, 4.5F}));
}

TEST_F(Variables, AreAssignedOnceOfManyRuns) {
  const Node w = Make("once");
  const Node begin = Use("Assign", w, ArrayOf<float>({1}, {10})).Attr("once", true);
  const Node step = Use("AssignSub", w, ArrayOf<float>({1}, {1})).After(begin);
  const Node value = Read(w).After(step);
  Run();
  RunGives(value, 0, ArrayOf<float>({1}, {8}));
}

TEST_F(Variables, RefuseToBeReadBeforeTheyHaveAValue) {
  Read(Make());
  RunFails("input:resource: the variable of node 'w' has no value yet");
}

TEST_F(Variables, RefuseOtherTypesAndShapes) {
  Use("Assign", Make(), ArrayOf<int32_t>({1}, {1}));
  RunFails("input:resource: the variable of node 'w' is float32, but this node asks for int32");
  Use("Assign", Make(), ArrayOf<float>({1, 1}, {1}));
  RunFails("input:value: the variable of node 'w' has the shape [?], but the shape of value is [1,1]");
  const Node w = Make();
  const Node begin = Use("Assign", w, ArrayOf<float>({2}, {1, 1}));
  Use("AssignAdd", w, ArrayOf<float>({3}, {1, 1, 1})).After(begin);
  RunFails("input:value: the variable of node 'w' holds a tensor of shape [2], but the shape of value is [3]");
}

TEST_F(Variables, RefuseHandlesOfOtherObjects) {
  Op("ReadVariable").InputHandle("Counter").Attr("dtype", "float32");
  RunFails("resource must come from an op Variable");
}

TEST_F(Variables, AddOnSeveralThreads) {
  Threads(4);
  const Node w = Make("sum", "int64");
  const Node begin = Use("Assign", w, ArrayOf<int64_t>({1}, {0}));
  Node value = Read(w, "int64");
  for (int i = 0; i < 50; ++i) value = value.After(Use("AssignAdd", w, ArrayOf<int64_t>({1}, {1})).After(begin));
  RunGives(value, 0, ArrayOf<int64_t>({1}, {50}));
}

}  // namespace

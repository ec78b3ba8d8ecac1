// tests/host/testing/op_test_test.cc: what the fixture runs, compares and finds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "opsrun/testing.h"

namespace opsrun::test {
namespace {

class OpTestItself : public OpTest {
 protected:
  Node Pad(const Shape& shape, const std::vector<int32_t>& values) {
    return Op("Pad").Input<int32_t>(shape, values).Input<int32_t>({1, 2}, {1, 0});
  }
};

TEST_F(OpTestItself, RunsAndCompares) {
  Pad({2}, {7, 8});
  EXPECT_TRUE(Run());
  ExpectOutput<int32_t>(0, {3}, {0, 7, 8});
  EXPECT_EQ(NumOutputs(), 1);
  EXPECT_EQ(Output(0).Values<int32_t>(), (std::vector<int32_t>{0, 7, 8}));
}

TEST_F(OpTestItself, ShowsWhereAnOutputDiffers) {
  Pad({2}, {7, 8});
  Run();
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {3}, {0, 5, 9}),
                          "output 0 of node 'node' differs in 2 of 3 elements; worst: at [1]: found 7, expected 5: 2 "
                          "apart\n"
                          "  found:\n[0 7 8]\n"
                          "  expected:\n[0 5 9]");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {1, 3}, {0, 7, 8}),
                          "output 0 of node 'node' is int32 [3], expected int32 [1, 3]");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<float>(0, {3}, {0, 7, 8}), "is int32 [3], expected float32 [3]");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {3}, {0, 7}),
                          "what is expected: an array of shape [3] has 3 elements, and the test gives 2");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(1, {3}, {0, 7, 8}), "there is no output 1: node 'node' gives 1");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(-1, {3}, {0, 7, 8}), "there is no output -1");
}

TEST_F(OpTestItself, ComparesWithTolerance) {
  Op("AddN").Input<float>({3}, {1, 100, NAN});
  Run();
  ExpectOutput<float>(0, {3}, {1, 100, NAN});
  ExpectOutputNear<float>(0, {3}, {1.05f, 105, NAN}, {0.05, 0.01});
  EXPECT_NONFATAL_FAILURE(
      ExpectOutputNear<float>(0, {3}, {1, 110, NAN}, {0.05, 0}),
      "differs in 1 of 3 elements; worst: at [1]: found 100.0, expected 110.0: 10 apart, at most 5.5 is "
      "allowed");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<float>(0, {3}, {1, 100, 0}), "at [2]: found nan, expected 0.0");
}

TEST_F(OpTestItself, ComparesStrings) {
  Op("IdentityN").Input<std::string>({2}, {"a", "b\n"});
  Run();
  ExpectOutput<std::string>(0, {2}, {"a", "b\n"});
  EXPECT_NONFATAL_FAILURE(ExpectOutput<std::string>(0, {2}, {"a", "c"}), "at [1]: found 'b\\n', expected 'c'");
}

TEST_F(OpTestItself, HasEveryType) {
  Op("IdentityN")
      .Input<Half>({2}, {0.5, 65504})
      .Input<BFloat16>({1}, {-3})
      .Input<std::complex<double>>({1}, {{1, 2}})
      .Input<bool>({2}, {true, false})
      .Input<unsigned long long>({1}, {7})
      .Input(ArrayOf<uint8_t>({1}, {9}, OPSRUN_DT_QUINT8));
  Run();
  ExpectOutput<Half>(0, {2}, {0.5, 65504});
  ExpectOutput<BFloat16>(1, {1}, {-3});
  ExpectOutput<std::complex<double>>(2, {1}, {{1, 2}});
  ExpectOutput<bool>(3, {2}, {true, false});
  ExpectOutput<uint64_t>(4, {1}, {7});
  EXPECT_EQ(Output(5).dtype, OPSRUN_DT_QUINT8);
  EXPECT_EQ(Output(0).Values<Half>()[1].bits(), 0x7bff);
  EXPECT_TRUE(Output(0).Values<float>().empty());
}

TEST_F(OpTestItself, FailsWhatShouldRunAndWhatShouldNot) {
  Op("Pad").Input<int32_t>({2}, {7, 8}).Input<int32_t>({2}, {1, 0});
  EXPECT_NONFATAL_FAILURE(
      Run(),
      "the run fails: G217: input:paddings: op 'Pad' does not accept these shapes: paddings "
      "must be a matrix of 2 columns, but its shape is [2]\n  note: input 'input' is [2], from feed");
  EXPECT_NONFATAL_FAILURE(RunFails("a vector"),
                          "the run fails with another message\n  expected: a vector\n  found:    G217");
  Pad({2}, {7, 8});
  EXPECT_NONFATAL_FAILURE(RunFails("a vector"), "the run succeeds, expected a failure with: a vector");
}

TEST_F(OpTestItself, HasNoOutputsBeforeARunNorAfterAFailure) {
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {}, {1}), "no op was named: call Op() first");
  EXPECT_EQ(Output(0).dtype, OPSRUN_DT_INVALID);
  EXPECT_EQ(NumOutputs(), 0);
  Node node = Pad({2}, {7, 8});
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {}, {1}), "there are no outputs: the graph has not run");
  Run();
  node.Attr("T", "float");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {}, {1}), "the graph has not run since it was changed");
  RunFails("attr 'T' is float32, but input 'input' makes it int32");
  EXPECT_NONFATAL_FAILURE(ExpectOutput<int32_t>(0, {}, {1}), "or the run failed");
  EXPECT_FALSE(Forwarded(0, 0));
}

TEST_F(OpTestItself, TellsMistakesInTheHostsWords) {
  Op("Pda");
  RunFails("G201: no op named 'Pda'\n  help: did you mean 'Pad'?");
  Pad({2}, {7, 8}).Input<int32_t>({}, {1});
  RunFails("G211: input:2: op 'Pad' has 2 inputs, but this node gives 3");
  Pad({2}, {7});
  RunFails("input:input: an array of shape [2] has 2 elements, and the test gives 1");
  Op("Words").Input<float>({1}, {1}).Input<float>({}, {1});
  RunFails("K301: no CPU kernel of 'Words' fits this node");
  Op("IdentityN");
  RunFails("IdentityN");
}

TEST_F(OpTestItself, FindsAKernelThatContradictsItsShapeFunction) {
  Op("Lies").Input<int32_t>({2}, {1, 2});
  RunFails(
      "INVALID_ARGUMENT: output:y: The kernel allocates output 0 ('y') with shape [7]; the shape function says [2] "
      "(-DOPSRUN_IGNORE_SHAPE_FNS compiles the plugin without it)");
  Op("Lies").Input<int32_t>({7}, {1, 2, 3, 4, 5, 6, 7});
  Run();
}

TEST_F(OpTestItself, GivesAttrsOfEveryKind) {
  Node node = Op("EchoAttrs");
  node.Attr("i", 3).Attr("f", 0.5).Attr("b", true).Attr("s", "text: 5").Attr("t", TypeOf<double>());
  node.Attr("shape", Shape{2, -1}).Attr("tensor", ArrayOf<int16_t>({1, 2}, {4, -5}));
  node.Attr("ints", {6, 7}).Attr("strings", std::vector<std::string>{"true", "b"});
  Run();
  ExpectOutput<std::string>(0, {}, {"3 0.500000 true text: 5 double [2,?] [1,2] of -5 7 true"});
  node.Attr("i", -1);
  RunFails("G216: attr:i: op 'EchoAttrs' does not accept these attrs: i is -1, but must not be negative");
}

TEST_F(OpTestItself, KeepsTheKernelWhileNothingButFedArraysChanges) {
  Node node = Op("Observes").Input<int32_t>({}, {1}).Fed();
  Run();
  Run();
  node.Replace(0, ArrayOf<int32_t>({}, {2}));
  Run();
  ExpectOutput<int32_t>(0, {}, {3});
  node.Replace(0, ArrayOf<float>({}, {2}));
  RunFails("feed 'node.x' must be int32 [], found float32 []");
  Node known = Op("Observes").Input<int32_t>({}, {1});
  Run();
  known.Replace(0, ArrayOf<int32_t>({}, {2}));
  Run();
  ExpectOutput<int32_t>(0, {}, {1});
  known.Replace(1, ArrayOf<int32_t>({}, {2}));
  RunFails("input 1 of node 'node' is not an array that could be replaced");
}

TEST_F(OpTestItself, RunsOnSeveralThreadsAndCutsLoops) {
  Op("Observes").Input<int32_t>({}, {1});
  Run();
  ExpectOutput<int32_t>(1, {}, {1});
  Threads(3);
  Run();
  ExpectOutput<int32_t>(1, {}, {3});
  Threads(-1);
  Run();
  ExpectOutput<int32_t>(1, {}, {1});
  ExpectOutput<bool>(2, {}, {true});
  CutLoops();
  Run();
  ExpectOutput<int32_t>(1, {}, {4});
  ExpectOutput<bool>(2, {}, {false});
}

TEST_F(OpTestItself, ChoosesAKernelByItsLabel) {
  Node node = Op("Labels");
  Run();
  ExpectOutput<std::string>(0, {}, {"plain"});
  node.Label("fast");
  Run();
  ExpectOutput<std::string>(0, {}, {"fast"});
}

TEST_F(OpTestItself, RunsSeveralNodes) {
  const Node sum = Op("AddN", "sum").Input<int32_t>({2}, {1, 2}).Input<int32_t>({2}, {10, 20});
  const Node parts = Add("Unpack", "parts").Input(sum).Attr("num", 2);
  Add("Pack", "packed").Input(parts, "output").Attr("axis", 0).After(sum);
  Run();
  ExpectOutput<int32_t>(0, {2}, {11, 22});
  ExpectOutput(parts, 1, ArrayOf<int32_t>({}, {22}));
  Add("Pad").Input(sum).Input<int32_t>({1}, {1});
  RunFails("G217: node 'node_4': input:paddings: op 'Pad' does not accept these shapes");
}

// As in a graph file: a node whose inputs are constants runs ahead, so a shape that depends on its output is known.
TEST_F(OpTestItself, KnowsWhatNodesComputeOfConstants) {
  const Node known = Op("AddN", "paddings").Input<int32_t>({1, 2}, {1, -2}).Input<int32_t>({1, 2}, {0, 1});
  Add("Pad", "padded").Input<int32_t>({2}, {7, 8}).Input(known);
  RunFails("G217: node 'padded': input:paddings: ");
  const Node late = Op("AddN", "paddings").Input<int32_t>({1, 2}, {1, -2}).Input<int32_t>({1, 2}, {0, 1}).Fed();
  Add("Pad", "padded").Input<int32_t>({2}, {7, 8}).Input(late);
  RunFails("INVALID_ARGUMENT: node 'padded': input:paddings: ");
}

TEST_F(OpTestItself, KeepsGraphsApart) {
  Node old = Pad({2}, {7, 8});
  Run();
  Node node = Op("IdentityN").Input(old);
  RunFails("node 'node' is given a node of another graph: Op() begins a new one");
  EXPECT_NONFATAL_FAILURE(ExpectOutput(old, 0, Array()), "the node is of an earlier graph");
  Op("IdentityN", "a").Input<int32_t>({}, {1});
  Add("IdentityN", "a").Input<int32_t>({}, {1});
  RunFails("two nodes of the test are called 'a'");
}

TEST_F(OpTestItself, SeesWhatIsForwarded) {
  const Array array = ArrayOf<int32_t>({2}, {1, 2});
  Op("IdentityN").Input(array).Late().Input(array);
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  EXPECT_FALSE(Forwarded(1, 0));
  EXPECT_FALSE(Forwarded(1, 1));
  EXPECT_FALSE(Forwarded(7, -1));
}

class OpTestOfNoFile : public OpTest {
 protected:
  OpTestOfNoFile() : OpTest({"no/such.so"}) {}
};

TEST_F(OpTestOfNoFile, SaysSo) {
  Op("Pad");
  RunFails("plugin file 'no/such.so' cannot be used");
}

}  // namespace
}  // namespace opsrun::test

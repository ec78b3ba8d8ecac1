// SPDX-License-Identifier: Apache-2.0
#include "host/spec/kernel_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

using Outcome = KernelChoice::Outcome;

KernelDef Kernel(const std::string& device, const std::vector<DType>& types, int priority = 0) {
  KernelDef kernel;
  kernel.op = "Op";
  kernel.device = device;
  kernel.priority = priority;
  if (!types.empty()) kernel.constraints = {{"T", AttrValue::TypeList(types)}};
  return kernel;
}

// An op with T: type, TL: list(type), k: int, m: string; and a node of it.
class ChooseKernelTest : public ::testing::Test {
 protected:
  ChooseKernelTest() { Node(DType::kFloat32); }

  void Node(DType t, const std::vector<DType>& tl = {}) {
    node_.attrs = {AttrValue::Type(t), AttrValue::TypeList(tl), AttrValue::Int(3), AttrValue::String("a")};
  }

  // The choice, which must be the same for every order of registration.
  KernelChoice Choose(const std::vector<KernelDef>& kernels, const std::string& device = "CPU",
                      const std::string& label = "") const {
    std::vector<const KernelDef*> order;
    for (const KernelDef& kernel : kernels) order.push_back(&kernel);
    const KernelChoice first = ChooseKernel(op_, node_, order, device, label);
    std::vector<const KernelDef*> other = order;
    std::reverse(other.begin(), other.end());
    const KernelChoice second = ChooseKernel(op_, node_, other, device, label);
    EXPECT_EQ(first.outcome, second.outcome);
    if (first.chosen >= 0) {
      EXPECT_EQ(order[static_cast<size_t>(first.chosen)], other[static_cast<size_t>(second.chosen)]);
    }
    return first;
  }

  OpDef op_ = MakeOp({"T: type", "TL: list(type)", "k: int", "m: string"}, {}, {});
  Signature node_;
};

TEST_F(ChooseKernelTest, TakesTheOneWhoseConstraintsHoldOfTheHighestPriority) {
  EXPECT_EQ(Choose({Kernel("CPU", {DType::kInt32}), Kernel("CPU", {DType::kFloat32, DType::kFloat16})}).chosen, 1);
  EXPECT_EQ(Choose({Kernel("CPU", {}), Kernel("CPU", {}, 2), Kernel("CPU", {}, 1), Kernel("CPU", {})}).chosen, 1);
  EXPECT_EQ(Choose({Kernel("DEFAULT", {}), Kernel("CPU", {DType::kInt32})}).chosen, 0);
  EXPECT_EQ(Choose({Kernel("DEFAULT", {}, 9), Kernel("CPU", {})}).chosen, 1);
  EXPECT_EQ(Choose({Kernel("DEFAULT", {}, 9), Kernel("DEFAULT", {})}).outcome, Outcome::kAmbiguous);
}

TEST_F(ChooseKernelTest, RefusesATie) {
  KernelChoice choice = Choose({Kernel("CPU", {DType::kFloat32}), Kernel("CPU", {}), Kernel("CPU", {}, -1)});
  EXPECT_EQ(choice.outcome, Outcome::kAmbiguous);
  EXPECT_EQ(choice.tied, (std::vector<int>{0, 1}));
  EXPECT_EQ(choice.message, "2 kernels of op 'Op' fit equally well: CPU, T in {float32}; CPU");
}

TEST_F(ChooseKernelTest, KeepsToTheDeviceAndSaysWhenOnlyConstraintsStandInTheWay) {
  KernelChoice choice = Choose({Kernel("GPU", {})});
  EXPECT_EQ(choice.outcome, Outcome::kNotFound);
  EXPECT_FALSE(choice.attr_mismatch);
  EXPECT_TRUE(Choose({Kernel("CPU", {DType::kInt32})}).attr_mismatch);
}

TEST_F(ChooseKernelTest, KeepsToTheLabel) {
  KernelDef fast = Kernel("CPU", {}, 5);
  fast.label = "fast";
  EXPECT_EQ(Choose({fast, Kernel("CPU", {})}).chosen, 1);
  EXPECT_EQ(Choose({fast, Kernel("CPU", {})}, "CPU", "fast").chosen, 0);
  EXPECT_EQ(Choose({fast, Kernel("CPU", {})}, "CPU", "slow").outcome, Outcome::kNotFound);
}

TEST_F(ChooseKernelTest, ComparesListsIntsAndStrings) {
  KernelDef kernel = Kernel("CPU", {});
  kernel.constraints = {{"TL", AttrValue::TypeList({DType::kFloat32})}};
  EXPECT_EQ(Choose({kernel}).chosen, 0);
  Node(DType::kFloat32, {DType::kFloat32, DType::kInt32});
  EXPECT_EQ(Choose({kernel}).outcome, Outcome::kNotFound);
  AttrValue ints = AttrValue::Int(3), strings = AttrValue::String("b");
  ints.type.list = strings.type.list = true;
  kernel.constraints = {{"k", ints}};
  EXPECT_EQ(Choose({kernel}).chosen, 0);
  kernel.constraints.push_back({"m", strings});
  EXPECT_EQ(Choose({kernel}).outcome, Outcome::kNotFound);
  EXPECT_EQ(FailedConstraints(op_, node_, kernel), Specs{"m"});
}

TEST_F(ChooseKernelTest, RefusesConstraintsThatMakeNoSense) {
  KernelDef kernel = Kernel("CPU", {});
  kernel.constraints = {{"U", AttrValue::TypeList({DType::kFloat32})}};
  EXPECT_EQ(Choose({kernel, Kernel("CPU", {})}).outcome, Outcome::kBadConstraint);
  kernel.constraints = {{"k", AttrValue::TypeList({DType::kFloat32})}};
  KernelChoice choice = Choose({kernel, Kernel("CPU", {})});
  EXPECT_EQ(choice.outcome, Outcome::kBadConstraint);
  EXPECT_NE(choice.message.find("'k'"), std::string::npos) << choice.message;
}

TEST(KernelText, ShowsWhatTellsKernelsApart) {
  KernelDef kernel = Kernel("GPU", {DType::kFloat32, DType::kInt32}, 2);
  kernel.label = "fast";
  EXPECT_EQ(KernelText(kernel), "GPU, T in {float32, int32}, label 'fast', priority 2");
}

}  // namespace
}  // namespace opsrun::host::spec

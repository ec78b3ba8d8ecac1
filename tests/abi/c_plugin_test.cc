// tests/abi/c_plugin_test.cc: a plugin in plain C, from a copied c_api.h, is a whole plugin.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/abi/open_plugin.h"
#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_create.h"
#include "tests/sdk/fake_shape_call.h"

namespace opsrun_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c; (c = fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

// The plugin as built by one compiler.
class CPlugin : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "built by a compiler that this machine does not have";
    plugin_ = OpenPlugin(GetParam(), host_.table());
    ASSERT_TRUE(plugin_);
  }

  FakeHost host_;
  const opsrun_plugin* plugin_ = nullptr;
};

TEST_P(CPlugin, DescribesItself) {
  ASSERT_EQ(plugin_->n_ops, 1u);
  EXPECT_EQ(Text(plugin_->name), "opsrun.tests.c");
  EXPECT_EQ(Text(plugin_->ops[0]->name), "AddOneC");
  EXPECT_EQ(Text(plugin_->ops[0]->inputs[0]), "x: int32");
  EXPECT_EQ(Text(plugin_->kernels[0]->device), "CPU");
}

TEST_P(CPlugin, CarriesItsNotes) {
  EXPECT_THAT(OutputOf(READELF " -nW '" + GetParam() + "'"),
              AllOf(HasSubstr("(0x4f500101)"), HasSubstr("(0x4f500102)"), HasSubstr("(0x4f500103)"),
                    HasSubstr("(0x4f500104)")));
}

TEST_P(CPlugin, ExportsOnlyTheEntry) {
  EXPECT_EQ(OutputOf(NM " -D --defined-only --format=just-symbols '" + GetParam() + "'"), "opsrun_plugin_v1\n");
}

TEST_P(CPlugin, InfersShapes) {
  FakeShapeCall call(host_, "[2,?]");
  const opsrun_op& op = *plugin_->ops[0];
  EXPECT_EQ(op.shape(op.shape_ctx, call.handle()), OPSRUN_OK);
  EXPECT_EQ(call.Outputs(), "in0");
}

TEST_P(CPlugin, ComputesIntoPlannedMemory) {
  FakeCall call(host_);
  call.In<int32_t>({2, 2}, {7, 0, -1, 2147483647}).Planned(OPSRUN_DT_INT32, {2, 2});
  EXPECT_EQ(call.Run(plugin_->kernels[0]->compute, nullptr), OPSRUN_OK);
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{8, 1, 0, -2147483647 - 1}));
}

TEST_P(CPlugin, AllocatesWhatIsNotPlanned) {
  FakeCall call(host_);
  call.In<int32_t>({3}, {1, 2, 3}).Out(OPSRUN_DT_INT32);
  EXPECT_EQ(call.Run(plugin_->kernels[0]->compute, nullptr), OPSRUN_OK);
  EXPECT_EQ(call.Shape(0), (std::vector<int64_t>{3}));
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{2, 3, 4}));
}

TEST_P(CPlugin, SaysWhyACreateFails) {
  FakeCreate create(host_);
  void* kernel = nullptr;
  EXPECT_EQ(create.Run(*plugin_->kernels[0], &kernel), OPSRUN_INTERNAL);
  EXPECT_EQ(create.failure().text, "AddOneC wants one input");
}

INSTANTIATE_TEST_SUITE_P(Built, CPlugin, testing::Values(C_PLUGIN_BY_GCC, C_PLUGIN_BY_CLANG),
                         [](const auto& info) { return std::string(info.index == 0 ? "ByGcc" : "ByClang"); });

}  // namespace
}  // namespace opsrun_test

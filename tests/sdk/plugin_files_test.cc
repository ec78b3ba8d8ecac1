// tests/sdk/plugin_files_test.cc: opens the plugins of tests/sdk/plugins and runs their kernels.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_create.h"
#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/registered.h"

namespace opsrun_test {
namespace {

opsrun_entry_fn Open(const std::string& name) {
  void* file = dlopen((OPSRUN_TEST_PLUGINS "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  EXPECT_NE(file, nullptr) << dlerror();
  return file == nullptr ? nullptr : reinterpret_cast<opsrun_entry_fn>(dlsym(file, OPSRUN_ENTRY_NAME));
}

// What the plugin's op Answer computes, or -1.
int32_t AnswerOf(const std::string& plugin) {
  const opsrun_kernel* kernel = RegisteredKernel("Answer", Open(plugin));
  if (kernel == nullptr || RegisteredOp("Answer", Open(plugin)) == nullptr) return -1;
  FakeHost host;
  FakeCreate create(host);
  create.Out("answer", OPSRUN_DT_INT32);
  FakeCall call(host);
  call.Planned(OPSRUN_DT_INT32, {});
  void* object = nullptr;
  if (create.Run(*kernel, &object) != OPSRUN_OK || call.Run(kernel->compute, object) != OPSRUN_OK) return -1;
  kernel->destroy(object);
  return call.Values<int32_t>(0)[0];
}

TEST(PluginFiles, WithEqualClassNamesRunTheirOwnCode) {
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  EXPECT_EQ(AnswerOf("bare_nine"), 9);
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  FakeHost host;
  EXPECT_NE(Open("bare_seven")(host.table()), Open("bare_nine")(host.table()));
}

TEST(PluginFiles, WithoutExceptionsAndTypeInformationRun) {
  EXPECT_EQ(AnswerOf("no_exceptions"), 5);
}

TEST(PluginFiles, OfUnitsThatEnterByTwoDoorsShareOneList) {
  EXPECT_EQ(AnswerOf("two_doors"), 3);
}

TEST(PluginFiles, MayForwardDeclareTheClasses) {
  EXPECT_EQ(AnswerOf("forward_declared"), 2);
  EXPECT_EQ(AnswerOf("forward_declared_opsrun"), 2);
}

TEST(Surface, ShapeFunctionsOfATutorialRun) {
  const opsrun_entry_fn entry = Open("surface");
  const auto infer = [&](const char* name, const char* inputs) {
    FakeHost host;
    FakeShapeCall call(host, inputs);
    const opsrun_op* op = RegisteredOp(name, entry);
    return op->shape(op->shape_ctx, call.handle()) == OPSRUN_OK ? call.Outputs() : "refused";
  };
  EXPECT_EQ(infer("FirstOnly", "[4]"), "in0");
  EXPECT_EQ(infer("FirstOnly", "[4,4]"), "refused");
  EXPECT_EQ(infer("Same", "[2,?]"), "in0");
  EXPECT_EQ(infer("ThreeColumns", "[7,?]"), "[d0_0,3]");
  EXPECT_EQ(infer("AllMatrices", "[2,?];[?,3]"), "[d0_0,d1_1]");
  EXPECT_EQ(infer("AllMatrices", "[2,?];[4,3]"), "refused");
  EXPECT_EQ(RegisteredOp("EveryArgument", entry)->shape, nullptr);
}

TEST(Surface, ShapeFunctionsThatComputeRun) {
  FakeHost host;
  FakeShapeCall known(host, "[4];[2]"), unknown(host, "[4];[2]"), scalar(host, "[];[2]");
  known.Value<int32_t>(1, {2}, {3, 5});
  const opsrun_op* op = RegisteredOp("Spelled", Open("surface_shapes"));
  const auto infer = [&](FakeShapeCall& call) {
    return op->shape(op->shape_ctx, call.handle()) == OPSRUN_OK ? call.Outputs() : call.failure().text;
  };
  EXPECT_EQ(infer(known), "[3,5,7]");
  EXPECT_EQ(infer(unknown), "[?,?,?]");
  EXPECT_EQ(infer(scalar), "Shape must be at least rank 1 but is rank 0: []");
}

TEST(Surface, SpecsCrossAsTheyAreWritten) {
  const opsrun_op* op = RegisteredOp("EveryAttr", Open("surface"));
  ASSERT_EQ(op->n_attrs, 14u);
  EXPECT_EQ(Text(op->attrs[0]), "enumeration: {'apple', 'orange'}");
  EXPECT_EQ(Text(op->attrs[10]), "sh: shape = { dim { size: 1 } dim { size: 2 } }");
}

struct FirstOnly {
  FakeHost host;
  FakeCreate create{host};
  FakeCall call{host};
  std::string failure;

  explicit FirstOnly(int64_t keep) {
    create.In("values", OPSRUN_DT_INT32)
        .Out("kept", OPSRUN_DT_INT32)
        .attrs.Int("keep", keep)
        .Type("T", OPSRUN_DT_INT32);
    call.In<int32_t>({3}, {7, 8, 9}).Planned(OPSRUN_DT_INT32, {3});
    for (uint32_t i = 0; i < 3; ++i) {
      const opsrun_plugin* table = Open("surface")(host.table());
      if (table->kernels[i]->constraints[0].v.ints[0] == OPSRUN_DT_INT32) Run(*table->kernels[i]);
    }
  }
  void Run(const opsrun_kernel& kernel) {
    void* object = nullptr;
    if (create.Run(kernel, &object) != OPSRUN_OK) {
      failure = create.failure().text;
      return;
    }
    if (call.Run(kernel.compute, object) != OPSRUN_OK) failure = call.failure().text;
    kernel.destroy(object);
  }
};

TEST(Surface, KernelsOfATutorialCompute) {
  EXPECT_EQ(FirstOnly(1).call.Values<int32_t>(0), (std::vector<int32_t>{0, 8, 0}));
  EXPECT_EQ(FirstOnly(-1).failure, "Need keep >= 0, got -1");
  EXPECT_EQ(FirstOnly(3).failure, "keep out of range");
}

TEST(Surface, OneClassServesTwelveTypes) {
  FakeHost host;
  EXPECT_EQ(Open("surface_types")(host.table())->n_kernels, 12u);
  EXPECT_EQ(Open("surface_eigen")(host.table())->n_kernels, 3u);
}

TEST(PluginFiles, KeepTheirCountsUnderALock) {
  const opsrun_kernel* kernel = RegisteredKernel("CountCalls", Open("surface_support"));
  ASSERT_NE(kernel, nullptr);
  FakeHost host;
  FakeCreate create(host), negative(host);
  create.In("index", OPSRUN_DT_INT32).Out("calls", OPSRUN_DT_INT32).attrs.Int("first", 5);
  negative.In("index", OPSRUN_DT_INT32).Out("calls", OPSRUN_DT_INT32).attrs.Int("first", -1);
  FakeCall call(host), wrong(host);
  call.In<int32_t>({}, {9}).Planned(OPSRUN_DT_INT32, {});
  wrong.In<int32_t>({}, {-1}).Planned(OPSRUN_DT_INT32, {});
  void *object = nullptr, *none = nullptr;
  ASSERT_EQ(create.Run(*kernel, &object), OPSRUN_OK);
  EXPECT_EQ(call.Run(kernel->compute, object), OPSRUN_OK);
  EXPECT_EQ(call.Run(kernel->compute, object), OPSRUN_OK);
  EXPECT_EQ(call.Values<int32_t>(0)[0], 7);
  EXPECT_EQ(wrong.Run(kernel->compute, object), OPSRUN_OUT_OF_RANGE);
  EXPECT_EQ(negative.Run(*kernel, &none), OPSRUN_INTERNAL);
  EXPECT_EQ(negative.failure().text.substr(0, 55), "Check failed: count_ >= 0 (-1 vs. 0) calls cannot be un");
  kernel->destroy(object);
}

}  // namespace
}  // namespace opsrun_test

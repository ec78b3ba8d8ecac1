// tests/sdk/plugin_files_test.cc: opens the plugins of tests/sdk/plugins and runs their kernels.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/sdk/test_host.h"
#include "tests/sdk/test_shape_call.h"

namespace opsrun_test {
namespace {

opsrun_entry_fn Open(const std::string& name) {
  void* file = dlopen((OPSRUN_TEST_PLUGINS "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  EXPECT_NE(file, nullptr) << dlerror();
  return file == nullptr ? nullptr : reinterpret_cast<opsrun_entry_fn>(dlsym(file, OPSRUN_ENTRY_NAME));
}

// One node of a plugin, to which a test adds inputs, outputs and attrs.
struct PluginNode {
  TestHost host;
  TestCreate create{host};
  TestCall call{host};

  // Creates the kernel and calls it `calls` times. Why it fails, or "".
  std::string Run(const opsrun_kernel* kernel, int calls = 1) {
    void* object = nullptr;
    if (kernel == nullptr) return "no kernel";
    if (create.Run(*kernel, &object) != OPSRUN_OK) return create.failure().text;
    while (calls-- > 0 && call.Run(kernel->compute, object) == OPSRUN_OK) {
    }
    kernel->destroy(object);
    return call.failure().text;
  }
};

// The result of the plugin's op Answer, or -1.
int32_t AnswerOf(const std::string& plugin) {
  if (RegisteredOp("Answer", Open(plugin)) == nullptr) return -1;
  PluginNode node;
  node.create.Out("answer", OPSRUN_DT_INT32);
  node.call.Planned(OPSRUN_DT_INT32, {});
  return node.Run(RegisteredKernel("Answer", Open(plugin))) == "" ? node.call.Values<int32_t>(0)[0] : -1;
}

TEST(PluginFiles, WithEqualClassNamesRunTheirOwnCode) {
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  EXPECT_EQ(AnswerOf("bare_nine"), 9);
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  TestHost host;
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

// The shapes that the op's shape function infers, or "refused".
std::string Inferred(const char* op_name, const char* inputs, int64_t step = 1, int64_t phase = 0) {
  TestShapeCall call(inputs);
  call.attrs.Int("step", step).Int("phase", phase);
  const opsrun_op* op = RegisteredOp(op_name, Open("surface"));
  return call.Run(op->shape, op->shape_ctx) == OPSRUN_OK ? call.Outputs() : "refused";
}

TEST(Surface, ShapeFunctionsReadAttrs) {
  EXPECT_EQ(Inferred("Decimate", "[4]"), "in0");
  EXPECT_EQ(Inferred("Decimate", "[7]", 3), "[3]");
  EXPECT_EQ(Inferred("Decimate", "[7]", 3, 1), "[2]");
  EXPECT_EQ(Inferred("Decimate", "[7]", 3, 7), "[0]");
  EXPECT_EQ(Inferred("Decimate", "[?]", 3), "[?]");
  EXPECT_EQ(Inferred("Decimate", "[4,4]"), "refused");
}

TEST(Surface, ShapeFunctionsPassOnWhatTheyKnow) {
  EXPECT_EQ(Inferred("HannWindow", "[2,?]"), "in0");
  EXPECT_EQ(Inferred("FiveNumbers", "[7,?]"), "[d0_0,5]");
  EXPECT_EQ(Inferred("MixTracks", "[2,?];[?,3]"), "[d0_0,d1_1]");
  EXPECT_EQ(Inferred("MixTracks", "[2,?];[4,3]"), "refused");
  EXPECT_EQ(RegisteredOp("MergeLogs", Open("surface"))->shape, nullptr);
}

TEST(Surface, SpecsCrossAsTheyAreWritten) {
  const opsrun_op* op = RegisteredOp("RenderSpectrum", Open("surface"));
  ASSERT_EQ(op->n_attrs, 15u);
  EXPECT_EQ(Text(op->attrs[0]), "window: {'hann', 'blackman', 'kaiser'}");
  EXPECT_EQ(Text(op->attrs[11]), "tile: shape = { dim { size: 256 } dim { size: 64 } }");
}

// The kernel of the op for that type.
const opsrun_kernel* KernelFor(const std::string& op, int32_t type, const std::string& plugin) {
  TestHost host;
  const opsrun_plugin* table = Open(plugin)(host.table());
  for (uint32_t i = 0; i < table->n_kernels; ++i) {
    const opsrun_kernel* kernel = table->kernels[i];
    if (Text(kernel->op) == op && kernel->constraints[0].v.ints[0] == type) return kernel;
  }
  return nullptr;
}

struct Decimated : PluginNode {
  std::string failure;

  Decimated(int64_t step, int64_t phase) {
    create.In("signal", OPSRUN_DT_INT32)
        .Out("thinned", OPSRUN_DT_INT32)
        .attrs.Int("step", step)
        .Int("phase", phase)
        .Type("T", OPSRUN_DT_INT32);
    call.In<int32_t>({5}, {5, 6, 7, 8, 9}).Planned(OPSRUN_DT_INT32, {2});
    failure = Run(KernelFor("Decimate", OPSRUN_DT_INT32, "surface"));
  }
};

TEST(Surface, KernelsComputeByTheirAttrs) {
  EXPECT_EQ(Decimated(3, 1).call.Values<int32_t>(0), (std::vector<int32_t>{6, 9}));
  EXPECT_EQ(Decimated(0, 0).failure, "step must be positive, found 0");
  EXPECT_EQ(Decimated(2, -1).failure, "no sample -1");
  EXPECT_EQ(Decimated(2, 5).failure, "phase is 5, but the recording ends after 5 samples");
}

template <typename T>
int64_t PlateausOf(const std::vector<T>& series, int32_t type) {
  PluginNode node;
  node.create.In("series", type).Out("plateaus", OPSRUN_DT_INT64).attrs.Type("T", type);
  node.call.In<T>({static_cast<int64_t>(series.size())}, series).Planned(OPSRUN_DT_INT64, {});
  return node.Run(KernelFor("CountPlateaus", type, "surface")) == "" ? node.call.Values<int64_t>(0)[0] : -1;
}

TEST(Surface, EachTypeRunsItsOwnClass) {
  EXPECT_EQ(PlateausOf<int32_t>({1, 1, 2, 2, 2}, OPSRUN_DT_INT32), 3);
  EXPECT_EQ(PlateausOf<float>({1, 1.001F, 1.5F, 1.501F}, OPSRUN_DT_FLOAT), 2);
}

TEST(Surface, OneClassServesTwelveTypes) {
  TestHost host;
  EXPECT_EQ(Open("surface_types")(host.table())->n_kernels, 12u);
  EXPECT_EQ(Open("surface_eigen")(host.table())->n_kernels, 3u);
}

TEST(Surface, AFunctorOfTheDeviceComputes) {
  PluginNode node;
  node.create.In("levels", OPSRUN_DT_INT16).Out("below_peak", OPSRUN_DT_INT16).attrs.Type("Level", OPSRUN_DT_INT16);
  node.call.In<int16_t>({4}, {3, 5, 1, 6}).Planned(OPSRUN_DT_INT16, {4});
  ASSERT_EQ(node.Run(KernelFor("Drawdown", OPSRUN_DT_INT16, "surface_types")), "");
  EXPECT_EQ(node.call.Values<int16_t>(0), (std::vector<int16_t>{0, 0, 4, 0}));
}

// A node of CountCalls.
struct Counted : PluginNode {
  std::string failure;

  Counted(int64_t first, int32_t index) {
    create.In("index", OPSRUN_DT_INT32).Out("calls", OPSRUN_DT_INT32).attrs.Int("first", first);
    call.In<int32_t>({}, {index}).Planned(OPSRUN_DT_INT32, {});
    failure = Run(RegisteredKernel("CountCalls", Open("surface_support")), 2);
  }
};

TEST(PluginFiles, KeepTheirCountsUnderALock) {
  const Counted counted(5, 9);
  ASSERT_EQ(counted.failure, "");
  EXPECT_EQ(counted.call.Values<int32_t>(0)[0], 7);
  EXPECT_EQ(Counted(5, -1).call.failure().code, OPSRUN_OUT_OF_RANGE);
  const Counted negative(-1, 9);
  EXPECT_EQ(negative.create.failure().code, OPSRUN_INTERNAL);
  EXPECT_EQ(negative.failure.substr(0, 55), "Check failed: count_ >= 0 (-1 vs. 0) calls cannot be un");
}

}  // namespace
}  // namespace opsrun_test

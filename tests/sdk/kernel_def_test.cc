// tests/sdk/kernel_def_test.cc: REGISTER_KERNEL_BUILDER and the definition of a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/kernel_def.h"

#include "opsrun/op_kernel.h"
#include "tests/sdk/registered.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

using opsrun::register_kernel::Name;

std::string NoteOf(const KernelDefBuilder& definition) {
  std::string note(internal::NoteSize(definition), '\0');
  internal::NoteWriter writer(note.data());
  definition.WriteNote(&writer);
  return note;
}

template <typename A, typename B>
struct PairOp : public OpKernel {
  using OpKernel::OpKernel;

 private:
  void Compute(OpKernelContext*) override {}
};

REGISTER_KERNEL_BUILDER(Name("KernelTest")
                            .Device(DEVICE_GPU)
                            .TypeConstraint<float>("T")
                            .TypeConstraint("U", {DT_INT32, DT_INT64})
                            .AttrConstraint("mode", "fast")
                            .AttrConstraint("n", {1, 2})
                            .AttrConstraint("flag", true)
                            .HostMemory("paddings")
                            .InPlace("y", "x")
                            .ReadOnlyAlias("z", "x")
                            .Capturable()
                            .Waits()
                            .Label("special")
                            .Priority(3),
                        PairOp<int, float>)
REGISTER_KERNEL_BUILDER(Name("KernelTestA").Device(DEVICE_CPU), BodyOp)
REGISTER_KERNEL_BUILDER(Name("KernelTestB").Device("CPU"), BodyOp);

TEST(KernelDef, FillsTheContractsStruct) {
  const opsrun_kernel* kernel = RegisteredKernel("KernelTest", &opsrun_plugin_v1, "special");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(Text(kernel->device), "GPU");
  EXPECT_EQ(kernel->priority, 3);
  ASSERT_EQ(kernel->n_constraints, 5u);
  EXPECT_EQ(Text(kernel->constraints[0].name), "T");
  EXPECT_EQ(kernel->constraints[0].kind, OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST);
  EXPECT_EQ(kernel->constraints[1].count, 2u);
  EXPECT_EQ(kernel->constraints[1].v.ints[1], DT_INT64);
  EXPECT_EQ(kernel->constraints[2].kind, OPSRUN_ATTR_STRING | OPSRUN_ATTR_LIST);
  EXPECT_EQ(Text(kernel->constraints[2].v.strs[0]), "fast");
  EXPECT_EQ(kernel->constraints[3].v.ints[1], 2);
  EXPECT_EQ(kernel->constraints[4].kind, OPSRUN_ATTR_BOOL | OPSRUN_ATTR_LIST);
  ASSERT_EQ(kernel->n_host_memory, 1u);
  EXPECT_EQ(Text(kernel->host_memory[0]), "paddings");
}

TEST(KernelDef, WritesItsNote) {
  EXPECT_EQ(NoteOf(Name("A").Device(DEVICE_CPU)), "A;CPU");
  EXPECT_EQ(
      NoteOf(Name("A").Device("GPU").TypeConstraint("T", {DT_INT32, DT_UINT64}).AttrConstraint("n", 1).Label("l")),
      "A;GPU;T=3,23;#l");
}

TEST(KernelDef, IsAConstant) {
  constexpr auto definition =
      Name("A").Device(DEVICE_CPU).TypeConstraint<double>("T").HostMemory("x").Label("l").Priority(1);
  static_assert(internal::NoteSize(definition) == 12);
}

TEST(KernelDef, TakesListsThatOnlyRunsKnow) {
  const std::vector<DataType> types = {DT_FLOAT, DT_DOUBLE};
  EXPECT_EQ(NoteOf(Name("A").Device(std::string("CPU")).TypeConstraint("T", types)), "A;CPU;T=1,2");
}

TEST(KernelDef, FillsInEachAlias) {
  static opsrun_kernel kernel = {};  // what Fill writes lives as long as the process
  ASSERT_TRUE(Name("A").Device(DEVICE_CPU).InPlace("y", "x").ReadOnlyAlias("z", "w").HostMemory("h").Fill(&kernel));
  ASSERT_EQ(kernel.n_aliases, 2u);
  EXPECT_EQ(Text(kernel.aliases[0].output) + Text(kernel.aliases[0].input), "yx");
  EXPECT_EQ(kernel.aliases[0].kind, OPSRUN_ALIAS_IN_PLACE);
  EXPECT_EQ(Text(kernel.aliases[1].output) + Text(kernel.aliases[1].input), "zw");
  EXPECT_EQ(kernel.aliases[1].kind, OPSRUN_ALIAS_READ_ONLY);
  EXPECT_EQ(kernel.aliases[0].reserved + kernel.aliases[1].reserved, 0u);
  ASSERT_EQ(kernel.n_host_memory, 1u);
  EXPECT_EQ(Text(kernel.host_memory[0]), "h");
}

// As many as fit, and one more.
template <typename Add>
void ExpectAtMost(int most, Add add) {
  KernelDefBuilder definition = Name("A").Device(DEVICE_CPU);
  for (int i = 0; i < most; ++i) definition = add(definition);
  // What Fill writes lives as long as the process.
  static opsrun_kernel* const kernels = new opsrun_kernel[2]();
  EXPECT_TRUE(definition.Fill(&kernels[0])) << most;
  EXPECT_FALSE(add(definition).Fill(&kernels[1])) << most;
}

TEST(KernelDef, SaysWhenItIsTooLarge) {
  ExpectAtMost(8, [](const KernelDefBuilder& def) { return def.AttrConstraint("n", 1); });
  ExpectAtMost(
      2, [](const KernelDefBuilder& def) { return def.TypeConstraint("T", std::vector<DataType>(32, DT_FLOAT)); });
  ExpectAtMost(16, [](const KernelDefBuilder& def) { return def.HostMemory("x"); });
  ExpectAtMost(8, [](const KernelDefBuilder& def) { return def.InPlace("y", "x"); });
}

TEST(RegisterKernel, WorksTwiceOnALineWithAndWithoutSemicolon) {
  EXPECT_NE(RegisteredKernel("KernelTestA"), nullptr);
  EXPECT_NE(RegisteredKernel("KernelTestB"), nullptr);
}

TEST(RegisterKernel, RunsAPrivateCompute) {
  BodyTest t;
  const opsrun_kernel* kernel = RegisteredKernel("KernelTest", &opsrun_plugin_v1, "special");
  void* object = nullptr;
  ASSERT_EQ(t.create.Run(*kernel, &object), OPSRUN_OK);
  EXPECT_EQ(t.call.Run(kernel->compute, object), OPSRUN_OK);
  kernel->destroy(object);
}

}  // namespace
}  // namespace opsrun_test

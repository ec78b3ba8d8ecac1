// tests/sdk/op_test.cc: REGISTER_OP, OPSRUN_PLUGIN, the table that the entry returns, and the plugins of
// tests/sdk/plugins, whose kernels it runs.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "opsrun/common_shape_fns.h"
#include "opsrun/kernel_def.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "tests/sdk/run_body.h"
#include "tests/sdk/test_host.h"
#include "tests/sdk/test_shape_call.h"

OPSRUN_PLUGIN("test.sdk", "1.2.3");

namespace opsrun_test {
namespace {

using opsrun::Status;
using opsrun::shape_inference::InferenceContext;

REGISTER_OP("OpTestFull")
    .Input("x: T")
    .Input("n: N * int32")
    .Output("y: T")
    .ControlOutput("done")
    .Attr("T: {float, int32} = DT_FLOAT")
    .Attr(std::string("N: int ") + ">= 1")
    .Doc(
        "Does "
        "nothing.")
    .SetIsStateful()
    .SetIsCommutative()
    .SetAllowsUninitializedInput()
    .Deprecated(7, "use another")
    .SetShapeFn(opsrun::shape_inference::UnchangedShape);

// Two on the same line, and a name that is known only at run time.
const char* const run_time_name = getenv("OPSRUN_NO_SUCH_VARIABLE") == nullptr ? "OpTestRunTime" : "";
REGISTER_OP("OpTestLeft");
REGISTER_OP(run_time_name).SetShapeFn([](InferenceContext*) { return Status::OK(); });

#define OPSRUN_TEST_REGISTER(name) REGISTER_OP(#name).Output("y: float")
OPSRUN_TEST_REGISTER(OpTestMacro);
#undef OPSRUN_TEST_REGISTER

int64_t rank = 3;
REGISTER_OP("OpTestCapturing").Output("y: float").SetShapeFn([r = &rank](InferenceContext* c) {
  c->set_output(0, c->UnknownShapeOfRank(*r));
  return Status::OK();
});
constexpr uint32_t kGradientLine = __LINE__ + 1;
REGISTER_OP("OpTestGradient").Input("x: float").Output("y: float").Gradient(R"yaml(
outputs: {x: grad.y}
)yaml");
REGISTER_OP("OpTestRunTimeGradient").Gradient(std::string("outputs: ") + "{}");
REGISTER_OP("OpTestNotDifferentiable").NotDifferentiable();
REGISTER_OP("OpTestBroadcasts").Broadcasts("(),()->()");
REGISTER_OP("OpTestBatches").Batches("(n)->()");
REGISTER_OP("OpTestThrowing").SetShapeFn([](InferenceContext*) -> Status { throw 7; });

std::vector<std::string> SpecTexts(const opsrun_str* texts, uint32_t count) {
  std::vector<std::string> list;
  for (uint32_t i = 0; i < count; ++i) list.push_back(Text(texts[i]));
  return list;
}

TEST(RegisterOp, HandsOverTheStringsAsTheyAre) {
  const opsrun_op* op = RegisteredOp("OpTestFull");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->size, sizeof(opsrun_op));
  EXPECT_EQ(SpecTexts(op->inputs, op->n_inputs), (std::vector<std::string>{"x: T", "n: N * int32"}));
  EXPECT_EQ(SpecTexts(op->outputs, op->n_outputs), std::vector<std::string>{"y: T"});
  EXPECT_EQ(SpecTexts(op->control_outputs, op->n_control_outputs), std::vector<std::string>{"done"});
  EXPECT_EQ(SpecTexts(op->attrs, op->n_attrs),
            (std::vector<std::string>{"T: {float, int32} = DT_FLOAT", "N: int >= 1"}));
  EXPECT_EQ(Text(op->doc), "Does nothing.");
  EXPECT_EQ(op->flags, OPSRUN_OP_STATEFUL | OPSRUN_OP_COMMUTATIVE | OPSRUN_OP_UNINITIALIZED_INPUT);
  EXPECT_EQ(op->deprecated_version, 7u);
  EXPECT_EQ(Text(op->deprecated_text), "use another");
  EXPECT_EQ(op->must_understand, 0u);
}

TEST(RegisterOp, WorksTwiceOnALineInMacrosAndWithRunTimeNames) {
  ASSERT_NE(RegisteredOp("OpTestLeft"), nullptr);
  EXPECT_EQ(RegisteredOp("OpTestLeft")->shape, nullptr);
  EXPECT_NE(RegisteredOp("OpTestRunTime"), nullptr);
  EXPECT_NE(RegisteredOp("OpTestMacro"), nullptr);
}

// A function, and a lambda that captures; what a third one throws stops at the boundary.
TEST(RegisterOp, TakesAnythingCallableAsShapeFunction) {
  TestShapeCall call("[2,?]");
  const auto run = [&call](const char* name) {
    const opsrun_op* op = RegisteredOp(name);
    return call.Run(op->shape, op->shape_ctx) == OPSRUN_OK ? call.Outputs() : call.failure().text;
  };
  EXPECT_EQ(run("OpTestFull"), "in0");
  EXPECT_EQ(run("OpTestCapturing"), "[?,?,?]");
  EXPECT_EQ(run("OpTestThrowing"), "The plugin threw an exception of an unknown type");
  EXPECT_EQ(call.failure().code, OPSRUN_UNKNOWN);
}

TEST(RegisterOp, KeepsAGradientAndTheLineWhereItBegins) {
  const opsrun_op* op = RegisteredOp("OpTestGradient");
  EXPECT_EQ(Text(op->gradient), "\noutputs: {x: grad.y}\n");
  EXPECT_EQ(op->gradient_line, kGradientLine);
  EXPECT_EQ(op->flags, 0u);
  EXPECT_EQ(Text(RegisteredOp("OpTestRunTimeGradient")->gradient), "outputs: {}");
  EXPECT_EQ(RegisteredOp("OpTestNotDifferentiable")->flags, OPSRUN_OP_NOT_DIFFERENTIABLE);
  EXPECT_EQ(RegisteredOp("OpTestNotDifferentiable")->gradient.size, 0u);
}

TEST(RegisterOp, SaysHowItTreatsBatches) {
  EXPECT_EQ(Text(RegisteredOp("OpTestBroadcasts")->batch), "(),()->()");
  EXPECT_EQ(RegisteredOp("OpTestBroadcasts")->flags, OPSRUN_OP_BROADCASTS);
  EXPECT_EQ(Text(RegisteredOp("OpTestBatches")->batch), "(n)->()");
  EXPECT_EQ(RegisteredOp("OpTestBatches")->flags, 0u);
}

TEST(Entry, AnswersEveryHostWithOneTable) {
  TestHost one, two;
  const opsrun_plugin* table = opsrun_plugin_v1(one.table());
  EXPECT_EQ(opsrun_plugin_v1(two.table()), table);
  EXPECT_EQ(table->size, sizeof(opsrun_plugin));
  EXPECT_EQ(table->min_level, OPSRUN_TARGET_LEVEL);
  EXPECT_EQ(Text(table->name), "test.sdk");
  EXPECT_EQ(Text(table->version), "1.2.3");
}

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
                            .ReadOnlyAlias("z", "w")
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
  ASSERT_EQ(kernel->n_aliases, 2u);
  EXPECT_EQ(Text(kernel->aliases[0].output) + Text(kernel->aliases[0].input), "yx");
  EXPECT_EQ(kernel->aliases[0].kind, OPSRUN_ALIAS_IN_PLACE);
  EXPECT_EQ(Text(kernel->aliases[1].output) + Text(kernel->aliases[1].input), "zw");
  EXPECT_EQ(kernel->aliases[1].kind, OPSRUN_ALIAS_READ_ONLY);
  EXPECT_EQ(kernel->aliases[0].reserved + kernel->aliases[1].reserved, 0u);
}

TEST(KernelDef, WritesItsNote) {
  EXPECT_EQ(NoteOf(Name("A").Device(DEVICE_CPU)), "A;CPU");
  EXPECT_EQ(
      NoteOf(Name("A").Device("GPU").TypeConstraint("T", {DT_INT32, DT_UINT64}).AttrConstraint("n", 1).Label("l")),
      "A;GPU;T=3,23;#l");
  const std::vector<DataType> known_at_run_time = {DT_FLOAT, DT_DOUBLE};
  EXPECT_EQ(NoteOf(Name("A").Device(std::string("CPU")).TypeConstraint("T", known_at_run_time)), "A;CPU;T=1,2");
  constexpr auto constant =
      Name("A").Device(DEVICE_CPU).TypeConstraint<double>("T").HostMemory("x").Label("l").Priority(1);
  static_assert(internal::NoteSize(constant) == 12);
}

// As many as fit, and one more.
template <typename Add>
void ExpectAtMost(int most, Add add) {
  KernelDefBuilder definition = Name("A").Device(DEVICE_CPU);
  for (int i = 0; i < most; ++i) definition = add(definition);
  // What Fill allocates lives as long as the process.
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

opsrun_entry_fn Open(const std::string& name) {
  void* file = dlopen((OPSRUN_TEST_PLUGINS "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  EXPECT_NE(file, nullptr) << dlerror();
  return file == nullptr ? nullptr : reinterpret_cast<opsrun_entry_fn>(dlsym(file, OPSRUN_ENTRY_NAME));
}

// The result of the plugin's op Answer, or -1.
int32_t AnswerOf(const std::string& plugin) {
  const opsrun_kernel* kernel = RegisteredKernel("Answer", Open(plugin));
  TestHost host;
  TestCreate create(host);
  TestCall call(host);
  create.Out("answer", OPSRUN_DT_INT32);
  call.Planned(OPSRUN_DT_INT32, {});
  void* object = nullptr;
  if (kernel == nullptr || RegisteredOp("Answer", Open(plugin)) == nullptr) return -1;
  if (create.Run(*kernel, &object) != OPSRUN_OK) return -1;
  const int32_t code = call.Run(kernel->compute, object);
  kernel->destroy(object);
  return code == OPSRUN_OK ? call.Values<int32_t>(0)[0] : -1;
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

}  // namespace

}  // namespace opsrun_test

// tests/host/run/create_test.cc: what a kernel may ask for while it is made, and what is left if it cannot be made.
// SPDX-License-Identifier: Apache-2.0

#include "host/run/host_table.h"
#include "host/tensor/resources.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/counting_device.h"
#include "tests/host/run/int_kernels.h"

namespace opsrun::host {
namespace {

// What the creation of the next kernels asks for, and how it ends.
std::function<int32_t(opsrun_create*)> asked;
int objects = 0;
int32_t CreateAsked(void*, opsrun_create* create, void** kernel) {
  const int32_t code = asked(create);
  objects += code == OPSRUN_OK;
  *kernel = &objects;
  return code;
}
void DestroyAsked(void*) {
  --objects;
}

constexpr char kBothRefused[] = "G216 4:11\nG216 5:11\n";

class CreateTest : public ::testing::Test {
 protected:
  CreateTest() {
    ops_.Add({.name = "Asks", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"level: int = 1"}}, SameShape,
             AddOne, CreateAsked);
    ops_.LastKernel().destroy = DestroyAsked;
    objects = 0;
  }
  // The errors of a graph of two such nodes, or "" if they were made; then they are destroyed again.
  std::string Make(std::function<int32_t(opsrun_create*)> what) {
    asked = std::move(what);
    ops_.diagnostics = {};
    const Plan* plan = ops_.Make(
        "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: Asks, in: x}\n"
        "  b: {op: Asks, in: a, attrs: {level: 2}}\noutputs: [b]\n",
        host_.get());
    EXPECT_EQ(objects, plan == nullptr ? 0 : 2);
    ops_.Forget();
    EXPECT_EQ(objects, 0);
    EXPECT_EQ(device_->used(), 0u);
    return ops_.Places();
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  InProcessOps ops_;
};

int32_t Temporary(opsrun_create* create, int32_t dtype, int32_t rank, const int64_t* dims) {
  const opsrun_tensor* temp = nullptr;
  if (int32_t code = create->host->allocate_temp(create, dtype, rank, dims, 0, &temp)) return code;
  create->host->release(temp);
  return OPSRUN_OK;
}

TEST_F(CreateTest, ACallSaysWhatItIs) {
  EXPECT_EQ(Make([this](opsrun_create* create) {
              EXPECT_EQ(create->size, sizeof(opsrun_create));
              EXPECT_EQ(create->kind, OPSRUN_KIND_CREATE);
              EXPECT_EQ(create->host, host_.get());
              EXPECT_EQ(create->device.type, OPSRUN_DEVICE_CPU);
              EXPECT_EQ(std::string(create->op.data, create->op.size), "Asks");
              EXPECT_EQ(std::string(create->node.data, create->node.size), create->attrs[0].v.i == 2 ? "b" : "a");
              EXPECT_EQ(create->n_in + create->n_out, 2u);
              EXPECT_EQ(create->in_types[0], OPSRUN_DT_INT32);
              EXPECT_EQ(create->out_types[0], OPSRUN_DT_INT32);
              return int32_t{OPSRUN_OK};
            }),
            "");
}

TEST_F(CreateTest, ATemporaryIsGivenBackAndRefusedIfItHasNoShape) {
  const int64_t dims[] = {2, 3};
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_FLOAT, 2, dims); }), "");
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_STRING, 0, nullptr); }), "");
  const int64_t negative[] = {0, -1};
  for (const auto& [rank, dims] :
       {std::pair<int32_t, const int64_t*>{2, negative}, {1, nullptr}, {33, negative}, {-1, negative}}) {
    EXPECT_EQ(Make([r = rank, d = dims](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INT32, r, d); }),
              kBothRefused);
  }
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INVALID, 0, nullptr); }),
            kBothRefused);
}

TEST_F(CreateTest, NoMemoryIsNoFaultOfTheGraph) {
  device_->FailIn(1);
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INT32, 0, nullptr); }), "D401 5:11\n");
  EXPECT_EQ(Make([&](opsrun_create*) { return OPSRUN_RESOURCE_EXHAUSTED; }), "D401 4:11\nD401 5:11\n");
}

// A plan that is made without resources, as for a look at a graph, has none.
TEST_F(CreateTest, WithoutResourcesOneIsRefused) {
  const auto ask = [](opsrun_create* create) {
    const opsrun_resource* r = nullptr;
    return create->host->resource(create, C(""), C("r"), C("int"), nullptr, nullptr, nullptr, &r);
  };
  int32_t answer = OPSRUN_OK;
  EXPECT_EQ(Make([&](opsrun_create* create) { return answer = ask(create); }), kBothRefused);
  EXPECT_EQ(answer, OPSRUN_UNIMPLEMENTED);
  EXPECT_EQ(Make([&](opsrun_create* create) {
              return answer = create->host->resource_delete(create, C(""), C("r"), C("int"));
            }),
            kBothRefused);
  EXPECT_EQ(answer, OPSRUN_UNIMPLEMENTED);
}

TEST_F(CreateTest, TheAttrThatIsBlamedIsThePlace) {
  EXPECT_EQ(Make([](opsrun_create* create) {
              if (create->attrs[0].v.i == 1) return int32_t{OPSRUN_OK};
              create->host->fail(create, OPSRUN_INVALID_ARGUMENT, C("first"), C("attr:level"));
              return create->host->fail(create, OPSRUN_INTERNAL, C("second"), C("input:x"));
            }),
            "G216 5:39\n");
}

// The host's last refusal is told once.
TEST_F(CreateTest, ARefusalIsTakenOnce) {
  EXPECT_EQ(Make([](opsrun_create* create) {
              const opsrun_tensor* temp = nullptr;
              if (int32_t code = create->host->allocate_temp(create, OPSRUN_DT_INT32, 0, nullptr, 0, &temp))
                return code;
              const int32_t refused = create->host->string_assign(temp, 0, "x", 1);
              create->host->release(temp);
              return refused == OPSRUN_INVALID_ARGUMENT ? OPSRUN_OK : OPSRUN_INTERNAL;
            }),
            "");
  EXPECT_EQ(TakeRefusal(host_.get()).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(TakeRefusal(host_.get()).code(), OPSRUN_OK);
}

}  // namespace
}  // namespace opsrun::host

// tests/host/run/shape_slots_test.cc: what the slots of a shape function answer at the edges of what they are given.
// SPDX-License-Identifier: Apache-2.0

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

std::function<void(opsrun_shape_call*)> to_infer;
int32_t InferIt(void*, opsrun_shape_call* call) {
  to_infer(call);
  return OPSRUN_OK;
}

// Calls `what` as the shape function of a node with inputs [3] and [?] and two outputs, and looks at the first one.
std::string ShapeAfter(std::function<void(opsrun_shape_call*)> what) {
  to_infer = std::move(what);
  InProcessOps ops;
  ops.Add({.name = "Infer", .inputs = {"a: int32", "b: int32"}, .outputs = {"p: int32", "q: int32"}}, InferIt, AddOne);
  const Plan* plan = ops.Make(
      "feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\n"
      "nodes: {n: {op: Infer, in: [x, d]}}\noutputs: [n.p]\n",
      HostTable());
  if (plan == nullptr) return ops.Places();
  const PlanValue& value = plan->values[plan->outputs[0].value];
  return value.rank_known ? ShapeText(value.shape) : "?";
}

constexpr int32_t kRefused = OPSRUN_INVALID_ARGUMENT;
constexpr int32_t kAtFault = OPSRUN_INTERNAL;  // what no graph can cause

TEST(ShapeSlots, TheFirstReasonCounts) {
  InProcessOps ops;
  const auto refuse = [](void*, opsrun_shape_call* c) {
    c->host->set_output_shape(c, 9, c->in[0]);  // what the host refuses counts less
    c->host->fail(c, OPSRUN_RESOURCE_EXHAUSTED, C("first"), C("input:b"));
    return c->host->fail(c, OPSRUN_OK, C("second"), C("input:a"));  // a failure, whatever its code
  };
  ops.Add({.name = "Infer", .inputs = {"a: int32", "b: int32"}, .outputs = {"p: int32"}}, refuse, AddOne);
  const Plan* plan = ops.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes: {n: {op: Infer, in: [x, x]}}\noutputs: [n]\n", HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops.Places(), "G217 3:32\n");
}

TEST(ShapeSlots, ACallSaysWhatItIs) {
  ShapeAfter([](opsrun_shape_call* c) {
    EXPECT_EQ(c->size, sizeof(opsrun_shape_call));
    EXPECT_EQ(c->kind, OPSRUN_KIND_SHAPE_CALL);
    EXPECT_EQ(c->host, HostTable());
    EXPECT_EQ(c->n_attrs, 0u);
    EXPECT_EQ(c->n_in_args, 2u);
    EXPECT_EQ(c->n_out_args, 2u);
    EXPECT_EQ(c->n_in, 2u);
    EXPECT_EQ(c->n_out, 2u);
  });
}

TEST(ShapeSlots, OutputsAreWhatWasSetLast) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call*) {}), "?");
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              EXPECT_EQ(c->host->set_output_shape(c, 0, c->in[1]), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 0, c->in[0]), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 1, c->in[1]), OPSRUN_OK);
            }),
            "[3]");
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              c->host->set_output_shape(c, 0, c->in[0]);
              EXPECT_EQ(c->host->set_output_shape(c, 0, nullptr), OPSRUN_OK);
            }),
            "?");
}

// A shape or a dimension that the host did not make would be read long after it is gone.
TEST(ShapeSlots, HandlesOfOthersAreRefused) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_dim dim = *c->in[0]->dims[0];
              const opsrun_dim* const dims[] = {&dim};
              opsrun_shape shape = *c->in[0];
              const opsrun_dim* own = c->in[1]->dims[0];
              const opsrun_dim* made = nullptr;
              const opsrun_shape* made_shape = nullptr;
              EXPECT_EQ(c->host->set_output_shape(c, 0, &shape), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 0, &shape), kAtFault);
              EXPECT_EQ(c->host->make_shape(c, 1, dims, &made_shape), kAtFault);
              EXPECT_EQ(c->host->equate(c, &dim, own), kAtFault);
              EXPECT_EQ(c->host->equate(c, own, &dim), kAtFault);
              EXPECT_EQ(c->host->dim_op(c, OPSRUN_DIM_ADD, &dim, own, &made), kAtFault);
              EXPECT_EQ(c->host->dim_op(c, OPSRUN_DIM_ADD, own, &dim, &made), kAtFault);
            }),
            "?");
}

TEST(ShapeSlots, IndicesEndWhereInputsAndOutputsEnd) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_tensor* value = nullptr;
              const opsrun_shape* spelled = nullptr;
              EXPECT_EQ(c->host->set_output_shape(c, 2, c->in[0]), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 2, c->in[0]), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 1, c->in[0]), OPSRUN_OK);
              EXPECT_EQ(c->host->want_value(c, 2, &value, &spelled), kAtFault);
              EXPECT_EQ(c->host->want_value(c, 1, &value, &spelled), OPSRUN_OK);
              EXPECT_EQ(value, nullptr);
              EXPECT_EQ(spelled, nullptr);
              EXPECT_EQ(c->host->want_value(c, 0, nullptr, nullptr), OPSRUN_OK);
              EXPECT_EQ(c->host->want_value(c, 0, &value, &spelled), OPSRUN_OK);
              ASSERT_NE(value, nullptr);
              EXPECT_EQ(Ints(value)[2], 3);
              ASSERT_NE(spelled, nullptr);
              EXPECT_EQ(spelled->dims[2]->value, 3);
            }),
            "?");
}

// The others are in tests/host/spec/shape_engine_test.cc.
TEST(ShapeSlots, SizesAndRanksHaveLimits) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_dim* dim = nullptr;
              const opsrun_shape* elements = nullptr;
              EXPECT_EQ(c->host->make_dim(c, -3, &dim), OPSRUN_OK) << "the number -2";
              EXPECT_EQ(c->host->make_shape(c, 1, &dim, &elements), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 0, elements), kRefused);
              EXPECT_EQ(c->host->equate(c, dim, dim), kRefused);
              EXPECT_EQ(c->host->make_dim(c, INT64_MAX, &dim), OPSRUN_OK);
              EXPECT_EQ(dim->value, INT64_MAX);
              EXPECT_EQ(c->host->make_dim(c, -1, &dim), OPSRUN_OK);
              EXPECT_EQ(dim->value, -1);
              const std::vector<const opsrun_dim*> dims(33, dim);
              const opsrun_shape* shape = nullptr;
              EXPECT_EQ(c->host->make_shape(c, 33, dims.data(), &shape), kRefused);
              EXPECT_EQ(c->host->make_shape(c, -1, nullptr, &shape), OPSRUN_OK);
              EXPECT_EQ(shape->rank, -1);
              EXPECT_EQ(c->host->set_output_shape(c, 0, shape), OPSRUN_OK);
            }),
            "?");
}

}  // namespace
}  // namespace opsrun::host

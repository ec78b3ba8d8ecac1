// tests/host/plan/infer_shapes_test.cc: what a shape function can get wrong whatever the graph is its plugin's fault.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/infer_shapes.h"

#include <gtest/gtest.h>

#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

// What comes of a shape function, of an op with two inputs and one output, that returns what its primitive returns.
template <typename Primitive>
Status Infer(const Primitive& primitive) {
  spec::ShapeEngine engine;
  const CallArrays arrays({}, {}, {}, PlanTable());
  ShapeCall call(PlanTable(), arrays, engine, {engine.Unknown(), engine.Unknown()}, {nullptr, nullptr}, 1);
  const auto run = [](void* ctx, opsrun_shape_call* c) {
    return (*static_cast<const Primitive*>(ctx))(static_cast<ShapeCall&>(*c));
  };
  return call.Run(run, const_cast<Primitive*>(&primitive), {DType::kInt32});
}

TEST(ShapeCall, BlamesThePluginForAnIndexOutOfRange) {
  const Status value = Infer([](ShapeCall& call) { return call.WantValue(2, nullptr, nullptr); });
  EXPECT_EQ(value.code(), OPSRUN_INTERNAL);
  EXPECT_EQ(value.message(), "the shape function uses input 2 (counted from 0); the op has 2 inputs");
  const Status output = Infer([](ShapeCall& call) { return call.SetOutput(7, nullptr); });
  EXPECT_EQ(output.code(), OPSRUN_INTERNAL);
  EXPECT_EQ(output.message(), "the shape function uses output 7 (counted from 0); the op has 1 output");
  EXPECT_EQ(Infer([](ShapeCall& call) { return call.SetOutputValue(1, nullptr); }).code(), OPSRUN_INTERNAL);
}

// A primitive's refusal counts only if the function fails.
TEST(ShapeCall, GoesOnAfterARefusalIfTheFunctionDoes) {
  EXPECT_TRUE(Infer([](ShapeCall& call) { return call.SetOutput(7, nullptr), OPSRUN_OK; }).ok());
}

}  // namespace

}  // namespace opsrun::host

// tests/sdk/infer.h: runs shape inference on shapes written as text, in the grammar of fake_shape_call.h.
//
//   Infer("[1,?];[2]", UnchangedShape) == "in0"
//   InferShape("?", [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), 2, out); }) == "[?,?]"
//
// A failure reads "error: " and its sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "opsrun/internal/trampoline.h"
#include "opsrun/shape_inference.h"
#include "tests/sdk/fake_shape_call.h"

namespace opsrun_test {

using opsrun::Status;
using opsrun::shape_inference::DimensionHandle;
using opsrun::shape_inference::InferenceContext;
using opsrun::shape_inference::ShapeHandle;

// Runs the shape function as a host would, and gives the outputs.
template <typename Fn>
std::string Infer(FakeShapeCall& call, Fn fn) {
  const int32_t code = opsrun::internal::ShapeTrampoline<Fn>(&fn, call.handle());
  return code == OPSRUN_OK ? call.Outputs() : "error: " + call.failure().text;
}

template <typename Fn>
std::string Infer(const std::string& inputs, Fn fn) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  return Infer(call, fn);
}

// Runs body(context), which sets no output and must not fail.
template <typename Body>
void InContext(FakeShapeCall& call, Body body) {
  EXPECT_EQ(Infer(call,
                  [&](InferenceContext* c) {
                    body(c);
                    return Status::OK();
                  }),
            "?");
}

template <typename Body>
void InContext(const std::string& inputs, Body body) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  InContext(call, body);
}

// Output 0 becomes the shape that method(context, &shape) gives.
template <typename Method>
std::string InferShape(FakeShapeCall& call, Method method) {
  return Infer(call, [&](InferenceContext* c) {
    ShapeHandle out = c->Scalar();
    const Status status = method(c, &out);
    EXPECT_TRUE(status.ok() || !out.IsSet()) << "a failing method left a result";
    if (status.ok()) c->set_output(0, out);
    return status;
  });
}

template <typename Method>
std::string InferShape(const std::string& inputs, Method method) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  return InferShape(call, method);
}

// The dimension that method(context, &dim) gives.
template <typename Method>
std::string InferDim(FakeShapeCall& call, Method method) {
  const std::string vector = InferShape(call, [&](InferenceContext* c, ShapeHandle* out) {
    *out = ShapeHandle();
    DimensionHandle dim = c->MakeDim(0);
    const Status status = method(c, &dim);
    EXPECT_TRUE(status.ok() || !dim.IsSet()) << "a failing method left a result";
    if (status.ok()) *out = c->Vector(dim);
    return status;
  });
  return vector[0] == '[' ? vector.substr(1, vector.size() - 2) : vector;
}

template <typename Method>
std::string InferDim(const std::string& inputs, Method method) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  return InferDim(call, method);
}

}  // namespace opsrun_test

// tests/sdk/infer.h: runs shape inference on calls written as text, in the syntax of test_shape_call.h.
//
//   Infer("[1,?];[2]", UnchangedShape) == "in0"
//   InferShape("?", [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), 2, out); }) == "[?,?]"
//
// A failure is "error: " and its message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "tests/sdk/test_shape_call.h"

namespace opsrun_test {

using opsrun::Status;
using opsrun::shape_inference::DimensionHandle;
using opsrun::shape_inference::InferenceContext;
using opsrun::shape_inference::ShapeHandle;

// Runs the shape function as a host would, and returns the outputs.
template <typename Fn>
std::string Infer(TestShapeCall& call, Fn fn) {
  const int32_t code = call.Run(&opsrun::internal::ShapeTrampoline<Fn>, &fn);
  return code == OPSRUN_OK ? call.Outputs() : "error: " + call.failure().text;
}

template <typename Fn>
std::string Infer(const std::string& inputs, Fn fn) {
  TestShapeCall call(inputs);
  return Infer(call, fn);
}

// Checks each "CALL -> OUTPUTS" of the text; they are separated by " | " or line ends. After a failure OUTPUTS is
// "error: MESSAGE", or only the code, such as "INVALID_ARGUMENT". Each call has its own attrs, followed by `attrs`; of
// several attrs with the same name the first counts.
template <typename Fn>
void ExpectShapes(Fn fn, const std::string& rows, const std::string& attrs = "") {
  std::istringstream lines(std::regex_replace(rows, std::regex(" \\| "), "\n"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" ->");
    if (arrow == std::string::npos) continue;
    const std::string outputs = line.substr(arrow + 3 + (line.size() > arrow + 3));
    TestShapeCall call(line.substr(0, arrow) + (attrs.empty() ? "" : " ") + attrs);
    std::string inferred = Infer(call, fn);
    if (call.failure().code != OPSRUN_OK && outputs.rfind("error: ", 0) != 0)
      inferred = opsrun::internal::CodeName(call.failure().code);
    EXPECT_EQ(inferred, outputs) << line;
  }
}

// The same for a body that returns nothing.
template <typename Call, typename Body>
std::string InferBody(Call&& call, Body body) {
  return Infer(call, [&](InferenceContext* c) {
    body(c);
    return Status();
  });
}

// Runs body(context), which must set no output and must not fail.
template <typename Call, typename Body>
void InContext(Call&& call, Body body) {
  EXPECT_EQ(InferBody(call, body), "?");
}

// The shape function whose output 0 is the shape that method(context, &shape) returns.
template <typename Method>
auto ShapeOf(Method method) {
  return [method](InferenceContext* c) {
    ShapeHandle out = c->Scalar();
    const Status status = method(c, &out);
    EXPECT_TRUE(status.ok() || !out.IsSet()) << "a failing method left a result";
    if (status.ok()) c->set_output(0, out);
    return status;
  };
}

// The same for a dimension, which is the only one of output 0.
template <typename Method>
auto DimOf(Method method) {
  return ShapeOf([method](InferenceContext* c, ShapeHandle* out) {
    *out = ShapeHandle();
    DimensionHandle dim = c->MakeDim(0);
    const Status status = method(c, &dim);
    EXPECT_TRUE(status.ok() || !dim.IsSet()) << "a failing method left a result";
    if (status.ok()) *out = c->Vector(dim);
    return status;
  });
}

template <typename Call, typename Method>
std::string InferShape(Call&& call, Method method) {
  return Infer(call, ShapeOf(method));
}

template <typename Call, typename Method>
std::string InferDim(Call&& call, Method method) {
  const std::string vector = Infer(call, DimOf(method));
  return vector[0] == '[' ? vector.substr(1, vector.size() - 2) : vector;
}

}  // namespace opsrun_test

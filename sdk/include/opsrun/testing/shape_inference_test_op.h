// opsrun/testing/shape_inference_test_op.h: calls the shape function of an op as planning does.
//
// Does not need GoogleTest. Tests use it through infer_ok.h, which describes the notation for shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing/array.h"
#include "opsrun/testing/attr_value.h"
#include "opsrun/testing/plugin_files.h"

namespace opsrun::test {

// One op, with the settings of its node in a graph. This is a handle: copies refer to the same op. The type of an input
// is that of its value; otherwise it follows from the attrs that are set, then from the values of inputs of the same
// type, then from defaults. A type that is still open is float if the op allows it, otherwise the first type that the
// op allows. The length of a list follows from the number of shapes.
class ShapeInferenceTestOp {
 public:
  // `op`: the name of the op in a graph. If its plugin is rejected or the op does not exist, inference fails.
  explicit ShapeInferenceTestOp(std::string op, const PluginFiles& files = DefaultPluginFiles());

  ShapeInferenceTestOp& Attr(const std::string& name, const AttrValue& value);

  // Sets the value of input i, which is then known before the run; i counts the tensors of flattened lists.
  ShapeInferenceTestOp& Value(int i, const Array& value);
  template <typename T>
  ShapeInferenceTestOp& Value(int i, Shape shape, const std::vector<T>& values) {
    return Value(i, ArrayOf<T>(std::move(shape), values));
  }
  // Sets a partially known value of input i, written as the shape that the value holds: "[2,?]".
  ShapeInferenceTestOp& ValueAsShape(int i, const std::string& shape);
  ShapeInferenceTestOp& ForgetValues();

  // The result of the shape function: "[d0_0,?];in1" in the notation of infer_ok.h, or "INVALID_ARGUMENT: input:x:
  // message".
  std::string Infer(const std::string& inputs) const;

  // Empty if the result is as expected, otherwise the differences.
  std::string WhyNotOk(const std::string& inputs, const std::string& expected) const;
  // Empty if the shape function fails and the result of Infer contains `text`, otherwise what happened instead.
  std::string WhyNotError(const std::string& text, const std::string& inputs) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace opsrun::test

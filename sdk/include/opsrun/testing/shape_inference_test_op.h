// opsrun/testing/shape_inference_test_op.h: an op's shape function, called as planning calls it.
//
// Without GoogleTest; tests use it through infer_ok.h, which says how shapes are written.
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

// One op, with what a graph would say of the node. A handle: copies are the same op. The type of an input is that of
// its value; else it follows from the attrs that are set, then from values of inputs of the same type, then from
// defaults; what is still open is float if the op allows that, else the first type that it allows. The length of a list
// follows from the number of shapes.
class ShapeInferenceTestOp {
 public:
  // `op` as a graph names it. A plugin that is refused, and an op that is not there, fail what is inferred.
  explicit ShapeInferenceTestOp(std::string op, const PluginFiles& files = DefaultPluginFiles());

  ShapeInferenceTestOp& Attr(const std::string& name, const AttrValue& value);

  // Input i, lists counted through, has this value, which is known before the run.
  ShapeInferenceTestOp& Value(int i, const Array& value);
  template <typename T>
  ShapeInferenceTestOp& Value(int i, Shape shape, const std::vector<T>& values) {
    return Value(i, ArrayOf<T>(std::move(shape), values));
  }
  // The value of input i is known in part: as the shape that it spells, "[2,?]".
  ShapeInferenceTestOp& ValueAsShape(int i, const std::string& shape);
  ShapeInferenceTestOp& ForgetValues();

  // What the shape function says: "[d0_0,?];in1" in the words above, or "INVALID_ARGUMENT: input:x: why not".
  std::string Infer(const std::string& inputs) const;

  // Empty if it says what is expected, else what differs.
  std::string WhyNotOk(const std::string& inputs, const std::string& expected) const;
  // Empty if it fails and `text` is in what Infer answers then, else what happened instead.
  std::string WhyNotError(const std::string& text, const std::string& inputs) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace opsrun::test

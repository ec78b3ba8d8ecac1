// adapters/tensorflow/native/attrs.h: attrs of a node of TensorFlow as attrs of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "opsrun/embed.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "view.h"

namespace opsrun_tf {

// The value of an attr of a node, or null.
using FindAttr = std::function<const tensorflow::AttrValue*(const std::string& name)>;

// The values that a node gives, as structs that borrow from it. What it does not give has its default in opsrun, and
// so has a tensor without a type (opsrun/tf/_tensor_attrs.py).
class AttrValues {
 public:
  // Throws Failure for tensors that opsrun does not have.
  AttrValues(const tensorflow::OpDef& op, const FindAttr& find);
  AttrValues(const AttrValues&) = delete;
  const std::vector<opsrun_attr>& all() const { return attrs_; }

 private:
  void SetOne(const std::string& type, const tensorflow::AttrValue& value, opsrun_attr& attr);
  void SetList(const std::string& type, const tensorflow::AttrValue::ListValue& list, opsrun_attr& attr);
  opsrun_partial ShapeOf(const tensorflow::TensorShapeProto& shape);
  const opsrun_tensor* TensorOf(const tensorflow::TensorProto& proto);

  struct KeptTensor {
    tensorflow::Tensor tensor;
    View view;
  };

  std::vector<opsrun_attr> attrs_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<opsrun_str>> strs_;
  std::deque<std::vector<opsrun_partial>> shapes_;
  std::deque<std::vector<const opsrun_tensor*>> tensors_;
  std::deque<KeptTensor> kept_;
};

}  // namespace opsrun_tf

// adapters/tensorflow/native/attrs.h: attrs of a TensorFlow node as attrs of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "adapters/common/attrs.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "view.h"

namespace opsrun_tf {

// Returns the value of an attr of a node; null if it is not set.
using FindAttr = std::function<const tensorflow::AttrValue*(const std::string& name)>;

// The attrs that a node sets. Others have their defaults in opsrun, and so do tensors without a type (see
// opsrun/tf/_tensor_attrs.py).
class AttrValues {
 public:
  // Throws Failure for tensors of types that opsrun does not have.
  AttrValues(const tensorflow::OpDef& op, const FindAttr& find);
  std::vector<opsrun_attr> all() const { return list_.all(); }

 private:
  void Add(uint32_t kind, const tensorflow::AttrValue& value);
  void AddShape(const tensorflow::TensorShapeProto& shape);
  void AddTensor(const tensorflow::TensorProto& proto);

  opsrun_adapter::AttrList list_;
  std::deque<Owner> tensors_;
};

}  // namespace opsrun_tf

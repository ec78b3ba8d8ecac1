// adapters/pytorch/native/attrs.h: attrs of opsrun as arguments of PyTorch's operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/ivalue.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "opsrun/embed_host.h"
#include "view.h"

namespace opsrun_torch {

// An attr that calls may give. type: as its spec says, such as "list(type)".
struct AttrSpec {
  std::string name;
  std::string type;
};

// The values of a call as structs of opsrun. What is None is left out: opsrun infers it or takes its default.
class AttrValues {
 public:
  AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values);
  AttrValues(const AttrValues&) = delete;
  const std::vector<opsrun_attr>& all() const { return attrs_; }

 private:
  opsrun_attr Convert(const AttrSpec& spec, const c10::IValue& value);
  void ConvertOne(const std::string& type, const c10::IValue& value, opsrun_attr& attr);
  void ConvertList(const std::string& type, const c10::IValue& value, opsrun_attr& attr);
  opsrun_str Keep(const std::string& text);
  opsrun_partial ShapeOf(const c10::IValue& sizes);
  const opsrun_tensor* TensorOf(const at::Tensor& tensor);

  std::vector<opsrun_attr> attrs_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<opsrun_str>> strs_;
  std::deque<std::vector<opsrun_partial>> shapes_;
  std::deque<std::vector<const opsrun_tensor*>> tensors_;
  std::deque<Input> views_;
};

// The other way: None for what no argument can express, which the op then fills in itself. Raises for tensors that
// PyTorch does not have.
c10::IValue ValueOf(const opsrun_attr& attr);

// Whether two calls give an attr the same value, bit for bit. Requires of tensors: IsReadable.
bool SameValue(const c10::IValue& a, const c10::IValue& b);

// Whether the elements of a tensor are there: not in a trace, nor on the device meta.
bool IsReadable(const at::Tensor& tensor);

// Calls fn for the tensors of a value, if it is one or a list of them, until it returns true; whether it did.
bool AnyTensorOf(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& fn);

// The value with copies of its tensors, which their owners may change.
c10::IValue Keep(const c10::IValue& value);

}  // namespace opsrun_torch

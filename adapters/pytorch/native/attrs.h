// adapters/pytorch/native/attrs.h: attrs of opsrun as arguments of PyTorch's operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/ivalue.h>

#include <deque>
#include <string>
#include <vector>

#include "opsrun/embed_host.h"

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

  std::vector<opsrun_attr> attrs_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<opsrun_str>> strs_;
  std::deque<std::vector<opsrun_partial>> shapes_;
};

// The other way: None for what no argument can express, which the op then fills in itself.
c10::IValue ValueOf(const opsrun_attr& attr);

// Whether two calls give an attr the same value, bit for bit.
bool SameValue(const c10::IValue& a, const c10::IValue& b);

}  // namespace opsrun_torch

// adapters/pytorch/native/attrs.h: attrs of opsrun as arguments of PyTorch's operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/ivalue.h>

#include <deque>
#include <string>
#include <vector>

#include "adapters/common/attrs.h"
#include "view.h"

namespace opsrun_torch {

// An attr that calls may give. type: as its spec says, such as "list(type)".
struct AttrSpec {
  std::string name;
  std::string type;
};

// The values of a call. What is None is left out: opsrun infers it or takes its default.
class AttrValues {
 public:
  AttrValues(const std::vector<AttrSpec>& specs, c10::ArrayRef<c10::IValue> values);
  std::vector<opsrun_attr> all() const { return list_.all(); }

 private:
  void Add(uint32_t kind, const c10::IValue& value);
  void AddTensor(const at::Tensor& tensor);

  opsrun_adapter::AttrList list_;
  std::deque<Input> tensors_;
};

// The other way: None for what no argument can express, which the op then fills in itself. Raises for tensors that
// PyTorch does not have.
c10::IValue ValueOf(const opsrun_attr& attr);

// Whether two calls give an attr the same value, bit for bit. Requires of tensors: IsReadable.
bool SameValue(const c10::IValue& a, const c10::IValue& b);

// Whether the elements of a tensor are there: not in a trace, nor on the device meta.
bool IsReadable(const at::Tensor& tensor);

// Calls fn for each tensor of some values, lists flattened, until it returns true; whether it did.
template <typename Fn>
bool AnyTensor(c10::ArrayRef<c10::IValue> values, Fn fn) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      if (fn(value.toTensor())) return true;
    } else if (value.isTensorList()) {
      for (const c10::IValue& each : value.toListRef()) {
        if (fn(each.toTensor())) return true;
      }
    }
  }
  return false;
}

template <typename Fn>
void ForEachTensor(c10::ArrayRef<c10::IValue> values, Fn fn) {
  AnyTensor(values, [&](const at::Tensor& tensor) { return fn(tensor), false; });
}
inline std::vector<at::Tensor> TensorsOf(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  ForEachTensor(values, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

// The value with copies of its tensors, which their owners may change.
c10::IValue Keep(const c10::IValue& value);

}  // namespace opsrun_torch

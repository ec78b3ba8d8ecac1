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

// An attr that calls may set. type: as in the op's spec, such as "list(type)".
struct AttrSpec {
  std::string name;
  std::string type;
};

// The attrs of a call. Arguments that are None are left out; opsrun then infers them or uses the default.
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

// The reverse conversion. None for a value that no argument can express; the op then determines it itself. Raises for
// tensors of types that PyTorch does not have.
c10::IValue ValueOf(const opsrun_attr& attr);

// True if two calls set an attr to the same value, bit for bit. Requires: tensors satisfy IsReadable.
bool SameValue(const c10::IValue& a, const c10::IValue& b);

// False for tensors without accessible elements: in a trace, or on the device meta.
bool IsReadable(const at::Tensor& tensor);

// Calls fn for each tensor in some values, lists flattened, until it returns true. True if it did.
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

// The value with copies of its tensors, since their owners may change them.
c10::IValue Keep(const c10::IValue& value);

}  // namespace opsrun_torch

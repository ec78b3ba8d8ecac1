// adapters/common/attrs.h: attr values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

// The OPSRUN_ATTR_* of a type in a spec; "list(int)" is OPSRUN_ATTR_INT | OPSRUN_ATTR_LIST.
uint32_t KindOf(std::string_view type);

// Element i of a list, or the single value.
inline int64_t IntOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.ints[i] : attr.v.i;
}
inline double FloatOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.floats[i] : attr.v.f;
}
inline opsrun_str StrOf(const opsrun_attr& attr, uint64_t i) {
  return (attr.kind & OPSRUN_ATTR_LIST) != 0 ? attr.v.strs[i] : attr.v.s;
}

// The attrs of a call. Tensors are borrowed; other values are stored here.
class AttrList {
 public:
  AttrList() = default;
  AttrList(const AttrList&) = delete;

  // Begins an attr; its elements, or its single value, are added next. kind: OPSRUN_ATTR_*.
  void Begin(std::string_view name, uint32_t kind);
  void AddInt(int64_t value) { list_.back().ints.push_back(value); }  // also for bools and types
  void AddFloat(double value) { list_.back().floats.push_back(value); }
  void AddText(std::string_view value) { list_.back().strs.push_back(Keep(value)); }
  void AddShape(std::vector<int64_t> sizes);  // -1: an unknown size
  void AddUnknownShape() { list_.back().shapes.push_back({-1, 0, nullptr}); }
  void AddTensor(const opsrun_tensor* tensor) { list_.back().tensors.push_back(tensor); }

  // The attrs borrow from this object.
  std::vector<opsrun_attr> all() const;

 private:
  // Copies a text; the result lives as long as this object.
  opsrun_str Keep(std::string_view text);

  struct Values {
    opsrun_str name;
    uint32_t kind;
    std::vector<int64_t> ints;
    std::vector<double> floats;
    std::vector<opsrun_str> strs;
    std::vector<opsrun_partial> shapes;
    std::vector<const opsrun_tensor*> tensors;
  };
  std::deque<Values> list_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> sizes_;
};

}  // namespace opsrun_adapter

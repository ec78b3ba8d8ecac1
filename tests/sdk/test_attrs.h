// tests/sdk/test_attrs.h: attrs as a host passes them to create and to shape functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun_test {

inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}
inline std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

// Copies that live as long as this object, at addresses that do not change.
class Kept {
 public:
  template <typename T>
  const T* All(std::vector<T> values) {
    auto kept = std::make_shared<std::vector<T>>(std::move(values));
    all_.push_back(kept);
    return kept->data();
  }
  opsrun_str Text(const std::string& text) { return {All(std::vector<char>(text.begin(), text.end())), text.size()}; }
  std::vector<opsrun_str> Texts(const std::vector<std::string>& texts) {
    std::vector<opsrun_str> kept;
    for (const std::string& text : texts) kept.push_back(Text(text));
    return kept;
  }

 private:
  std::vector<std::shared_ptr<void>> all_;
};

class TestAttrs {
 public:
  TestAttrs& Int(const std::string& name, int64_t value) { return One(name, OPSRUN_ATTR_INT, value); }
  TestAttrs& Bool(const std::string& name, bool value) { return One(name, OPSRUN_ATTR_BOOL, value); }
  TestAttrs& Type(const std::string& name, int32_t dtype) { return One(name, OPSRUN_ATTR_TYPE, dtype); }
  TestAttrs& Float(const std::string& name, double value) {
    return Add(name, OPSRUN_ATTR_FLOAT, 1, [&](auto& v) { v.f = value; });
  }
  TestAttrs& String(const std::string& name, const std::string& value) {
    return Add(name, OPSRUN_ATTR_STRING, 1, [&](auto& v) { v.s = kept_.Text(value); });
  }
  TestAttrs& Tensor(const std::string& name, const opsrun_tensor* value) {
    return Add(name, OPSRUN_ATTR_TENSOR, 1, [&](auto& v) { v.tensors = kept_.All(std::vector{value}); });
  }
  // A size of -1 is unknown.
  TestAttrs& Shape(const std::string& name, const std::vector<int64_t>& sizes) {
    return Add(name, OPSRUN_ATTR_SHAPE, 1, [&](auto& v) { v.shapes = Partials({sizes}); });
  }
  TestAttrs& UnknownShape(const std::string& name) {
    return Add(name, OPSRUN_ATTR_SHAPE, 1, [&](auto& v) { v.shapes = kept_.All(std::vector<opsrun_partial>{{-1}}); });
  }

  TestAttrs& Ints(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_INT, values);
  }
  TestAttrs& Bools(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_BOOL, values);
  }
  TestAttrs& Types(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_TYPE, values);
  }
  TestAttrs& Floats(const std::string& name, const std::vector<double>& values) {
    return Add(name, OPSRUN_ATTR_FLOAT | kList, values.size(), [&](auto& v) { v.floats = kept_.All(values); });
  }
  TestAttrs& Strings(const std::string& name, const std::vector<std::string>& values) {
    return Add(name, OPSRUN_ATTR_STRING | kList, values.size(),
               [&](auto& v) { v.strs = kept_.All(kept_.Texts(values)); });
  }
  TestAttrs& Shapes(const std::string& name, const std::vector<std::vector<int64_t>>& shapes) {
    return Add(name, OPSRUN_ATTR_SHAPE | kList, shapes.size(), [&](auto& v) { v.shapes = Partials(shapes); });
  }

  // Valid until an attr is added.
  const opsrun_attr* data() const { return attrs_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(attrs_.size()); }

 private:
  static constexpr uint32_t kList = OPSRUN_ATTR_LIST;

  template <typename Set>
  TestAttrs& Add(const std::string& name, uint32_t kind, uint64_t count, Set set) {
    opsrun_attr attr = {};
    attr.name = kept_.Text(name);
    attr.kind = kind;
    attr.count = count;
    set(attr.v);
    attrs_.push_back(attr);
    return *this;
  }
  TestAttrs& One(const std::string& name, uint32_t kind, int64_t value) {
    return Add(name, kind, 1, [&](auto& v) { v.i = value; });
  }
  TestAttrs& Many(const std::string& name, uint32_t kind, const std::vector<int64_t>& values) {
    return Add(name, kind | kList, values.size(), [&](auto& v) { v.ints = kept_.All(values); });
  }
  const opsrun_partial* Partials(const std::vector<std::vector<int64_t>>& shapes) {
    std::vector<opsrun_partial> partials;
    for (const auto& sizes : shapes) partials.push_back({static_cast<int32_t>(sizes.size()), 0, kept_.All(sizes)});
    return kept_.All(partials);
  }

  std::vector<opsrun_attr> attrs_;
  Kept kept_;
};

}  // namespace opsrun_test

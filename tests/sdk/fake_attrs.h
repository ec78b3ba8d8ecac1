// tests/sdk/fake_attrs.h: attrs and arguments as a host hands them to create and to shape functions.
//
// Owns all that the arrays point to. What is added later leaves earlier values where they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun_test {

class FakeAttrs {
 public:
  FakeAttrs& Int(const std::string& name, int64_t value) { return One(name, OPSRUN_ATTR_INT, value); }
  FakeAttrs& Bool(const std::string& name, bool value) { return One(name, OPSRUN_ATTR_BOOL, value); }
  FakeAttrs& Type(const std::string& name, int32_t dtype) { return One(name, OPSRUN_ATTR_TYPE, dtype); }

  FakeAttrs& Float(const std::string& name, double value) {
    Add(name, OPSRUN_ATTR_FLOAT, 1).v.f = value;
    return *this;
  }
  FakeAttrs& String(const std::string& name, const std::string& value) {
    Add(name, OPSRUN_ATTR_STRING, 1).v.s = Keep(value);
    return *this;
  }
  FakeAttrs& Tensor(const std::string& name, const opsrun_tensor* value) {
    tensors_.push_back({value});
    Add(name, OPSRUN_ATTR_TENSOR, 1).v.tensors = tensors_.back().data();
    return *this;
  }
  // -1 among the sizes is an unknown one.
  FakeAttrs& Shape(const std::string& name, const std::vector<int64_t>& sizes) {
    return Partials(name, OPSRUN_ATTR_SHAPE, {sizes});
  }
  FakeAttrs& UnknownShape(const std::string& name) {
    Shape(name, {});
    partials_.back()[0].rank = -1;
    return *this;
  }

  FakeAttrs& Ints(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_INT, values);
  }
  FakeAttrs& Bools(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_BOOL, values);
  }
  FakeAttrs& Types(const std::string& name, const std::vector<int64_t>& values) {
    return Many(name, OPSRUN_ATTR_TYPE, values);
  }
  FakeAttrs& Floats(const std::string& name, const std::vector<double>& values) {
    floats_.push_back(values);
    Add(name, OPSRUN_ATTR_FLOAT | OPSRUN_ATTR_LIST, values.size()).v.floats = floats_.back().data();
    return *this;
  }
  FakeAttrs& Strings(const std::string& name, const std::vector<std::string>& values) {
    std::vector<opsrun_str> slots;
    for (const std::string& value : values) slots.push_back(Keep(value));
    strings_.push_back(std::move(slots));
    Add(name, OPSRUN_ATTR_STRING | OPSRUN_ATTR_LIST, values.size()).v.strs = strings_.back().data();
    return *this;
  }
  FakeAttrs& Shapes(const std::string& name, const std::vector<std::vector<int64_t>>& shapes) {
    return Partials(name, OPSRUN_ATTR_SHAPE | OPSRUN_ATTR_LIST, shapes);
  }

  const opsrun_attr* data() const { return attrs_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(attrs_.size()); }

 private:
  opsrun_attr& Add(const std::string& name, uint32_t kind, uint64_t count) {
    opsrun_attr attr = {};
    attr.name = Keep(name);
    attr.kind = kind;
    attr.count = count;
    attrs_.push_back(attr);
    return attrs_.back();
  }
  FakeAttrs& One(const std::string& name, uint32_t kind, int64_t value) {
    Add(name, kind, 1).v.i = value;
    return *this;
  }
  FakeAttrs& Many(const std::string& name, uint32_t kind, const std::vector<int64_t>& values) {
    ints_.push_back(values);
    Add(name, kind | OPSRUN_ATTR_LIST, values.size()).v.ints = ints_.back().data();
    return *this;
  }
  FakeAttrs& Partials(const std::string& name, uint32_t kind, const std::vector<std::vector<int64_t>>& shapes) {
    std::vector<opsrun_partial> partials;
    for (const std::vector<int64_t>& sizes : shapes) {
      ints_.push_back(sizes);
      partials.push_back({static_cast<int32_t>(sizes.size()), 0, ints_.back().data()});
    }
    partials_.push_back(std::move(partials));
    Add(name, kind, shapes.size()).v.shapes = partials_.back().data();
    return *this;
  }
  opsrun_str Keep(const std::string& text) {
    texts_.push_back(text);
    return {texts_.back().data(), texts_.back().size()};
  }

  std::vector<opsrun_attr> attrs_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<opsrun_str>> strings_;
  std::deque<std::vector<opsrun_partial>> partials_;
  std::deque<std::vector<const opsrun_tensor*>> tensors_;
};

// The named ranges of a flat list of inputs or outputs.
class FakeArgs {
 public:
  void Add(const std::string& name, uint32_t count, uint32_t flags) {
    texts_.push_back(name);
    args_.push_back({{texts_.back().data(), texts_.back().size()}, total_, count, flags, 0});
    total_ += count;
  }
  const opsrun_arg* data() const { return args_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(args_.size()); }

 private:
  std::vector<opsrun_arg> args_;
  std::deque<std::string> texts_;
  uint32_t total_ = 0;
};

}  // namespace opsrun_test

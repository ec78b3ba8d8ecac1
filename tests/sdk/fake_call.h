// tests/sdk/fake_call.h: creates kernel objects and calls compute on a FakeHost, with vectors as inputs and outputs.
//
//   FakeHost host;
//   FakeCreate create(host);
//   create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32).attrs.Int("k", 3);
//   void* kernel = nullptr;
//   EXPECT_EQ(create.Run(*table->kernels[0], &kernel), OPSRUN_OK);
//   FakeCall call(host);
//   call.In<int32_t>({2}, {7, 8}).Planned(OPSRUN_DT_INT32, {2});
//   EXPECT_EQ(call.Run(compute, kernel), OPSRUN_OK);
//   EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{8, 9}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

// Attrs as a host passes them to create and to shape functions. Owns everything that the arrays point to; adding attrs
// does not move earlier values.
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
  // A size of -1 is unknown.
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

class FakeCreate {
 public:
  explicit FakeCreate(FakeHost& host, std::string op = "Op", std::string node = "node")
      : host_(host), op_(std::move(op)), node_(std::move(node)) {
    create_.size = sizeof(create_);
    create_.kind = OPSRUN_KIND_CREATE;
    create_.host = host.table();
    create_.device = {OPSRUN_DEVICE_CPU, 0};
  }
  ~FakeCreate() { host_.ForgetFailure(&create_); }
  FakeCreate(const FakeCreate&) = delete;
  FakeCreate& operator=(const FakeCreate&) = delete;

  FakeCreate& In(const std::string& name, int32_t dtype, uint32_t flags = 0) {
    return Arg(name, {dtype}, flags, &in_args_, &in_types_);
  }
  FakeCreate& InList(const std::string& name, const std::vector<int32_t>& dtypes) {
    return Arg(name, dtypes, OPSRUN_ARG_LIST, &in_args_, &in_types_);
  }
  FakeCreate& Out(const std::string& name, int32_t dtype, uint32_t flags = 0) {
    return Arg(name, {dtype}, flags, &out_args_, &out_types_);
  }
  FakeCreate& OutList(const std::string& name, const std::vector<int32_t>& dtypes) {
    return Arg(name, dtypes, OPSRUN_ARG_LIST, &out_args_, &out_types_);
  }

  // Valid until an attr or an argument is added.
  opsrun_create* handle() {
    create_.op = Str(op_);
    create_.node = Str(node_);
    create_.attrs = attrs.data();
    create_.n_attrs = attrs.size();
    create_.in_args = in_args_.data();
    create_.n_in_args = in_args_.size();
    create_.out_args = out_args_.data();
    create_.n_out_args = out_args_.size();
    create_.in_types = in_types_.data();
    create_.n_in = static_cast<uint32_t>(in_types_.size());
    create_.out_types = out_types_.data();
    create_.n_out = static_cast<uint32_t>(out_types_.size());
    return &create_;
  }

  int32_t Run(const opsrun_kernel& kernel, void** object) {
    host_.ForgetFailure(&create_);
    return kernel.create(kernel.ctx, handle(), object);
  }

  Failure failure() { return host_.FirstFailure(&create_); }

  FakeAttrs attrs;

 private:
  FakeCreate& Arg(const std::string& name, const std::vector<int32_t>& dtypes, uint32_t flags, FakeArgs* args,
                  std::vector<int32_t>* types) {
    args->Add(name, static_cast<uint32_t>(dtypes.size()), flags);
    types->insert(types->end(), dtypes.begin(), dtypes.end());
    return *this;
  }

  FakeHost& host_;
  std::string op_, node_;
  opsrun_create create_ = {};
  FakeArgs in_args_, out_args_;
  std::vector<int32_t> in_types_, out_types_;
};

// The data type of a C++ type; types without one must be given explicitly.
template <typename T>
constexpr int32_t DtypeOf() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if (std::is_same_v<T, bool>) return OPSRUN_DT_BOOL;
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? OPSRUN_DT_FLOAT : OPSRUN_DT_DOUBLE;
  if (!std::is_integral_v<T>) return OPSRUN_DT_INVALID;
  if (sizeof(T) == 1) return is_signed ? OPSRUN_DT_INT8 : OPSRUN_DT_UINT8;
  if (sizeof(T) == 2) return is_signed ? OPSRUN_DT_INT16 : OPSRUN_DT_UINT16;
  if (sizeof(T) == 4) return is_signed ? OPSRUN_DT_INT32 : OPSRUN_DT_UINT32;
  return is_signed ? OPSRUN_DT_INT64 : OPSRUN_DT_UINT64;
}
template <typename T>
inline constexpr int32_t kDtypeOf = DtypeOf<T>();

// A tensor of the host with these values.
template <typename T>
FakeTensor* NewTensorOf(FakeHost& host, const std::vector<int64_t>& shape, const std::vector<T>& values,
                        int32_t dtype = kDtypeOf<T>) {
  FakeTensor* tensor = host.NewFrameTensor(dtype);
  tensor->Allocate(static_cast<int32_t>(shape.size()), shape.data());
  for (std::size_t i = 0; i < values.size(); ++i) static_cast<T*>(tensor->view.data)[i] = values[i];
  return tensor;
}

class FakeCall {
 public:
  explicit FakeCall(FakeHost& host) : host_(host) {
    call_.size = sizeof(call_);
    call_.kind = OPSRUN_KIND_CALL;
    call_.host = host.table();
    call_.run_id = 1;
  }
  ~FakeCall() { host_.ForgetFailure(&call_); }
  FakeCall(const FakeCall&) = delete;
  FakeCall& operator=(const FakeCall&) = delete;

  // Inputs, in order.
  template <typename T>
  FakeCall& In(const std::vector<int64_t>& shape, const std::vector<T>& values, int32_t dtype = kDtypeOf<T>) {
    return In(NewTensorOf(host_, shape, values, dtype));
  }
  FakeCall& InStrings(const std::vector<int64_t>& shape, const std::vector<std::string>& values) {
    FakeTensor* tensor = NewTensorOf<opsrun_str>(host_, shape, {}, OPSRUN_DT_STRING);
    for (std::size_t i = 0; i < values.size(); ++i) tensor->AssignString(i, values[i].data(), values[i].size());
    return In(tensor);
  }
  FakeCall& In(FakeTensor* tensor) {
    in_.push_back(&tensor->view);
    return *this;
  }

  // Outputs, in order: with memory and shape planned before the run, or left to allocate_output.
  FakeCall& Planned(int32_t dtype, const std::vector<int64_t>& shape) {
    Out(dtype);
    outputs_.back()->Allocate(static_cast<int32_t>(shape.size()), shape.data());
    outputs_.back()->view.flags |= OPSRUN_TENSOR_PLANNED;
    return *this;
  }
  FakeCall& Out(int32_t dtype) {
    outputs_.push_back(host_.NewFrameTensor(dtype));
    out_.push_back(&outputs_.back()->view);
    return *this;
  }

  // This call is the last reader of input i.
  FakeCall& Forwardable(uint32_t i) {
    call_.forwardable |= uint64_t{1} << i;
    return *this;
  }

  // The frame; valid until the next input or output is added.
  opsrun_call* frame() {
    call_.in = in_.data();
    call_.out = out_.data();
    call_.n_in = static_cast<uint32_t>(in_.size());
    call_.n_out = static_cast<uint32_t>(out_.size());
    return &call_;
  }

  // Can be called several times: each run starts with outputs that are not made.
  int32_t Run(int32_t (*compute)(void*, opsrun_call*), void* kernel) {
    host_.ForgetFailure(&call_);
    for (FakeTensor* output : outputs_) {
      output->made = false;
      if (!(output->view.flags & OPSRUN_TENSOR_PLANNED)) output->Forget();
    }
    return compute(kernel, frame());
  }

  template <typename T>
  std::vector<T> Values(uint32_t i) const {
    const T* data = static_cast<const T*>(out_[i]->data);
    return std::vector<T>(data, data + outputs_[i]->Count());
  }
  std::vector<std::string> Strings(uint32_t i) const {
    std::vector<std::string> texts;
    for (const opsrun_str& slot : Values<opsrun_str>(i)) texts.push_back(Text(slot));
    return texts;
  }
  const std::vector<int64_t>& Shape(uint32_t i) const { return outputs_[i]->shape; }

  // True once the plugin has allocated, set or forwarded output i.
  bool Made(uint32_t i) const { return outputs_[i]->made; }
  const opsrun_tensor* Output(uint32_t i) const { return out_[i]; }
  const opsrun_tensor* Input(uint32_t i) const { return in_[i]; }

  Failure failure() { return host_.FirstFailure(&call_); }

 private:
  FakeHost& host_;
  opsrun_call call_ = {};
  std::vector<const opsrun_tensor*> in_;
  std::vector<opsrun_tensor*> out_;
  std::vector<FakeTensor*> outputs_;
};

}  // namespace opsrun_test

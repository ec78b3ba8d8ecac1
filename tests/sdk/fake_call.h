// tests/sdk/fake_call.h: one compute call on a FakeHost, from vectors to vectors.
//
//   FakeHost host;
//   FakeCall call(host);
//   call.In<int32_t>({2}, {7, 8}).Planned(OPSRUN_DT_INT32, {2});
//   EXPECT_EQ(call.Run(compute, kernel), OPSRUN_OK);
//   EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{8, 9}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

// The data type of a C++ type; types without one need it said.
template <typename T>
inline constexpr int32_t kDtypeOf = OPSRUN_DT_INVALID;
template <>
inline constexpr int32_t kDtypeOf<float> = OPSRUN_DT_FLOAT;
template <>
inline constexpr int32_t kDtypeOf<double> = OPSRUN_DT_DOUBLE;
template <>
inline constexpr int32_t kDtypeOf<bool> = OPSRUN_DT_BOOL;
template <>
inline constexpr int32_t kDtypeOf<int8_t> = OPSRUN_DT_INT8;
template <>
inline constexpr int32_t kDtypeOf<int16_t> = OPSRUN_DT_INT16;
template <>
inline constexpr int32_t kDtypeOf<int32_t> = OPSRUN_DT_INT32;
template <>
inline constexpr int32_t kDtypeOf<int64_t> = OPSRUN_DT_INT64;
template <>
inline constexpr int32_t kDtypeOf<uint8_t> = OPSRUN_DT_UINT8;
template <>
inline constexpr int32_t kDtypeOf<uint16_t> = OPSRUN_DT_UINT16;
template <>
inline constexpr int32_t kDtypeOf<uint32_t> = OPSRUN_DT_UINT32;
template <>
inline constexpr int32_t kDtypeOf<uint64_t> = OPSRUN_DT_UINT64;

// A tensor of the host's with these values.
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

  // Outputs, in order: with memory and shape laid out before the run, or left to allocate_output.
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

  // May be called several times: each run starts with outputs that are not made.
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

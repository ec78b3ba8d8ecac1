// tests/sdk/fake_shape_call.h: one run of a shape function on a FakeHost.
//
//   FakeShapeCall call(host, "[1,?];[2]", 1);
//   EXPECT_EQ(op.shape(op.shape_ctx, call.handle()), OPSRUN_OK);
//   EXPECT_EQ(call.Outputs(), "[d0_0,2]");
//
// Shapes are written as "?" or "[2,?]", separated by ";". In Outputs, "in0" is the same handle as input 0 and "d0_1"
// the same as its dimension 1; if several inputs share a handle, the last one counts. An output that was never set is
// "?".
//
// The text may have more details of the call: "[2,3];[]=<1>;[2]=[3,?] keep_dims=true axes=[0,1] n=2 format=NHWC
// outputs=3". Input 1 has the int32 value 1 ("<1>L" is int64, "<1>f" float32; for an input "?" it is a vector), the
// elements of input 2 are partly known, then follow attrs (a bool, ints, an int and a string), and there are 3 outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

class FakeShapeCall {
 public:
  FakeShapeCall(FakeHost& host, const std::string& text, uint32_t n_out = 1);
  ~FakeShapeCall();
  FakeShapeCall(const FakeShapeCall&) = delete;
  FakeShapeCall& operator=(const FakeShapeCall&) = delete;

  // By default every input and output has its own argument, "in0" and "out0".
  FakeShapeCall& InArg(const std::string& name, uint32_t count, uint32_t flags = 0);
  FakeShapeCall& OutArg(const std::string& name, uint32_t count, uint32_t flags = 0);

  // The value of input i is known.
  template <typename T>
  FakeShapeCall& Value(uint32_t i, const std::vector<int64_t>& shape, const std::vector<T>& values,
                       int32_t dtype = kDtypeOf<T>) {
    values_[i] = &NewTensorOf(host_, shape, values, dtype)->view;
    return *this;
  }
  // Partly known elements of input i: a shape in which "-2" is a number and "nothing" an unknown one.
  FakeShapeCall& ValueAsShape(uint32_t i, const std::string& shape);

  // Valid until an attr or an argument is added.
  opsrun_shape_call* handle();

  const opsrun_shape* Input(uint32_t i) const { return in_[i]; }
  const opsrun_shape* Output(uint32_t i) const { return out_[i]; }
  const opsrun_shape* OutputValue(uint32_t i) const { return out_values_[i]; }  // null: not set
  std::string Outputs() const;
  std::string Label(const opsrun_shape* shape) const;
  std::string Label(const opsrun_dim* dim) const;

  // What the function reported and requested.
  const std::vector<std::pair<const opsrun_dim*, const opsrun_dim*>>& equated() const { return equated_; }
  const std::vector<uint32_t>& dim_ops() const { return dim_ops_; }
  const std::set<uint32_t>& wanted() const { return wanted_; }

  Failure failure() { return host_.FirstFailure(&call_); }

  // The primitives, called through the table.
  int32_t MakeDim(int64_t value, const opsrun_dim** dim);
  int32_t MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape);
  int32_t SetOutput(uint32_t i, const opsrun_shape* shape);
  int32_t Equate(const opsrun_dim* a, const opsrun_dim* b);
  int32_t DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out);
  int32_t WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape);
  int32_t SetOutputValue(uint32_t i, const opsrun_shape* shape);

  FakeAttrs attrs;

 private:
  const opsrun_shape* Parse(const std::string& text);
  void SetKnown(uint32_t i, const std::string& text);
  void SetAttr(const std::string& text);
  const opsrun_shape* ElementsOf(const opsrun_tensor& tensor);
  int32_t Refuse(const std::string& text);
  bool Owns(const void* handle) const;

  FakeHost& host_;
  opsrun_shape_call call_ = {};
  std::deque<opsrun_dim> dims_;
  std::deque<opsrun_shape> shapes_;
  std::deque<std::vector<const opsrun_dim*>> dim_lists_;
  std::set<const void*> owned_;
  FakeArgs in_args_, out_args_;
  std::vector<const opsrun_shape*> in_, out_, out_values_;
  std::vector<const opsrun_tensor*> values_;
  std::vector<const opsrun_shape*> values_as_shapes_;
  std::vector<std::pair<const opsrun_dim*, const opsrun_dim*>> equated_;
  std::vector<uint32_t> dim_ops_;
  std::set<uint32_t> wanted_;
};

}  // namespace opsrun_test

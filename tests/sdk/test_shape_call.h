// tests/sdk/test_shape_call.h: runs a shape function on a TestHost of its own.
//
//   TestShapeCall call("[1,?];[2]", 1);
//   EXPECT_EQ(call.Run(op.shape, op.shape_ctx), OPSRUN_OK);
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
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/test_host.h"

namespace opsrun_test {

class TestShapeCall {
 public:
  explicit TestShapeCall(const std::string& text, uint32_t n_out = 1);
  ~TestShapeCall();

  // By default every input and output has its own argument, "in0" and "out0".
  TestShapeCall& InArg(const std::string& name, uint32_t count, uint32_t flags = 0) {
    in_args_.Add(name, std::vector<int32_t>(count), flags);
    return *this;
  }
  TestShapeCall& OutArg(const std::string& name, uint32_t count, uint32_t flags = 0) {
    out_args_.Add(name, std::vector<int32_t>(count), flags);
    return *this;
  }

  // The value of input i is known.
  template <typename T>
  TestShapeCall& Value(uint32_t i, const std::vector<int64_t>& shape, const std::vector<T>& values,
                       int32_t dtype = kDType<T>) {
    return SetValue(i, TestTensor(shape, values, dtype));
  }
  // Partly known elements of input i: a shape in which "-2" is a number and "nothing" an unknown one.
  TestShapeCall& ValueAsShape(uint32_t i, const std::string& shape);

  int32_t Run(int32_t (*shape)(void*, opsrun_shape_call*), void* ctx);
  const Failure& failure() const { return failure_; }  // of the last run

  // Of the last run.
  const opsrun_shape* Output(uint32_t i) const;
  std::string Outputs() const;
  std::string OutputValue(uint32_t i) const;  // as for ValueAsShape; "": not set
  std::vector<uint32_t> dim_ops() const;      // that the host was asked for
  std::set<uint32_t> wanted() const;          // inputs whose values were requested

  // The equal dimensions that the host has learned in all runs: "d0_1=4".
  std::vector<std::string> equated() const;

  TestHost host;
  TestAttrs attrs;

 private:
  struct Impl;
  const opsrun_shape* Parse(const std::string& text);
  TestShapeCall& SetValue(uint32_t i, const TestTensor& value);
  void SetKnown(uint32_t i, const std::string& text);
  void SetAttr(const std::string& text);
  std::string Label(const opsrun_shape* shape) const;
  std::string Label(const opsrun_dim* dim) const;

  const std::unique_ptr<Impl> impl_;
  uint32_t n_out_;
  TestArgs in_args_, out_args_;
  Failure failure_;
};

}  // namespace opsrun_test

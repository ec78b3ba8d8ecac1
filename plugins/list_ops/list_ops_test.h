// plugins/list_ops/list_ops_test.h: what the tests of all ops of this plugin have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opsrun/testing.h"

namespace list_ops_test {

using opsrun::test::Array;
using opsrun::test::ArrayOf;
using opsrun::test::BFloat16;
using opsrun::test::Half;
using opsrun::test::Node;
using opsrun::test::NumberTypes;
using opsrun::test::OpTest;
using opsrun::test::Shape;
using opsrun::test::ShapeInferenceTestOp;

inline const std::string kWrong = "INVALID_ARGUMENT: ";

class ListTest : public OpTest {
 protected:
  // Runs what `begin` makes of a tensor of each type that the ops move: all numbers and bools.
  template <typename Begin>
  void HasAKernelForEveryNumberAndBool(const Begin& begin) {
    std::vector<int32_t> dtypes = NumberTypes();
    dtypes.push_back(OPSRUN_DT_BOOL);
    for (const int32_t dtype : dtypes) {
      Array array = Array::Zeros(dtype, {1});
      array.bytes.assign(array.bytes.size(), '\1');
      begin(array);
      Run();
      const Array output = Output(0);
      EXPECT_EQ(output.dtype, dtype);
      EXPECT_EQ(output.bytes.substr(0, array.bytes.size()), array.bytes);
    }
  }
};

}  // namespace list_ops_test

// tests/sdk/kernel_memory_test.cc: objects of all sizes have memory of their own, which is aligned and used again.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/internal/kernel_memory.h"

#include <gtest/gtest.h>
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

using internal::KernelMemory;

// More than one block of each.
std::vector<std::pair<unsigned char*, size_t>> NewOfAllSizes() {
  std::vector<std::pair<unsigned char*, size_t>> objects;
  for (size_t i = 0; i < 2000; ++i) {
    const size_t bytes = 8 + i % 300;
    objects.emplace_back(static_cast<unsigned char*>(KernelMemory::New(bytes)), bytes);
    memset(objects.back().first, static_cast<int>(i % 251), bytes);
  }
  return objects;
}

TEST(KernelMemory, ObjectsDoNotOverlapWhateverWasDeletedBefore) {
  for (int round = 0; round < 3; ++round) {
    const auto objects = NewOfAllSizes();
    for (size_t i = 0; i < objects.size(); ++i) {
      const auto [object, bytes] = objects[i];
      EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignof(max_align_t), 0u);
      EXPECT_TRUE(std::all_of(object, object + bytes, [&](unsigned char byte) { return byte == i % 251; })) << i;
    }
    for (const auto& [object, bytes] : objects) KernelMemory::Delete(object, bytes);
  }
}

TEST(KernelMemory, ObjectsOfOneSizeFollowEachOther) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer allocates each one by itself";
#endif
  std::vector<char*> objects;
  for (int i = 0; i < 100; ++i) objects.push_back(static_cast<char*>(KernelMemory::New(40)));
  const auto follows = [&](char* object) { return std::count(objects.begin(), objects.end(), object + 48) == 1; };
  EXPECT_GE(std::count_if(objects.begin(), objects.end(), follows), 90);
  for (char* object : objects) KernelMemory::Delete(object, 40);
}

class WideOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(row_) % 128, 0u);
    NewOutput(context, 0, {1})->flat<int32>()(0) = row_[1];
  }

 private:
  alignas(128) const int32 row_[3] = {1, 2, 3};
};

TEST(KernelMemory, AClassMayHaveALargerAlignment) {
  BodyTest t;
  t.create.Out("y", OPSRUN_DT_INT32);
  t.call.Planned(OPSRUN_DT_INT32, {1});
  EXPECT_EQ(t.ComputeOf<WideOp>(), "");
}

}  // namespace
}  // namespace opsrun_test

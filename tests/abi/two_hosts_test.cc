// tests/abi/two_hosts_test.cc: two hosts in one process share one plugin; each is asked only for what is its own.
//
// FakeHost fails the test if a call, tensor or resource comes through the other host's table, or if anything is left
// unreleased.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/abi/open_plugin.h"
#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_create.h"

namespace opsrun_test {
namespace {

// A kernel object of RunningSum in one host.
class RunningSum {
 public:
  RunningSum(FakeHost& host, const opsrun_kernel& kernel) : host_(host), kernel_(kernel) {
    FakeCreate create(host, "RunningSum");
    create.In("x", OPSRUN_DT_INT64).Out("y", OPSRUN_DT_INT64).Out("calls", OPSRUN_DT_INT64);
    EXPECT_EQ(create.Run(kernel_, &object_), OPSRUN_OK);
  }
  ~RunningSum() { kernel_.destroy(object_); }

  // {the sum so far, the calls of all kernel objects of this host}
  std::vector<int64_t> operator()(int64_t x) {
    FakeCall call(host_);
    call.In<int64_t>({}, {x}).Out(OPSRUN_DT_INT64).Out(OPSRUN_DT_INT64);
    EXPECT_EQ(call.Run(kernel_.compute, object_), OPSRUN_OK);
    return {call.Values<int64_t>(0)[0], call.Values<int64_t>(1)[0]};
  }

 private:
  FakeHost& host_;
  const opsrun_kernel& kernel_;
  void* object_ = nullptr;
};

class TwoHosts : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(first_.table(), second_.table());
    plugin_ = OpenPlugin(TWO_HOSTS_PLUGIN, first_.table());
    ASSERT_TRUE(plugin_);
  }
  const opsrun_kernel& kernel() { return *plugin_->kernels[0]; }

  FakeHost first_, second_;
  const opsrun_plugin* plugin_ = nullptr;
};

TEST_F(TwoHosts, GetTheSameTable) {
  EXPECT_EQ(OpenPlugin(TWO_HOSTS_PLUGIN, second_.table()), plugin_);
}

TEST_F(TwoHosts, KeepTheirOwnTensors) {
  RunningSum in_first(first_, kernel()), in_second(second_, kernel());
  EXPECT_EQ(in_first(1)[0], 1);
  EXPECT_EQ(in_second(10)[0], 10);
  EXPECT_EQ(in_first(2)[0], 3);
  EXPECT_EQ(in_second(20)[0], 30);
  EXPECT_EQ(first_.held_tensors(), 1);
  EXPECT_EQ(second_.held_tensors(), 1);
}

TEST_F(TwoHosts, KeepTheirOwnResources) {
  RunningSum a(first_, kernel()), b(first_, kernel()), c(second_, kernel());
  EXPECT_EQ(a(0)[1], 1);
  EXPECT_EQ(b(0)[1], 2);
  EXPECT_EQ(c(0)[1], 1);
  EXPECT_EQ(first_.held_resources(), 2);
  EXPECT_EQ(second_.held_resources(), 1);
}

TEST_F(TwoHosts, OneOutlivesTheOther) {
  FakeHost third;
  RunningSum in_third(third, kernel());
  {
    FakeHost fourth;
    RunningSum in_fourth(fourth, kernel());
    EXPECT_EQ(in_fourth(5)[0], 5);
    EXPECT_EQ(in_third(7)[0], 7);
  }
  EXPECT_EQ(in_third(1)[0], 8);
}

TEST_F(TwoHosts, ThatTheFakeSeesAMixUp) {
  FakeCall call(first_);
  call.In<int64_t>({}, {1});
  EXPECT_NONFATAL_FAILURE(second_.table()->release(call.Input(0)), "does not belong to");
}

}  // namespace
}  // namespace opsrun_test

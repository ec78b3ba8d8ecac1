// tests/abi/c_plugins_test.cc: a plugin in plain C, from a copied c_api.h, works; and two hosts in one process share a
// plugin, which uses each only for its own objects. And, when it compiles, the first 48 bytes of a tensor view are a
// DLTensor of DLPack.
//
// TestHost fails the test if a call, tensor or resource comes through the other host's table, or is not released.
//
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "opsrun/c_api.h"
#include "tests/abi/dlpack.h"
#include "tests/sdk/test_host.h"

namespace opsrun_test {
namespace {

static_assert(sizeof(DLTensor) == 48 && offsetof(opsrun_tensor, host) == 48, "what is ours begins after the DLTensor");

#define SAME(ours, theirs)                                                                           \
  static_assert(offsetof(opsrun_tensor, ours) == offsetof(DLTensor, theirs) &&                       \
                    sizeof(((const opsrun_tensor*)0)->ours) == sizeof(((const DLTensor*)0)->theirs), \
                "opsrun_tensor." #ours " is no longer DLTensor." #theirs)
SAME(data, data);
SAME(device, device);
SAME(rank, ndim);
SAME(dl, dtype);
SAME(shape, shape);
SAME(strides, strides);
SAME(byte_offset, byte_offset);

static_assert(offsetof(opsrun_device, id) == offsetof(DLDevice, device_id), "a device is a type and an id");
static_assert(offsetof(opsrun_dldtype, bits) == offsetof(DLDataType, bits) &&
                  offsetof(opsrun_dldtype, lanes) == offsetof(DLDataType, lanes),
              "a data type is a code, bits and lanes");
static_assert(OPSRUN_DEVICE_CPU == 1 && OPSRUN_DEVICE_CUDA == 2, "kDLCPU and kDLCUDA");

using testing::AllOf;
using testing::HasSubstr;

// The table that the plugin returns to `host`, or NULL and a failed test. The file stays open.
const opsrun_plugin* OpenPlugin(const std::string& path, const opsrun_host* host) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  auto entry = reinterpret_cast<opsrun_entry_fn>(dlsym(library, OPSRUN_ENTRY_NAME));
  if (!entry) ADD_FAILURE() << path << " does not export " OPSRUN_ENTRY_NAME;
  return entry ? entry(host) : nullptr;
}

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c; (c = fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

// The plugin as built by one compiler.
class CPlugin : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "built by a compiler that this machine does not have";
    plugin_ = OpenPlugin(GetParam(), host_.table());
    ASSERT_TRUE(plugin_);
  }

  TestHost host_;
  const opsrun_plugin* plugin_ = nullptr;
};

TEST_P(CPlugin, DescribesItself) {
  ASSERT_EQ(plugin_->n_ops, 1u);
  EXPECT_EQ(Text(plugin_->name), "opsrun.tests.c");
  EXPECT_EQ(Text(plugin_->ops[0]->name), "AddOneC");
  EXPECT_EQ(Text(plugin_->ops[0]->inputs[0]), "x: int32");
  EXPECT_EQ(Text(plugin_->kernels[0]->device), "CPU");
}

TEST_P(CPlugin, CarriesItsNotes) {
  EXPECT_THAT(OutputOf(READELF " -nW '" + GetParam() + "'"),
              AllOf(HasSubstr("(0x4f500101)"), HasSubstr("(0x4f500102)"), HasSubstr("(0x4f500103)"),
                    HasSubstr("(0x4f500104)")));
}

TEST_P(CPlugin, ExportsOnlyTheEntry) {
  EXPECT_EQ(OutputOf(NM " -D --defined-only --format=just-symbols '" + GetParam() + "'"), "opsrun_plugin_v1\n");
}

TEST_P(CPlugin, AllocatesWhatIsNotPlanned) {
  TestCall call(host_);
  call.In<int32_t>({3}, {1, 2, 3}).Out(OPSRUN_DT_INT32);
  EXPECT_EQ(call.Run(plugin_->kernels[0]->compute, nullptr), OPSRUN_OK);
  EXPECT_EQ(call.Shape(0), (std::vector<int64_t>{3}));
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{2, 3, 4}));
}

TEST_P(CPlugin, SaysWhyACreateFails) {
  TestCreate create(host_);
  void* kernel = nullptr;
  EXPECT_EQ(create.Run(*plugin_->kernels[0], &kernel), OPSRUN_INTERNAL);
  EXPECT_EQ(create.failure().text, "AddOneC wants one input");
}

INSTANTIATE_TEST_SUITE_P(Built, CPlugin, testing::Values(C_PLUGIN_BY_GCC, C_PLUGIN_BY_CLANG),
                         [](const auto& info) { return std::string(info.index == 0 ? "ByGcc" : "ByClang"); });

// A kernel object of RunningSum in one host.
class RunningSum {
 public:
  RunningSum(TestHost& host, const opsrun_kernel& kernel) : host_(host), kernel_(kernel) {
    TestCreate create(host, "RunningSum");
    create.In("x", OPSRUN_DT_INT64).Out("y", OPSRUN_DT_INT64).Out("calls", OPSRUN_DT_INT64);
    EXPECT_EQ(create.Run(kernel_, &object_), OPSRUN_OK);
  }
  ~RunningSum() { kernel_.destroy(object_); }

  // {the sum so far, the number of calls of all kernel objects of this host}
  std::vector<int64_t> operator()(int64_t x) {
    TestCall call(host_);
    call.In<int64_t>({}, {x}).Out(OPSRUN_DT_INT64).Out(OPSRUN_DT_INT64);
    EXPECT_EQ(call.Run(kernel_.compute, object_), OPSRUN_OK);
    return {call.Values<int64_t>(0)[0], call.Values<int64_t>(1)[0]};
  }

 private:
  TestHost& host_;
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

  TestHost first_, second_;
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
  EXPECT_EQ(first_.named_resources(), 1);
  EXPECT_EQ(second_.named_resources(), 1);
}

TEST_F(TwoHosts, OneOutlivesTheOther) {
  TestHost third;
  RunningSum in_third(third, kernel());
  {
    TestHost fourth;
    RunningSum in_fourth(fourth, kernel());
    EXPECT_EQ(in_fourth(5)[0], 5);
    EXPECT_EQ(in_third(7)[0], 7);
  }
  EXPECT_EQ(in_third(1)[0], 8);
}

TEST_F(TwoHosts, NoticeAMixUp) {
  const opsrun_tensor* tensor = first_.View(TestTensor({}, std::vector<int64_t>{1}));
  EXPECT_NONFATAL_FAILURE(second_.table()->release(tensor), "does not belong to");
  EXPECT_NONFATAL_FAILURE(second_.table()->string_assign(tensor, 0, "", 0), "does not belong to");
}

}  // namespace
}  // namespace opsrun_test

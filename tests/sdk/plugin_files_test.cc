// tests/sdk/plugin_files_test.cc: opens the plugins of tests/sdk/plugins and runs their kernels.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/sdk/test_host.h"

namespace opsrun_test {
namespace {

opsrun_entry_fn Open(const std::string& name) {
  void* file = dlopen((OPSRUN_TEST_PLUGINS "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  EXPECT_NE(file, nullptr) << dlerror();
  return file == nullptr ? nullptr : reinterpret_cast<opsrun_entry_fn>(dlsym(file, OPSRUN_ENTRY_NAME));
}

// The result of the plugin's op Answer, or -1.
int32_t AnswerOf(const std::string& plugin) {
  const opsrun_kernel* kernel = RegisteredKernel("Answer", Open(plugin));
  TestHost host;
  TestCreate create(host);
  TestCall call(host);
  create.Out("answer", OPSRUN_DT_INT32);
  call.Planned(OPSRUN_DT_INT32, {});
  void* object = nullptr;
  if (kernel == nullptr || RegisteredOp("Answer", Open(plugin)) == nullptr) return -1;
  if (create.Run(*kernel, &object) != OPSRUN_OK) return -1;
  const int32_t code = call.Run(kernel->compute, object);
  kernel->destroy(object);
  return code == OPSRUN_OK ? call.Values<int32_t>(0)[0] : -1;
}

TEST(PluginFiles, WithEqualClassNamesRunTheirOwnCode) {
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  EXPECT_EQ(AnswerOf("bare_nine"), 9);
  EXPECT_EQ(AnswerOf("bare_seven"), 7);
  TestHost host;
  EXPECT_NE(Open("bare_seven")(host.table()), Open("bare_nine")(host.table()));
}

TEST(PluginFiles, WithoutExceptionsAndTypeInformationRun) {
  EXPECT_EQ(AnswerOf("no_exceptions"), 5);
}

TEST(PluginFiles, OfUnitsThatEnterByTwoDoorsShareOneList) {
  EXPECT_EQ(AnswerOf("two_doors"), 3);
}

TEST(PluginFiles, MayForwardDeclareTheClasses) {
  EXPECT_EQ(AnswerOf("forward_declared"), 2);
  EXPECT_EQ(AnswerOf("forward_declared_opsrun"), 2);
}

}  // namespace
}  // namespace opsrun_test

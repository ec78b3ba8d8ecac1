// tests/host/run/log_test.cc: what plugins log, without a sink of the embedding program.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "host/device/device.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

opsrun_str Borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

TEST(Log, ShowsNothingThatATerminalObeys) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice());
  ::testing::internal::CaptureStderr();
  host->log(nullptr, OPSRUN_LOG_WARNING, Borrowed("a\x1b[2Jb\nc"), Borrowed("\x1b.cc"), 3);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: a\xEF\xBF\xBD[2Jb\nc (\xEF\xBF\xBD.cc:3)\n");
}

TEST(Log, HidesWhatIsBelowItsThresholdAndSaysWhichThatIs) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice(), {.log_threshold = OPSRUN_LOG_WARNING});
  opsrun_call call = {};
  call.kind = OPSRUN_KIND_CALL;
  call.host = host.get();
  const auto* log = static_cast<const opsrun_log*>(host->query(nullptr, Borrowed(OPSRUN_LOG_1)));
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(log->threshold(&call), OPSRUN_LOG_WARNING);
  EXPECT_EQ(log->threshold(nullptr), OPSRUN_LOG_INFO) << "of no host";
  ::testing::internal::CaptureStderr();
  host->log(&call, OPSRUN_LOG_INFO, Borrowed("hidden"), {}, 0);
  host->log(&call, OPSRUN_LOG_WARNING, Borrowed("shown"), {}, 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: shown\n");
}

TEST(Query, KnowsNoOtherInterface) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice());
  for (const char* id : {"", "opsrun.trace", "opsrun.trace/2", OPSRUN_CUDA_1}) {
    EXPECT_EQ(host->query(nullptr, Borrowed(id)), nullptr) << id;
  }
  EXPECT_EQ(host->query(nullptr, {OPSRUN_TRACE_1, sizeof(OPSRUN_TRACE_1)}), nullptr) << "a NUL is no part of it";
}

}  // namespace
}  // namespace opsrun::host

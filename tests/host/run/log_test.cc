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
  const std::shared_ptr<opsrun_host> host = MakeHostTable(OpenCpuDevice());
  ::testing::internal::CaptureStderr();
  host->log(nullptr, OPSRUN_LOG_WARNING, Borrowed("a\x1b[2Jb\nc"), Borrowed("\x1b.cc"), 3);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: a\xEF\xBF\xBD[2Jb\nc (\xEF\xBF\xBD.cc:3)\n");
}

}  // namespace
}  // namespace opsrun::host

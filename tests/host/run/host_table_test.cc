// tests/host/run/host_table_test.cc: the table that plugins call, and what they log without a sink of the program.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/host_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "host/plugin/load.h"

namespace opsrun::host {
namespace {

TEST(HostTable, EverySlotHasAFunction) {
  const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  EXPECT_EQ(table->size, sizeof(opsrun_host));
  EXPECT_EQ(table->level, OPSRUN_LEVEL);
#define OPSRUN_SLOT_IS_SET(T, slot, n) EXPECT_NE(table->slot, static_cast<decltype(T::slot)>(0)) << #slot;
#define OPSRUN_NOTHING(T, field)
  OPSRUN_FIELDS_HOST(OPSRUN_SLOT_IS_SET, OPSRUN_NOTHING)
#undef OPSRUN_SLOT_IS_SET
#undef OPSRUN_NOTHING
}

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
  for (const char* id : {"", "opsrun.trace", "opsrun.trace/2", "opsrun.cuda/2"}) {
    EXPECT_EQ(host->query(nullptr, Borrowed(id)), nullptr) << id;
  }
  EXPECT_EQ(host->query(nullptr, {OPSRUN_TRACE_1, sizeof(OPSRUN_TRACE_1)}), nullptr) << "a NUL is no part of it";
}

// An entry has no call to name: its lines go where those of its host go, and not any longer once it has returned.
TEST(Log, OfAnEntryGoesToItsHost) {
  std::vector<std::string> lines;
  const auto sink = [&](int32_t, std::string_view text, std::string_view, uint32_t) { lines.emplace_back(text); };
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice(), {.log = sink});
  const opsrun_plugin* table = nullptr;
  const auto refusal = CallEntry(
      [](const opsrun_host* given) -> const opsrun_plugin* {
        given->log(nullptr, OPSRUN_LOG_INFO, Borrowed("starting"), Borrowed(""), 0);
        given->fail(nullptr, OPSRUN_ABORTED, Borrowed("not today"), Borrowed(""));
        given->log(nullptr, OPSRUN_LOG_INFO, Borrowed("failed"), Borrowed(""), 0);
        return nullptr;
      },
      host.get(), &table);
  EXPECT_TRUE(refusal.has_value());
  EXPECT_EQ(lines, (std::vector<std::string>{"starting", "failed"}));
  ::testing::internal::CaptureStderr();
  host->log(nullptr, OPSRUN_LOG_INFO, Borrowed("later"), Borrowed(""), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "info: later\n");
  EXPECT_EQ(lines.size(), 2u);
}

}  // namespace
}  // namespace opsrun::host

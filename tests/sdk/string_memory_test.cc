// tests/sdk/string_memory_test.cc: the texts of strings, and memory of a plugin's own, count for a host.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/internal/string_memory.h"

#include <new>
#include <string>

#include "opsrun/counted_memory.h"
#include "opsrun/tstring.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

constexpr int64_t kMiB = 1024 * 1024, kStep = 64 * 1024;
int64_t counted = 0, limit = 0;

int32_t Reserve(const opsrun_host*, uint64_t bytes) {
  if (counted + static_cast<int64_t>(bytes) > limit) return OPSRUN_RESOURCE_EXHAUSTED;
  counted += static_cast<int64_t>(bytes);
  return OPSRUN_OK;
}
void GiveBack(const opsrun_host*, uint64_t bytes) {
  counted -= static_cast<int64_t>(bytes);
}
const void* Query(const opsrun_host*, opsrun_str id) {
  static constexpr opsrun_memory kMemory = {sizeof(opsrun_memory), 0, Reserve, GiveBack};
  return std::string_view(id.data, id.size) == OPSRUN_MEMORY_1 ? &kMemory : nullptr;
}

// A host with a limit, which has loaded this program as if it were a plugin.
struct StringMemory : testing::Test {
  StringMemory() {
    host.query = Query;
    counted = 0;
    limit = 9 * kMiB;
    opsrun_sdk_count_strings_for(&host);
  }
  ~StringMemory() override { opsrun_sdk_count_strings_for(nullptr); }

  opsrun_host host{};
};

TEST_F(StringMemory, TextsCountUntilTheyAreGone) {
  {
    const tstring large(5 * kMiB, 'x');
    EXPECT_NEAR(static_cast<double>(counted), 5.0 * kMiB, kStep);
    tstring copy = large.substr(0, kMiB);
    copy.append(large.substr(0, kMiB));
    EXPECT_NEAR(static_cast<double>(counted), 7.0 * kMiB, kStep);
  }
  EXPECT_NEAR(static_cast<double>(counted), 0, kStep);
}

TEST_F(StringMemory, BeyondTheLimitThereIsNoMemory) {
  const tstring large(5 * kMiB, 'x');
  EXPECT_THROW(tstring(static_cast<const tstring&>(large)), std::bad_alloc);
  EXPECT_NEAR(static_cast<double>(counted), 5.0 * kMiB, kStep);
  EXPECT_EQ(tstring("small"), "small");
}

TEST_F(StringMemory, IsGivenBackToAHostThatEnds) {
  const tstring large(5 * kMiB, 'x');
  opsrun_sdk_count_strings_for(nullptr);
  EXPECT_EQ(counted, 0);
  const tstring more(9 * kMiB, 'x');  // no host limits it
}

TEST_F(StringMemory, AHostWithoutTheInterfaceLimitsNothing) {
  host.query = [](const opsrun_host*, opsrun_str) -> const void* { return nullptr; };
  const tstring large(9 * kMiB, 'x');
  EXPECT_EQ(counted, 0);
}

TEST(CountedMemory, IsSetAndGivenBack) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_INT32);
  t.call.In<int32_t>({}, {1});
  t.Computes([](OpKernelContext* context) {
    CountedMemory memory;
    for (const int64 bytes : {1000, 5000, 300}) {
      OP_REQUIRES_OK(context, memory.Set(context, bytes));
      EXPECT_EQ(memory.bytes(), bytes);
    }
  });
}

}  // namespace
}  // namespace opsrun_test
